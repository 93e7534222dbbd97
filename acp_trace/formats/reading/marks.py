"""Marks beside a message that may show its sender: arrows, words, members of an object around it. Pure.

A mark means nothing by itself: `recv` is from the agent in a log of the client, and from the client in a log
of the agent. Its meaning is inferred from the messages that have it: from their methods, ids and results.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from acp_trace.formats.reading import directions
from acp_trace.formats.reading.log import Log, Sent
from acp_trace.trace.entries import OTHER_SIDE, Sender

Mark = tuple[str, ...]

_ARROWS = r"-{1,3}>|<-{1,3}|={1,2}>|<={1,2}|>{1,4}|<{1,4}|[→←⇒⇐⟶⟵▶◀➡⬅▸◂]"
_WORDS = (
    r"\b(?:send(?:ing)?|sent|recv|receiv(?:ed?|ing)|out(?:going|bound)?|in(?:coming|bound)?|tx|rx|stdin|stdout|"
    r"client|agent|server|editor|request|response|notification|writ(?:e|ing|ten)|wrote|read(?:ing)?|to|from)\b"
)
_MARKS = re.compile(f"{_ARROWS}|{_WORDS}", re.IGNORECASE)
#: Kinds of messages: they show a direction only if nothing else does.
_KINDS = frozenset({"request", "response", "notification"})
#: Members of an object around a message that may name its direction.
_SIDES = (
    "direction",
    "dir",
    "from",
    "to",
    "sender",
    "source",
    "role",
    "side",
    "channel",
    "stream",
    "type",
    "kind",
    "event",
)
_LONGEST = 40  #: characters of such a member
_MOSTLY = 0.9  #: the share of a mark's messages that have to be of one side


def of_text(before: str) -> Mark:
    """The mark in the text before a message."""
    words = tuple(word.lower() for word in _MARKS.findall(before)[-6:])
    return tuple(word for word in words if word not in _KINDS) or words


def of_members(value: Mapping[str, Any]) -> Iterator[str]:
    """The marks in an object around a message."""
    for name in _SIDES:
        if isinstance(word := value.get(name), str) and len(word) <= _LONGEST:
            yield f"{name}={word.lower()}"


def meanings(marked: Sequence[tuple[bytes, Mark]]) -> dict[Mark, Sender]:
    """Return the sender that each mark means, if nearly all of its messages are from that side.

    Messages with a method that only one side sends decide; the others count only for marks without these.
    """
    numbered = [Sent(data, None, number) for number, (data, _) in enumerate(marked)]
    inferred = directions.infer(Log(messages=[*numbered]))
    certain: dict[Mark, Counter[Sender]] = {}
    votes: dict[Mark, Counter[Sender]] = {}
    for item in inferred.messages:
        if not isinstance(item, Sent) or item.sender is None or item.t is None:
            continue
        if mark := marked[item.t][1]:
            by_method = directions.callers([item.data])
            (certain if by_method else votes).setdefault(mark, Counter())[item.sender] += 1
    meant: dict[Mark, Sender] = {}
    for mark, of in {**votes, **certain}.items():
        sender, count = of.most_common(1)[0]
        if count >= _MOSTLY * sum(of.values()):
            meant[mark] = sender
    marks = {mark for _, mark in marked}
    if len(marks) == 2 and len(meant) == 1:  # the other mark is of the other side
        (mark, sender), *_ = meant.items()
        meant |= {other: OTHER_SIDE[sender] for other in marks - {mark} if other}
    if len(set(meant.values())) < 2 and len(marks) > 1:
        return {}  # a mark of both sides says nothing
    return meant
