"""`acp-trace show` and its options: sections, one session, later frames, rules, the pager."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminals import on_a_terminal
from tests.report.story import frames
from tests.support import Home, agent, line, trace, update


@pytest.fixture
def told(tmp_path: Path) -> str:
    """A trace file of the story."""
    path = tmp_path / "story.jsonl"
    path.write_bytes(trace(*frames()))
    return str(path)


def test_sections_by_name(home: Home, told: str) -> None:
    """Only those, in the report's order; an unknown one is named with those that there are."""
    out = home.run("show", told, "--section", "findings", "--section", "timeline")
    assert [each.split()[0] for each in out.splitlines() if each.startswith(" ") and each[1].isupper()] == [
        "Findings",
        "Timeline",
    ]
    done = home.outcome("show", told, "--section", "finding")
    assert done.returncode == 2
    assert b"findings" in done.stderr


def test_the_transcript(home: Home, told: str) -> None:
    """From a file or a pipe; of a turn; nothing else beside it; 4 if nothing was said there."""
    piped = home.outcome("show", "-", "--transcript", stdin=Path(told).read_bytes())
    assert piped.stdout.decode() == home.run("show", told, "--transcript")
    assert home.run("show", told, "--transcript").split("\n")[:6] == [
        'session s  "A file"', "", "user", "  Write a file", "", "agent",
    ]  # fmt: skip
    second = home.run("show", told, "--transcript", "--turn", "1")
    assert ("And on" in second, "Write a file" in second, "turn 1 ended  end_turn" in second) == (
        True,
        False,
        True,
    )
    assert home.outcome("show", told, "--transcript", "--json").returncode == 2
    assert home.outcome("show", told, "--transcript", "--since-frame", "99").returncode == 4


def test_json_holds_all_sections(home: Home, told: str) -> None:
    """So that --section with it is refused, and says what to do."""
    done = home.outcome("show", told, "--json", "--section", "findings")
    assert done.returncode == 2
    assert b"--session, --turn and --since-frame" in done.stderr


def test_one_session(home: Home, tmp_path: Path) -> None:
    """By how its id begins or ends; of an unknown one, those that there are."""
    path = tmp_path / "two.jsonl"
    chunk = {"content": {"text": "x"}}
    both = [("agent", update(name, "agent_message_chunk", **chunk)) for name in ("first-1", "second-2")]
    path.write_bytes(trace(*both))
    found = home.json("show", str(path), "--session", "second")
    assert [one["session_id"] for one in found["sessions"]] == ["second-2"]
    assert {one["session_id"] for one in found["findings"]} == {"second-2"}
    done = home.outcome("show", str(path), "--session", "third")
    assert done.returncode == 4
    assert b"it has S1 first-1, S2 second-2" in done.stderr
    done = home.outcome("show", str(path), "--turn", "0")
    assert (done.returncode, done.stderr) == (4, b"acp-trace: this trace has no turns\n")


def test_later_frames(home: Home, told: str) -> None:
    """What happened from a frame on: turns, cancels and findings."""
    found = home.json("show", told, "--since-frame", "18")
    session = found["sessions"][0]
    assert [one["frame"] for one in session["turns"]] == [18]
    assert [one["frame"] for one in session["cancellations"]] == [19]
    assert [one["frame"] for one in found["findings"]][:2] == [22, 23]


@pytest.mark.parametrize(
    ("rule", "meta"),
    [("rfd", {"a": {"b": 1, "c": 2}}), ("shallow", {"a": {"c": 2}}), ("replace", {"a": {"c": 2}})],
)
def test_rules_for_meta(home: Home, tmp_path: Path, rule: str, meta: object) -> None:
    """From a file and from the store, and the report says which."""
    path = tmp_path / "meta.jsonl"
    said = [
        update("s", "session_info_update", _meta={"a": {key: item}}) for key, item in (("b", 1), ("c", 2))
    ]
    path.write_bytes(trace(*(("agent", one) for one in said)))
    home.run("load", str(path))
    for name in (str(path), "last"):
        found = home.json("show", name, "--meta-merge", rule)
        assert found["sessions"][0]["metadata"]["final"]["_meta"] == meta
        assert found["trace"]["meta_merge"] == rule
    assert home.outcome("show", str(path), "--meta-merge", "deep").returncode == 2


def test_what_is_longer_than_the_terminal_is_paged(home: Home, told: str) -> None:
    """And what is not, or not wanted so, is printed."""
    assert b"P:" in on_a_terminal(home, "show", told, lines=10)
    assert b"P:" not in on_a_terminal(home, "show", told, lines=500)
    assert b"P:" not in on_a_terminal(home, "show", told, "--no-pager", lines=10)


def test_stderr_of_a_file_and_of_the_store(home: Home, tmp_path: Path) -> None:
    """All of it as a section; where the agent crashed, its last lines."""
    path = tmp_path / "crash.jsonl"
    said = trace(("client", {"jsonrpc": "2.0", "id": 1, "method": "session/list"}), end=False)
    logs = b"".join(line(t=5000 + number, log=f"line {number}") for number in range(30))
    path.write_bytes(said + logs + line(t=9000, end={"exit_code": 1, "signal": None}))
    home.run("load", str(path))
    for name in (str(path), "last"):
        assert home.run("show", name, "--section", "logs").count("line ") == 30
        printed = home.run("show", name)
        assert printed.count("│ line ") == 20
        assert printed.index("agent-crashed") < printed.index("│ line 10") < printed.index("│ line 29")


def test_the_last_trace_may_be_where_out_wrote_it(home: Home, tmp_path: Path) -> None:
    """Without a name, `show` takes the newest of the store; it says so if that is not the newest."""
    out = tmp_path / "out.jsonl"
    with home.start(agent("sys.exit()"), "--out", str(out)) as recording:
        recording.finish()
    done = home.outcome("show")
    assert (done.returncode, str(out).encode() in done.stderr) == (4, True)
    (tmp_path / "old.jsonl").write_bytes(trace())
    home.run("load", str(tmp_path / "old.jsonl"))
    done = home.outcome("show", "--section", "overview")
    says = f"note: the newest trace is {out} (record --out). To see it: acp-trace"
    taken = "using the last trace, 7f3a9c, opencode\n"
    assert (done.returncode, done.stderr.decode()) == (0, f"{says} show {out}\n{taken}")
    assert home.outcome("check").stderr.decode() == f"{says} check {out}\n{taken}"
    (tmp_path / "new.jsonl").write_bytes(
        trace(id="29991231T235959Z-000000", started_at="2999-12-31T23:59:59Z")
    )
    home.run("load", str(tmp_path / "new.jsonl"))
    assert home.outcome("show", "--section", "overview").stderr.decode() == taken.replace("7f3a9c", "000000")
