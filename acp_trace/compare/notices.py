"""What is told and not asked: notifications other than updates, lines that are no messages, stray answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acp_trace.compare import pointers
from acp_trace.compare.claims import claim
from acp_trace.compare.collector import Collector
from acp_trace.compare.sessions import Both
from acp_trace.compare.story import Seen

_Aims = dict[int, tuple[str, int]]  # by the frame of a cancel, session and turn


def notifications(found: Collector, sessions: Sequence[Both]) -> None:
    """Compares them, session by session: the client's one by one, the agent's by whether there are any.

    An agent takes back what it asked for when it gets to it, and says things of its own in any number.
    """
    nowhere = (None, found.expected.notifications, found.actual.notifications)
    groups: list[tuple[str | None, list[Seen], list[Seen]]] = [nowhere]
    groups += [(one.id, one.notifications, other.notifications) for one, other in sessions]
    aims = _aims(found)
    for session_id, ours, theirs in groups:
        _in_order(found, session_id, _of("client", ours), _of("client", theirs), aims)
        _any(found, session_id, _of("agent", ours), _of("agent", theirs))


def odd(found: Collector) -> None:
    """Compares lines that are no messages, and answers to nothing: more of them are a divergence."""
    found.compared(found.expected.blank)
    _more(found, "noise", found.expected.odd, found.actual.odd, "no JSON-RPC message")
    _more(found, "response-extra", found.expected.strays, found.actual.strays, "a response without a request")


def _of(sender: str, some: Sequence[Seen]) -> list[Seen]:
    return [one for one in some if one.sender == sender]


def _in_order(
    found: Collector, session_id: str | None, a: Sequence[Seen], b: Sequence[Seen], aims: tuple[_Aims, _Aims]
) -> None:
    methods = [one.method for one in a], [other.method for other in b]
    frames = [one.frame for one in a], [other.frame for other in b]
    aimed = [[aims[side].get(frame) for frame in frames[side]] for side in (0, 1)]
    placed = list(zip(methods[0], aimed[0], strict=True)), list(zip(methods[1], aimed[1], strict=True))
    claimed = claim(placed, methods)
    for i, j in claimed.pairs:
        found.pair(a[i].frame, b[j].frame)
    last_a, last_b = claimed.pairs[-1] if claimed.pairs else (-1, -1)
    for i in claimed.missing:
        found.unmatched()
        if found.actual.whole or i < last_a:
            told = f"{a[i].method} is not sent any more"
            found.say("notification-missing", session_id, told, a[i].frame, None)
    for j in claimed.extra:
        found.unmatched()
        if found.expected.whole or j < last_b:
            told = f"{b[j].method} was not sent before"
            found.say("notification-extra", session_id, told, None, b[j].frame)


def _aims(found: Collector) -> tuple[_Aims, _Aims]:
    """The turn that each cancel is aimed at, by its frame, in both traces as the first calls it."""
    ours, theirs = (
        {
            one.frame: (turn.session_id, turn.turn)
            for one in story.facts.cancellations
            if (turn := story.turns.get(one.target_frame or 0)) is not None
        }
        for story in (found.expected, found.actual)
    )
    names = {(found.bindings.got("session", of), its): (of, turn) for (of, turn), its in found.turns.items()}
    return ours, {frame: names[turn] for frame, turn in theirs.items() if turn in names}


def _any(found: Collector, session_id: str | None, a: Sequence[Seen], b: Sequence[Seen]) -> None:
    counts = [Counter(one.method for one in side) for side in (a, b)]
    firsts = [{one.method: one for one in reversed(side)} for side in (a, b)]
    for method, one in firsts[0].items():
        if method in firsts[1]:
            found.pair(one.frame, firsts[1][method].frame, counts[0][method])
            continue
        found.unmatched(counts[0][method])
        if found.actual.whole:
            told = f"{method} is not sent any more"
            found.say("notification-missing", session_id, told, one.frame, None, count=counts[0][method])
    for method, one in firsts[1].items():
        if method in firsts[0]:
            continue
        found.unmatched(counts[1][method])
        if found.expected.whole:
            told = f"{method} was not sent before"
            found.say("notification-extra", session_id, told, None, one.frame, count=counts[1][method])


def _more(found: Collector, code: str, a: Sequence[Seen], b: Sequence[Seen], what: str) -> None:
    """One divergence for each sender that has more of them: the first that has no like."""
    for sender in ("client", "agent"):
        ours, theirs = ([one for one in side if one.sender == sender] for side in (a, b))
        known = Counter(one.text for one in ours)
        fresh = []
        for one in theirs:
            if known[one.text]:
                known[one.text] -= 1
            else:
                fresh.append(one)
        more = len(theirs) - len(ours)
        found.compared(min(len(ours), len(theirs)))
        found.unmatched(abs(more))
        if more > 0 and (found.expected.whole or fresh[0].frame < found.last_got):
            text = fresh[0].text[:200].decode("utf-8", "replace")
            told = f"{what}: {pointers.shown(text, 60)}"
            found.say(code, None, told, None, fresh[0].frame, now=pointers.shown(text, 120), count=more)
