"""Requests for a terminal that is new in a run: consequences of the one that made it. Pure.

A build that runs one command more asks for a terminal, for its output, for its end and for its release. That
is one thing that differs, and not four.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from acp_trace.compare.result import Divergence
from acp_trace.protocol.message import MessageKind, read
from acp_trace.trace.entries import SENT, Entry

_NEW = "request-extra"
_CREATE = "terminal/create"


def with_terminals(divergences: Sequence[Divergence], run: Iterable[Entry]) -> list[Divergence]:
    """The divergences; each request for a terminal that is new names the request that made it."""
    frames = {
        divergence.got_event.frame: divergence.got_event.what.split()[0].rstrip(":")
        for divergence in divergences
        if divergence.code == _NEW and divergence.got_event is not None
    }
    if _CREATE not in frames.values():
        return list(divergences)
    made_by = _made_by(run, frames)
    result = []
    for divergence in divergences:
        frame = divergence.got_event.frame if divergence.got_event is not None else 0
        maker = made_by.get(frame) if divergence.consequence_of is None else None
        result.append(divergence if maker is None else replace(divergence, consequence_of=maker))
    return result


def _made_by(run: Iterable[Entry], frames: dict[int, str]) -> dict[int, int]:
    """By the frame of a request for a terminal, that of the one that made it. `frames`: new requests."""
    asked: dict[str, int] = {}  #: by the id of the request
    made: dict[str, int] = {}  #: by the terminal
    made_by: dict[int, int] = {}
    number = 0
    for entry in run:
        if entry.kind not in SENT:
            continue
        number += 1
        method = frames.get(number, "")
        if not method.startswith("terminal/") and not asked:
            continue
        message = read(entry.data)
        if method == _CREATE:
            asked[message.id or ""] = number
        elif method:
            terminal = message.part("params").get("terminalId")
            if isinstance(terminal, str) and terminal in made:
                made_by[number] = made[terminal]
        elif entry.sender == "client" and message.kind is MessageKind.RESPONSE and message.id in asked:
            frame = asked.pop(message.id)
            if isinstance(terminal := message.part("result").get("terminalId"), str):
                made[terminal] = frame
    return made_by
