"""One entry -> the rules that apply to it, and the place from which they apply.

Keeps the methods of open requests with rules for their answers; nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from acp_trace.protocol.message import Message, MessageKind, batch, read
from acp_trace.protocol.payloads import ParamsView
from acp_trace.redact.rules import Rule
from acp_trace.trace.entries import Entry

#: They carry another message in their params (RFD proxy-chains); its answer is in theirs.
_ENVELOPES = frozenset({"proxy/successor", "_proxy/successor"})


class StringPlace(NamedTuple):
    """A message in a line: where it begins, its method (of a response, its request's), its rules."""

    base: tuple[str | int, ...] = ("frame",)
    method: str | None = None
    rules: tuple[Rule, ...] = ()


_PLAIN = StringPlace()
_METHOD = re.compile(rb'"method"\s*:\s*"([^"]{1,200})"')


class Places:
    """Feed it all frames in order, so that it knows the methods of answers."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._made: dict[tuple[str | None, str | None], tuple[Rule, ...]] = {}
        self._open: dict[tuple[str | None, str | None], str] = {}
        self.session_ids: set[str] = set()

    def of(self, entry: Entry) -> tuple[StringPlace, ...]:
        """Return the messages in a frame: one, except in a batch."""
        if (messages := batch(entry.data)) is not None:
            return tuple(self._place(entry.sender, one, ("frame", at)) for at, one in enumerate(messages))
        message = read(entry.data)
        place = self._place(entry.sender, message, ("frame",))
        if message.kind is MessageKind.INVALID or entry.data.count(b'"method"') > 1:
            place = place._replace(rules=self._all_of(entry.data, place))
        return (place,)

    def answered(self, sender: str | None) -> set[str]:
        """Return the methods of the other side's open requests, which an unreadable answer may be about."""
        return {method for (asker, _), method in self._open.items() if asker != sender}

    def _all_of(self, frame: bytes, place: StringPlace) -> tuple[Rule, ...]:
        """Return the rules of all methods in a frame: it has several, or is nested too deeply to be read."""
        methods = {one.replace(b"\\", b"").decode("utf-8", "replace") for one in _METHOD.findall(frame)}
        if not methods:
            return place.rules
        rules = [rule for method in sorted(methods) for rule in self._for(method, None)]
        return tuple(dict.fromkeys((*place.rules, *rules)))

    def _place(self, sender: str | None, message: Message, base: tuple[str | int, ...]) -> StringPlace:
        if message.session_id is not None:
            self.session_ids.add(message.session_id)
        if message.kind is MessageKind.RESPONSE:
            other = "agent" if sender == "client" else "client"
            method = self._open.pop((other, message.id), None)
            return StringPlace(base, method, self._for(method, None)) if method else StringPlace(base)
        method, update = message.method, message.update
        if method is None:
            return StringPlace(base)
        if method in _ENVELOPES:
            inner = message.part("params").get("method")
            method, base = (inner, (*base, "params")) if isinstance(inner, str) else (method, base)
            update = ParamsView(message.part("params").get("params")).update.session_update
        rules = self._for(method, update)
        if message.kind is MessageKind.REQUEST:
            key = (sender, message.id)
            if any(rule.path[0] != "params" for rule in rules):
                self._open[key] = method
            else:
                self._open.pop(key, None)
        return StringPlace(base, method, rules) if base != ("frame",) or rules else StringPlace(base, method)

    def _for(self, method: str | None, update: str | None) -> tuple[Rule, ...]:
        key = (method, update)
        rules = self._made.get(key)
        if rules is None:
            rules = tuple(
                rule
                for rule in self._rules
                if method in rule.methods or "*" in rule.methods or update in rule.updates
            )
            if len(self._made) < 1000:  # names come from the traffic, without a limit
                self._made[key] = rules
        return rules
