"""The hint of `record` to a person who typed it: a client has to start it, and how to configure that.

Imported only if standard input is a terminal. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.trace.document import document


def _quoted(word: str) -> str:
    """Return a word as JSON has it, with control characters escaped."""
    text = document({"": word})[len('{"":') : -1].decode()
    return "".join(one if one.isprintable() else f"\\u{ord(one):04x}" for one in text)


def hint(words: Sequence[str]) -> str:
    """Return a few lines, without control characters; `words` are those that came after `acp-trace`."""
    args = ", ".join(_quoted(word) for word in words)
    return (
        "acp-trace: waiting for a client on standard input, which is this terminal\n"
        "  A client has to start this command. Put it into the client's configuration,\n"
        "  in place of the agent's command:\n"
        f'    "command": "acp-trace", "args": [{args}]\n'
        "  `acp-trace doctor` prints it with its full path. docs/clients.md shows where\n"
        "  it goes in Zed, JetBrains, Neovim and others. Ctrl-D ends this recording.\n"
        "  To see one without a client: acp-trace demo\n"
    )
