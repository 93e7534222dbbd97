"""What the agent wrote to stderr: a section of its own, and the last lines where it crashed."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from acp_trace.analyze.facts import Facts, Finding
from acp_trace.report.statements.stderr import LogLine
from acp_trace.report.text.show import Page, show
from tests.handmade import made, trace

_LINES = [(number * 1_000_000_000, f"line {number}") for number in range(1, 31)]


def _printed(
    found: Facts,
    *sections: str,
    lines: list[tuple[int, str]] = _LINES,
    all_: bool = False,
    width: int = 60,
) -> str:
    out = StringIO()
    console = Console(file=out, width=width, color_system=None, highlight=False, markup=False, emoji=False)
    show(console, Page(found, [], False, width, all_, [LogLine(*line) for line in lines]), sections)
    return out.getvalue()


def _crashed(lines: list[tuple[int, str]], width: int = 60) -> str:
    crash = made(Finding, code="agent-crashed", severity="error", blame="agent", frame=7, message="it ended")
    found = trace("t", crash, logs=len(lines), exit_code=1, last_log=lines[-1][1])
    return _printed(found, lines=lines[-20:], width=width)


def test_the_section_has_every_line_and_its_time() -> None:
    """Only if it is asked for: an agent can write a lot."""
    found = trace("t", logs=30)
    lines = _printed(found, "logs").splitlines()
    assert lines[0] == " Logs  30 lines"
    assert lines[1:4] == ["     at  stderr", "  1.000  line 1", "  2.000  line 2"]
    assert len(lines) == 32
    assert "line 1" not in _printed(found)
    assert "stderr 30 lines" in _printed(found)


def test_no_findings_are_an_answer() -> None:
    """To whoever asks for them; the whole report leaves the section out."""
    assert _printed(trace("t"), "findings") == "no findings\n"
    assert "no findings" not in _printed(trace("t"))


def test_of_very_many_the_last_are_shown() -> None:
    """And all with --all."""
    many = [(0, "x")] * 1500
    lines = _printed(trace("t", logs=1500), "logs", lines=many).splitlines()
    assert lines[2].strip() == "… 500 more before these: --all"
    assert len(lines) == 1003
    assert len(_printed(trace("t", logs=1500), "logs", lines=many, all_=True).splitlines()) == 1502


def test_a_crash_shows_the_last_twenty_lines() -> None:
    """The useful line of a stack trace is seldom the last, so the head does not repeat that one."""
    printed = _crashed(_LINES)
    assert "stderr, the last 20 of 30 lines" in printed
    assert [line.strip() for line in printed.splitlines() if "│" in line] == [
        f"│ line {number}" for number in range(11, 31)
    ]
    assert "the last:" not in printed
    assert "stderr, all it wrote" in _crashed(_LINES[:5])


@pytest.mark.parametrize("width", [60, 80])
def test_a_long_word_below_a_crash_goes_on_below_itself(width: int) -> None:
    """A rule of `=`, or an URL, indented or not: no line is empty, and none begins at the left."""
    room = width - 12
    printed = _crashed([(0, "=" * 100), (0, ""), (0, f"    at {'u' * 99}"), (0, f"    {'v' * 99}")], width)
    lines = printed[printed.index("          │") :].splitlines()
    assert lines[0] == f"{'':10}│ {'=' * room}"
    assert "".join(lines).count("=") == 100
    assert [line for line in lines if line.endswith("│")] == [f"{'':10}│"]
    assert f"{'':10}│     {'v' * (room - 4)}" in lines
    longer = [line for line in lines if "│" not in line and line]
    assert all(line.startswith(" " * 14) and len(line) <= width for line in longer)


def test_colours_go_and_everything_else_is_made_visible() -> None:
    """Nothing that an agent writes drives the terminal."""
    printed = _printed(
        trace("t", logs=1), "logs", lines=[(0, "\x1b[1;31mred\x1b[0m\x1b]0;title\x07\r\u202e")]
    )
    assert printed.splitlines()[-1] == " 0.000  red\\e]0;title\\x07\\r\\u202e"
