"""Two files of raw lines, one of each direction: what `tee` in front of and behind an agent writes.

The lines are the bytes that were sent. Whose file is whose shows in the methods that are called; the order
between the two is unknown, and `interleave` makes one that could have been.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.formats.reading import directions, text_lines
from acp_trace.formats.reading.interleave import interleaved
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent, Unused
from acp_trace.protocol import message

NAME = "tee"


def recognises(files: Sequence[File]) -> bool:
    """Whether these are two files, each with calls of one side only, and not of the same one."""
    if len(files) != 2:
        return False
    one, two = (directions.callers(_lines(file)) for file in files)
    return len(one) <= 1 and len(two) <= 1 and len(one | two) == len(one) + len(two) > 0 and _all_json(files)


def read(files: Sequence[File]) -> list[Log]:
    """One log. A file with calls of both sides is of that which calls more."""
    if len(files) != 2:
        raise NotThisFormat("this format needs two files, one for each direction")
    one, two = (directions.callers(_lines(file)) for file in files)
    balance = one["client"] - one["agent"] - two["client"] + two["agent"]
    if not balance:
        raise NotThisFormat("no methods in the two files that show which one the client sent")
    client, agent = files if balance > 0 else (files[1], files[0])
    log = Log(transport="stdio", verbatim=True, ordered=False)
    log.messages = [Sent(line, sender) for sender, line in interleaved(_lines(client), _lines(agent))]
    log.inferred = len(log.messages)
    log.unused = [
        Unused(file.name, "begins with a byte order mark, which was left out")
        for file in files
        if len(text_lines.utf_8(file.data)) != len(file.data)
    ]
    return [log]


def _lines(file: File) -> list[bytes]:
    """The lines without their newlines; the rest behind the last newline counts unless it is empty.

    A byte order mark and UTF-16 come from the shell, not from the sender (PowerShell's `tee`).
    """
    lines = text_lines.utf_8(file.data).split(b"\n")
    return lines[:-1] if not lines[-1] else lines


def _all_json(files: Sequence[File]) -> bool:
    """Whether nearly all lines are messages, in both: an agent may write other text as well."""
    for file in files:
        lines = [line for line in _lines(file) if line.strip()]
        found = sum(message.read(line).kind in _MESSAGES for line in lines)
        if not lines or found < max(1, 0.6 * len(lines)):
            return False
    return True


_MESSAGES = (message.MessageKind.REQUEST, message.MessageKind.NOTIFICATION, message.MessageKind.RESPONSE)
