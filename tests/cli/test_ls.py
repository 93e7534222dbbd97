"""`acp-trace ls`: what a row says, at any width, and which rows are meant."""

from __future__ import annotations

import json

import pytest

from acp_trace.analyze.facts import Fact, Finding, Session, Turn
from tests import handmade
from tests.commands import Commands
from tests.handmade import made, stored
from tests.support import Fill

#: How rich believes in a terminal, without colours.
TERMINAL = {"TTY_COMPATIBLE": "1", "TERM": "dumb", "LINES": "40"}


@pytest.fixture
def full(commands: Commands, filled: Fill) -> Commands:
    """Three traces: one with all there is to say, a start that failed, and a replay of the first."""
    said: list[Fact] = [
        made(Session, session_id="s1"),
        made(Turn, session_id="s1", turn=1, frame=9, prompt="later"),
        made(
            Turn,
            session_id="s1",
            frame=5,
            prompt="Fix\n\n  the \x1b[31mtests, please, and say why they failed",
        ),
        *(
            made(Finding, code="x", severity=one, blame="agent")
            for one in ("error", "warning", "warning", "note")
        ),
    ]
    full = {"agent_name": "OpenCode", "agent_version": "1.2", "client_name": "acpx"}
    traces = (
        handmade.trace("t1-aaaaaa", *said, labels='{"build":"42","team":"x"}', started_at=_at(10), **full),
        handmade.trace("t2-bbbbbb", agent_argv='["npx","broken"]', exit_code=127, labels='{"build":"43"}', started_at=_at(11)),
        handmade.trace("t3-cccccc", *said, origin="replay", replay_of="t1-aaaaaa", started_at=_at(12), **full),
    )  # fmt: skip
    filled(lambda: stored(commands.home.store, *traces))
    return commands


def _at(hour: int) -> str:
    return f"2026-11-20T{hour}:00:00Z"


@pytest.mark.parametrize("width", [60, 80, 110, 140, 170])
def test_a_row_fits_and_says_what_matters(
    full: Commands, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """Id, agent, first prompt as one harmless line, findings; other columns as far as there is room."""
    for name, value in {"COLUMNS": str(width), **TERMINAL}.items():
        monkeypatch.setenv(name, value)
    lines = full.passes("ls").splitlines()
    assert max(map(len, lines)) <= width
    _, failed, first, _ = lines
    assert "bbbbbb" in failed
    assert "broken" in failed
    assert "exit 127" in failed or failed.endswith("×")
    assert "aaaaaa" in first
    assert "OpenCode" in first
    assert "Fix the \\e[31m"[: min(12, width - 50)] in first
    assert ("1 err  2 warn" if width >= 110 else "1 err") in first
    assert ("20 Nov 10:00" in first) == (width >= 80)
    assert ("build=42 team=x" in first) == (width >= 140)


def test_nothing_is_cut_in_a_pipe(full: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever COLUMNS says: a program may read it."""
    for width in ("40", "110"):
        monkeypatch.setenv("COLUMNS", width)
        lines = full.passes("ls").splitlines()
        assert "Fix the \\e[31mtests, please, and say why they failed" in lines[2]


def test_json(full: Commands) -> None:
    """The first prompt by frame, and how many findings of each severity."""
    failed, first = full.json("ls")
    assert (first["first_prompt"][:3], first["findings"]) == ("Fix", {"error": 1, "warning": 2, "note": 1})
    assert (failed["first_prompt"], failed["findings"]) == (None, {"error": 0, "warning": 0, "note": 0})


_FIRST, _FAILED, _REPLAY = "t1-aaaaaa", "t2-bbbbbb", "t3-cccccc"


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (["--agent", "open*"], [_FIRST]),
        (["--agent", "BROKEN"], [_FAILED]),
        (["--client", "?"], [_FAILED]),
        (["--client", "acpx", "--runs"], [_REPLAY, _FIRST]),
        (["--label", "build=43"], [_FAILED]),
        (["--label", "build=42", "--label", "team=x"], [_FIRST]),
        (["--since", "2026-11-20T11:00Z"], [_FAILED]),
        (["--until", "2026-11-20T11:00Z"], [_FIRST]),
        (["--origin", "replay"], [_REPLAY]),
        (["--origin", "recorded", "--runs"], [_FAILED, _FIRST]),
        (["--label", "build=42", "--label", "team=y"], []),
        (["--origin", "mock"], []),
    ],
)
def test_filters(full: Commands, options: list[str], ids: list[str]) -> None:
    """`ls`, `ls --sessions` and `stats` mean the same traces by them."""
    assert [row["id"] for row in full.json("ls", *options)] == ids
    named = {id_ for row in full.json("ls", "--sessions", *options) for id_ in row["traces"]}
    assert named == set(ids) - {_FAILED}, "it has no session"
    counted = full("stats", "--json", *options)
    assert sum(row["traces"] for row in json.loads(counted.out)) == len(ids)
    assert counted.code == (0 if ids else 4)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ["--agent", "no\x1b", "--label", "a=b"],
            "there is no trace that matches --agent no\\e and --label a=b",
        ),
        (
            ["--since", "2026-11-20T12:00Z"],
            "that matches --since 2026-11-20T12:00Z; 1 run of replay or mock is not",
        ),
        (["--origin", "mock"], "there is no trace that matches --origin mock"),
    ],
)
def test_nothing_matches(full: Commands, options: list[str], says: str) -> None:
    """A line says what was asked, and whether there would be runs; no failure for a list."""
    for command, code in (("ls", 0), ("stats", 4)):
        done = full(command, *options)
        assert (done.out, done.code) == ("", code)
        assert says in done.err


@pytest.mark.parametrize(
    "options", [["--label", "build"], ["--label", "=1"], ["--since", "x"], ["--origin", "x"]]
)
def test_values_that_mean_nothing(commands: Commands, options: list[str]) -> None:
    """Exit code 2, and the option is named."""
    for command in ("ls", "stats"):
        done = commands(command, *options)
        assert done.code == 2
        assert options[0] in done.err
