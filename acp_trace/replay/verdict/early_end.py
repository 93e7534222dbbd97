"""The words about a run that ended too early: which request of the client had no answer. Words only."""

from __future__ import annotations

from dataclasses import replace

from acp_trace.analyze.facts import Exchange, Facts
from acp_trace.compare.result import Divergence

_SECOND = 1_000_000_000
_LAST = "the last frame that came"


def ended_early(divergence: Divergence, run: Facts, ended_ns: int) -> Divergence:
    """Return the divergence of an incident that ended a run, with what was open, and the kind of its frame.

    `ended_ns`: when the run was over, since its beginning.
    """
    opened = [one for one in run.exchanges if one.sender == "client" and one.outcome == "open"]
    got = _LAST if divergence.got is None and divergence.got_event is not None else divergence.got
    if not opened:
        return replace(divergence, got=got)
    request = opened[-1]
    expected = divergence.expected or f"an answer to {request.method} #{request.frame}"
    message = divergence.message
    if divergence.code == "timeout":
        message = f"{_unanswered(request, run, ended_ns)}; {message}"
    return replace(divergence, message=message, expected=expected, got=got)


def _unanswered(request: Exchange, run: Facts, ended_ns: int) -> str:
    """Return `session/prompt #83 is unanswered 60 s after session/cancel #86`."""
    what = f"{request.method} #{request.frame} is unanswered"
    cancels = [cancel for cancel in run.cancellations if cancel.target_frame == request.frame]
    t_ns, since = (request.t_ns, "") if not cancels else (cancels[0].t_ns, f" #{cancels[0].frame}")
    seconds = max(ended_ns - (t_ns or 0), 0) / _SECOND
    return f"{what} {seconds:.0f} s after {cancels[0].kind if cancels else 'it was sent'}{since}"


def cut_short(divergence: Divergence) -> Divergence:
    """Return it with a message that the trace of the run has an end, but not that of the conversation."""
    if divergence.code != "truncated" or divergence.got_event is None:
        return divergence
    frame = divergence.got_event.frame
    return replace(divergence, message=f"the run ended early: compared up to its frame {frame}")
