"""Whether a trace has what must be seen for a requirement to count as exercised. Pure.

message                  the agent sent a line at all (for a client: the client did)
reply [METHOD]           a request of the client was answered, with a result or an error
result METHOD            it was answered with a result
second METHOD            the same, twice
sent METHOD…             the client sent a request of one of these
offered MEMBER           the agent's response has this member
notified                 the client sent a notification
update                   the agent sent an update
filtered list            session/list with a directory was answered with a result
cancel                   a session/cancel found an open turn, which then settled
cancel with permission   the same while a permission was open
asked [METHOD]           the agent sent a request
answered METHOD          the client answered a request of the agent with a result
"""

from __future__ import annotations

from collections.abc import Callable

from acp_trace.conform.evidence import Evidence
from acp_trace.protocol import methods


def is_exercised(seen: str, evidence: Evidence, side: str) -> bool:
    """Whether the trace has what `seen` names; False for no words at all."""
    word, _, rest = seen.partition(" ")
    return word in _WORDS and _WORDS[word](evidence, rest, side)


def _message(evidence: Evidence, _: str, side: str) -> bool:
    trace = evidence.facts.trace
    return (trace.frames_agent if side == "agent" else trace.frames_client) > 0


def _reply(evidence: Evidence, method: str, _: str) -> bool:
    return any(call.answer is not None and method in ("", call.method) for call in evidence.calls)


def _result(evidence: Evidence, method: str, _: str) -> bool:
    return any(evidence.results_of(method))


def _second(evidence: Evidence, method: str, _: str) -> bool:
    return sum(1 for _ in evidence.results_of(method)) > 1


def _sent(evidence: Evidence, names: str, _: str) -> bool:
    return any(evidence.calls_of(*names.split()))


def _offered(evidence: Evidence, member: str, _: str) -> bool:
    return bool(evidence.announced(f"offers {member}"))


def _notified(evidence: Evidence, _: str, __: str) -> bool:
    """Not by a cancel alone that came as its turn was over: its response may be the prompt's."""
    idle = any(
        one.kind == methods.CANCEL and one.target_frame is None for one in evidence.facts.cancellations
    )
    return idle or bool(evidence.cancels) or "_acp_trace/note" in evidence.notes.values()


def _update(evidence: Evidence, _: str, __: str) -> bool:
    return bool(evidence.facts.updates)


def _filtered(evidence: Evidence, _: str, __: str) -> bool:
    return any(call.params.get("cwd") for call in evidence.results_of(methods.LIST))


def _cancel(evidence: Evidence, more: str, _: str) -> bool:
    settled = [one for one in evidence.cancels if one.settled_frame is not None]
    if not more:
        return bool(settled)
    cancels = {one.frame for one in settled}
    return any(
        one.cancel_frame in cancels and one.method == methods.PERMISSION for one in evidence.facts.cascades
    )


def _asked(evidence: Evidence, method: str, _: str) -> bool:
    return any(one.sender == "agent" and method in ("", one.method) for one in evidence.facts.exchanges)


def _answered(evidence: Evidence, method: str, _: str) -> bool:
    asked = (one for one in evidence.facts.exchanges if one.sender == "agent" and one.method == method)
    return any(one.outcome == "result" for one in asked)


_WORDS: dict[str, Callable[[Evidence, str, str], bool]] = {
    "message": _message,
    "reply": _reply,
    "result": _result,
    "second": _second,
    "sent": _sent,
    "offered": _offered,
    "notified": _notified,
    "update": _update,
    "filtered": _filtered,
    "cancel": _cancel,
    "asked": _asked,
    "answered": _answered,
}
