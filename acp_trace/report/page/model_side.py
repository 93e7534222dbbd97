"""Calls of the model as the page reads them, one part each: what was sent, what came back, what is new. Pure.

Each request repeats the conversation. So system prompts, tools and messages are stored once, as pieces:
`model/N.json` (call N) names them as `[part, index]`, and `model/pieces/N.json` is a list of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from acp_trace.analyze import facts
from acp_trace.model.calls import model_calls
from acp_trace.model.changes import ModelChange, changes
from acp_trace.model.exchange import exchanges_in
from acp_trace.model.matching.shapes import CallPair
from acp_trace.report.json.model_calls import document
from acp_trace.report.page.documents import CallDifference
from acp_trace.report.statements.model_calls import Conversations
from acp_trace.report.text.prompt_diff import bodies
from acp_trace.trace.entries import Entry

#: The size of a part of pieces, in bytes, after which the next part begins.
PIECES_BYTES = 64_000
#: Columns for which the lines of a difference are made.
_WIDTH = 120


def parts(calls: Iterable[facts.ModelCall], entries: Iterable[Entry]) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of what the page reads when a call is opened."""
    pieces = _Pieces()
    by_number = {call.call: call for call in model_calls(exchanges_in(entries))}
    conversations = Conversations()
    for fact in calls:
        call = by_number.get(fact.call)
        if call is None:
            continue
        whole = document(call, fact)
        prompt = whole["prompt"]
        prompt["system"] = pieces.put(prompt["system"]) if prompt["system"] else None
        prompt["tools"] = pieces.put(prompt["tools"]) if prompt["tools"] else None
        prompt["messages"] = [pieces.put(message) for message in prompt["messages"]]
        before = conversations.before(call, fact)
        if before is not None:
            whole["before"] = before.call
            whole["difference"] = [
                CallDifference(message=change.message, lines=_lines(change))
                for change in changes([CallPair(before, call, None)], str, str)
            ]
        whole["note"] = _note(None if before is None else before.call, fact.call)
        yield from pieces.full()
        yield f"model/{fact.call}.json", msgspec.json.encode(whole)
    yield from pieces.rest()


def _note(before: int | None, call: int) -> str:
    """Why a call is not compared with the one before it; empty if it is."""
    if before is None:
        return "" if call == 1 else "It is the first call of its conversation."
    between = range(before + 1, call)
    if not between:
        return ""
    if len(between) == 1:
        return f"Call {between[0]} is of another conversation."
    return f"Calls {between[0]} to {between[-1]} are of other conversations."


def _lines(change: ModelChange) -> list[str]:
    """What differs, in lines that begin with `+ `, `- ` or nothing of that."""
    if change.diff is None:
        return []
    return [
        line for text in next(bodies([change.diff], _WIDTH, all_=False)) for line in text.plain.split("\n")
    ]


class _Pieces:
    """Values that are kept once, packed into parts."""

    def __init__(self) -> None:
        self._places: dict[bytes, list[int]] = {}
        self._full: list[bytes] = []
        self._open: list[bytes] = []
        self._size = self._number = 0

    def put(self, value: Any) -> list[int]:
        """The place of a value: the number of its part, and its index there."""
        text = msgspec.json.encode(value)
        place = self._places.get(text)
        if place is None:
            place = self._places[text] = [self._number, len(self._open)]
            self._open.append(text)
            self._size += len(text)
            if self._size >= PIECES_BYTES:
                self._close()
        return place

    def full(self) -> Iterator[tuple[str, bytes]]:
        """The parts that are full, once."""
        first = self._number - len(self._full)
        for number, data in enumerate(self._full, first):
            yield f"model/pieces/{number}.json", data
        self._full = []

    def rest(self) -> Iterator[tuple[str, bytes]]:
        """What is left in the end."""
        if self._open:
            self._close()
        yield from self.full()

    def _close(self) -> None:
        self._full.append(b"[" + b",".join(self._open) + b"]")
        self._open, self._size = [], 0
        self._number += 1
