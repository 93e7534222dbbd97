"""What is shown of an agent that died: the line that says why, wherever it stands."""

from __future__ import annotations

import pytest

from acp_trace.report.text.last_output import last_output

_NODE = [
    "  throw err;",
    "  ^",
    "",
    "Error: Cannot find module '/x.js'",
    "    at Module._load",
    "",
    "Node.js v20.11.1",
]
_PYTHON = ["Traceback (most recent call last):", '  File "a.py", line 1, in <module>', "ValueError: no model"]
_RUST = ["thread 'main' panicked at src/main.rs:3:5:", "note: run with `RUST_BACKTRACE=1`"]
_CODE = ["TypeError [ERR_INVALID_ARG_TYPE]: The path", "    at x"]


@pytest.mark.parametrize(
    ("lines", "error"), [(_NODE, 3), (_PYTHON, 2), (_RUST, 0), (_CODE, 0), (["FATAL no config", "bye"], 0)]
)
def test_the_error_comes_first(lines: list[str], error: int) -> None:
    """And is marked among the lines around it."""
    printed = last_output(lines, len(lines), 100).plain.splitlines()
    assert printed[0] == f" the agent's error: {lines[error].strip()}"
    assert printed[1] == " stderr, all it wrote:"
    assert [line[1] for line in printed[2:]] == ["▶" if at == error else "│" for at in range(len(lines))]


def test_twenty_lines_are_enough() -> None:
    """Their colours are left out, and none is cut."""
    lines = [f"\x1b[31mline {n} {'x' * 100}\x1b[0m" for n in range(30)]
    printed = last_output(lines, 30, 60).plain
    assert printed.startswith(" stderr, its last 20 lines:\n │ line 10\n")
    assert printed.count("x") == 2000
    assert "\x1b" not in printed
    assert max(map(len, printed.splitlines())) <= 60
    assert {line[:2] for line in printed.splitlines()[1:]} == {" │"}, "what goes on below itself, too"


def test_one_line_is_told_once() -> None:
    """It is the error, or it stands by itself."""
    assert last_output(["Error: no"], 1, 80).plain == " the agent's error: Error: no\n"
    assert last_output(["bye"], 1, 80).plain == " stderr, all it wrote:\n │ bye\n"
