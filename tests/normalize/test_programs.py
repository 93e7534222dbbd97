"""Where programs have moved to, as their command lines say it."""

from __future__ import annotations

import pytest

from acp_trace.normalize.programs import moved_programs


@pytest.mark.parametrize(
    ("recorded", "actual", "moved"),
    [
        (["/a/b/.bin/agent", "--acp"], ["/c/.bin/agent", "--acp"], [("/a/b", "/c")]),
        (["/a/.bin/agent"], ["env", "A=/x", "/b/c/.bin/agent"], [("/a", "/b/c")]),
        (["node", "/a/dist/agent.js"], ["node", "/b/dist/agent.js"], [("/a", "/b")]),
        (["/a/agent"], ["/a/agent"], []),
        (["agent"], ["/b/agent"], []),
        (["/a/agent"], ["agent"], []),
        (["/a/agent"], ["/b/other"], []),
        (["/a/agent"], ["/b/c-agent"], []),
        (["/agent"], ["/b/agent"], []),
        (["/a/"], ["/b/"], []),
        (["/a/b"], ["/c//a/b"], []),
        (["node", r"C:\a\dist\x.js"], ["node", "/b/c/dist/x.js"], [(r"C:\a", "/b/c")]),
        ([r"C:\a\dist\x.js"], [r"D:\b\dist\x.js"], [(r"C:\a", r"D:\b")]),
        ([r"C:\x.js"], ["/b/x.js"], []),
    ],
)
def test_a_program_that_is_somewhere_else(
    recorded: list[str], actual: list[str], moved: list[tuple[str, str]]
) -> None:
    """A word without a path, another program and the root say nothing."""
    assert list(moved_programs(recorded, actual)) == moved
