"""`record`, typed in a terminal: it says what it waits for. For a client, nothing changes."""

from __future__ import annotations

import os
import subprocess

from acp_trace.record.terminal import hint
from tests.posix import new_terminal
from tests.support import ACP_TRACE, DEADLINE_S, Home


def test_the_hint_can_be_copied() -> None:
    """The words that were typed, as JSON; nothing in them drives the terminal."""
    said = hint(["record", "--out", 'a "b".jsonl', "--", "opencode", "é\x1b\x9b"])
    line = said.splitlines()[3]
    assert line == (
        '    "command": "acp-trace", "args": '
        r'["record", "--out", "a \"b\".jsonl", "--", "opencode", "é\u001b\u009b"]'
    )
    assert "acp-trace doctor" in said
    assert max(len(one) for one in said.splitlines() if one != line) <= 80


def test_only_a_terminal_is_told(home: Home) -> None:
    """On stderr, and the traffic is the same; `cat` ends with the Ctrl-D."""
    master, terminal = new_terminal()
    try:
        argv = [*ACP_TRACE, "record", "--no-load", "--", "cat"]
        with subprocess.Popen(
            argv, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=home.environment
        ) as typed:
            assert typed.stderr is not None
            told = os.read(typed.stderr.fileno(), 4096)
            assert told.startswith(b"acp-trace: waiting for a client on standard input")
            assert b'"args": ["record", "--no-load", "--", "cat"]' in told
            os.write(master, b"{}\n\x04")
            out, err = typed.communicate(timeout=DEADLINE_S)
    finally:
        os.close(master)
        os.close(terminal)
    assert (out, err, typed.returncode) == (b"{}\n", b"", 0)
    with home.start(["cat"]) as recording:
        assert recording.finish(b"{}\n") == (b"{}\n", b"", 0)
