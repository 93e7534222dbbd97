"""`acp-trace stats` as people and programs use it."""

from __future__ import annotations

import csv
from functools import partial

import pytest

from acp_trace.analyze.facts import Cancellation, Finding, Turn
from tests import handmade
from tests.commands import Commands
from tests.handmade import exchange, made, stored
from tests.support import TRACES, Home, agent, request, result, trace

_MS = 1_000_000


def _two_versions(home: Home) -> None:
    """The newer one is slower, and ignores a cancel."""
    for version, took, outcome in (("1.9", 100 * _MS, "cancelled"), ("1.10", 300 * _MS, "completed")):
        settled = made(Cancellation, kind="session/cancel", outcome=outcome, settle_ns=took, target_frame=1)
        facts = handmade.trace(
            f"t{version}",
            made(Turn, session_id="s", duration_ns=took, first_output_ns=took // 10),
            settled,
            made(Finding, code="not-json", severity="error", blame="agent", count=1),
            exchange("session/prompt", took),
            agent_name="Slow",
            agent_version=version,
            client_name="acpx",
            started_at="2020-01-01T13:00:00Z" if version == "1.9" else "2020-01-02T13:00:00Z",
        )
        stored(home.store, facts)


def test_versions_stand_beside_each_other(home: Home) -> None:
    """One line each, at 80 columns, in the order of their numbers."""
    _two_versions(home)
    assert home.run("stats", COLUMNS="80").splitlines() == [
        "                  turn ─────────  output ───  cancels ─  settle ───────",
        "agent      turns     p50     p95  n      p50  cancelled     p50     p95  err",
        "Slow 1.9       1  100 ms  100 ms  1  10.0 ms        1/1  100 ms  100 ms    1",
        "Slow 1.10      1  300 ms  300 ms  1  30.0 ms        0/1  300 ms  300 ms    1",
        "",
        "Findings  that blame the agent",
        "error  not-json  2  Slow 1.9 ×1  Slow 1.10 ×1",
    ]


def test_failed_starts(commands: Commands) -> None:
    """A column only if there are any, also where there is little room; always a key of the JSON."""
    started = {"agent_name": "Slow", "agent_version": "1", "started_at": "2020-01-01T13:00:00Z"}
    stored(commands.home.store, handmade.trace("t1", made(Turn, session_id="s"), **started))
    assert "failed" not in commands.passes("stats")
    failed = {"agent_argv": '["no-such-agent"]', "error": "No such file or directory", "exit_code": 127}
    stored(commands.home.store, *(handmade.trace(f"t{number}", **failed) for number in (2, 3)))
    rows = {row["agent_name"]: row for row in commands.json("stats")}
    assert {name: row["failed_starts"] for name, row in rows.items()} == {"Slow": 0, None: 2}
    lines = [line.split() for line in commands.passes("stats").splitlines()]
    assert ["no-such-agent", "2", "2"] in lines
    head = next(line for line in lines if line[:1] == ["agent"])
    assert head[:4] == ["agent", "traces", "failed", "starts"]


def test_by(home: Home) -> None:
    """Agents, versions, clients, methods; another word is a mistake."""
    _two_versions(home)
    assert [one["traces"] for one in home.json("stats")] == [1, 1]
    assert [(one["agent_name"], one["traces"]) for one in home.json("stats", "--by", "agent")] == [
        ("Slow", 2)
    ]
    assert [one["client_name"] for one in home.json("stats", "--by", "client")] == ["acpx"]
    (row,) = home.json("stats", "--by", "method")
    assert (row["sender"], row["method"], row["count"], row["max_ns"]) == (
        "client",
        "session/prompt",
        2,
        300 * _MS,
    )
    assert "▸ session/prompt  2" in home.run("stats", "--by", "method")
    done = home.outcome("stats", "--by", "weather")
    assert done.returncode == 2
    assert b"'weather' is not one of agent, agent_version, client, method" in done.stderr


def test_agent_and_since(home: Home) -> None:
    """Both cut the traces that count."""
    _two_versions(home)
    (row,) = home.json("stats", "--agent", "sl*", "--since", "2020-01-02T00:00Z")
    assert row["agent_version"] == "1.10"
    assert b"--since" in home.outcome("stats", "--since", "yesterday").stderr
    assert home.outcome("stats", "--since", "yesterday").returncode == 2


def test_csv(home: Home) -> None:
    """One line a row, all of them with the same columns."""
    _two_versions(home)
    first, second = csv.DictReader(home.run("stats", "--csv").splitlines())
    assert (first["agent_version"], first["turn_p50_ns"], second["cancels_completed"]) == (
        "1.9",
        "100000000",
        "1",
    )
    assert second["findings_agent_error"] == "1"
    (row,) = csv.DictReader(home.run("stats", "--csv", "--by", "method").splitlines())
    assert row["p95_ns"] == "300000000"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--agent", "nobody"], "there is no trace that matches --agent nobody"),
        (["--agent", "x\x1b[2J", "--since", "1m"], "that matches --agent x\\e[2J and --since 1m"),
        (
            ["--by", "method", "--agent", "Slow*", "--since", "1m"],
            "there is no request in a trace that matches",
        ),
    ],
)
def test_nothing_matches(home: Home, options: list[str], says: str) -> None:
    """Exit 4, and one line that says what was asked; JSON is an empty list."""
    _two_versions(home)
    done = home.outcome("stats", *options)
    assert (done.returncode, done.stdout) == (4, b"")
    assert says in done.stderr.decode()
    assert home.json("stats", *options, code=4) == []
    assert home.run("stats", *options, "--csv", code=4) == ""


def test_nothing_is_there(home: Home) -> None:
    """Exit 4 for a store without a trace, or without a request."""
    assert b"there is no trace yet" in home.outcome("stats").stderr
    assert b"there is no trace yet" in home.outcome("stats", "--by", "method").stderr
    home.run("stats", "--agent", "x", code=4)
    stored(home.store, handmade.trace("t"))
    assert b"there is no request in any trace" in home.outcome("stats", "--by", "method").stderr
    home.run("stats")


def test_what_waits_in_the_spool_counts(home: Home) -> None:
    """As `ls` does, it loads first; a live trace is named on stderr."""
    home.spool.mkdir(parents=True)
    frames = [("client", request(0, "initialize")), ("agent", result(0, agentInfo={"name": "waiting"}))]
    (home.spool / "20261120T130501Z-7f3a9c.jsonl").write_bytes(trace(*frames))
    assert [one["agent_name"] for one in home.json("stats")] == ["waiting"]
    with home.start(agent("for line in lines: say(line)")) as recording:
        recording.say(b'{"id":1,"method":"a"}\n')
        recording.hear()
        done = home.outcome("stats")
        assert b"not in the store yet" in done.stderr
        recording.finish()


@pytest.mark.slow
def test_real_traces(home: Home) -> None:
    """Every width, every kind of row, over all traces at hand."""
    home.run("load", *map(str, TRACES))
    for by in ("agent", "agent_version", "client", "method"):
        for width in (80, 140):
            terminal = partial(home.run, TTY_COMPATIBLE="1", TERM="dumb", LINES="40", COLUMNS=str(width))
            lines = terminal("stats", "--by", by).splitlines()
            assert len(lines) > 3
            assert max(map(len, lines)) <= width
        if by != "method":
            assert "…" not in home.run("stats", "--by", by, COLUMNS="40"), "a pipe"
