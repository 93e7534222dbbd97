"""The recorder's words before an agent's command, and how they are recognised.

`python -EP` works in every client's environment (docs/clients.md, PYTHONHOME and PYTHONPATH). The order of
the letters `-EP` does not matter to Python. It tells `uninstall` what `install` has added around a command:
so the file itself records it, even after an editor has formatted it, and no other file is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PureWindowsPath
from typing import Literal

#: How much of the file install wrote: the words before a command, the agent's entry, the object with the
#: agents as well, or the whole file.
Added = Literal["words", "entry", "object", "file"]

FLAGS: dict[Added, str] = {"words": "-EP", "entry": "-PE", "object": "-PEP", "file": "-PEPE"}
_REST = ("-m", "acp_trace", "record", "--")
#: Number of words before the agent's command.
COUNT = 2 + len(_REST)


def words(python: str, added: Added = "words") -> list[str]:
    """Return the words that record the command after them. `python`: the interpreter's absolute path."""
    return [python, FLAGS[added], *_REST]


def added_by(command: Sequence[str]) -> Added | None:
    """Return what install added for this command; None if install did not put it there."""
    if len(command) <= COUNT or tuple(command[2:COUNT]) != _REST:
        return None
    return next((added for added, flags in FLAGS.items() if command[1] == flags), None)


def records(command: Sequence[str]) -> bool:
    r"""Whether a recorder runs it: `acp-trace record`, `python -m acp_trace record`, with any path.

    Also with a path of Windows, such as `C:\tools\acp-trace.exe`: PureWindowsPath reads both kinds.
    """
    return end(command) is not None


def end(command: Sequence[str]) -> int | None:
    """Return how many words of a command are the recorder's, up to `record`; None if there is no recorder."""
    for at, word in enumerate(command[1:], 1):
        if word == "record" and PureWindowsPath(command[at - 1]).stem in ("acp-trace", "acp_trace"):
            return at + 1
    return None
