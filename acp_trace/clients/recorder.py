"""The recorder's words in front of an agent's command, and how they are recognised.

`python -EP` works from every client's environment (docs/clients.md, PYTHONHOME and PYTHONPATH).
The order of its letters means nothing to Python. It tells `uninstall` what `install` has added around a
command: so the file itself says it, also after an editor has formatted it, and no other file is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

#: How much of the file is install's: the words in front of a command, the agent's entry, the object with
#: the agents as well, or the whole file.
Added = Literal["words", "entry", "object", "file"]

FLAGS: dict[Added, str] = {"words": "-EP", "entry": "-PE", "object": "-PEP", "file": "-PEPE"}
_REST = ("-m", "acp_trace", "record", "--")
#: How many words stand before the agent's command.
COUNT = 2 + len(_REST)


def words(python: str, added: Added = "words") -> list[str]:
    """The command that records the one behind it. `python`: the absolute path of the interpreter."""
    return [python, FLAGS[added], *_REST]


def added_by(command: Sequence[str]) -> Added | None:
    """What install added for this command; None if it was not put there by install."""
    if len(command) <= COUNT or tuple(command[2:COUNT]) != _REST:
        return None
    return next((added for added, flags in FLAGS.items() if command[1] == flags), None)


def records(command: Sequence[str]) -> bool:
    """Whether a recorder runs it: `acp-trace record`, `python -m acp_trace record`, with any path."""
    names = [word.rpartition("/")[2] for word in command]
    return any(name in ("acp-trace", "acp_trace") and after == "record" for name, after in pairwise(names))
