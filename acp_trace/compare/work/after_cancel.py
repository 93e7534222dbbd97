"""An agent's messages after the cancel of a turn: how far it gets is chance, but its words are not. Pure.

An agent may continue with the answer of its model, and then also send its words from the expected trace, such
as that it was interrupted. All other words are reported. Without the model's answers, nothing is reported:
the rest of an answer and the agent's own words look alike.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from acp_trace.compare.content import shown
from acp_trace.compare.result import Divergences
from acp_trace.compare.trace_pair import TracePair
from acp_trace.normalize import pointers
from acp_trace.story.model import UpdateRun
from acp_trace.trace import json_pointer


def compare(
    traces: TracePair,
    session_id: str,
    kind: str,
    expected: Iterable[UpdateRun],
    actual: Iterable[UpdateRun],
    cancels: tuple[int, int],
) -> Divergences:
    """Report a message after a cancel that neither the model nor the agent had sent before.

    `cancels`: the frame of the cancel in both traces.
    """
    late = [run for run in actual if run.frame > cancels[1] and run.shown is not None]
    if not late or traces.model_said is None or not shown.are_values_compared(traces):
        return
    said = _said(traces, late)
    if _was_said(traces, said, expected):
        return
    before = next((run.frame for run in expected if run.frame > cancels[0]), cancels[0])
    yield traces.divergence(
        "content-differs",
        session_id,
        f"{kind} after the cancel that neither the model nor the agent said before: {pointers.shown(said)}",
        before,
        late[0].frame,
        now=pointers.shown(said),
        pointer=json_pointer.written(shown.TEXT),
    )


def is_rest(
    traces: TracePair, expected: Iterable[UpdateRun], actual: Iterable[UpdateRun], cancel: int
) -> bool:
    """Whether all that the actual trace says after its cancel is text that was on its way before."""
    said = _said(traces, (run for run in actual if run.frame > cancel))
    return bool(said) and _was_said(traces, said, expected)


def _said(traces: TracePair, late: Iterable[UpdateRun]) -> str:
    return _plain(traces.actual_uncounted.shown(_text(late), shown.TEXT))


def _was_said(traces: TracePair, said: str, expected: Iterable[UpdateRun]) -> bool:
    """Whether the expected trace has a text, or the model's words with the end of one from that trace."""
    known = _plain(traces.expected_uncounted.shown(_text(expected), shown.TEXT))
    by_model = (_plain(traces.expected_uncounted.shown(text, shown.TEXT)) for text in traces.model_said or ())
    return said in known or _is_known(said, known, by_model)


def _is_known(said: str, known: str, by_model: Iterable[str]) -> bool:
    """Whether a text begins with the model's words, and ends with words from the expected trace."""
    return any(said[_begins(said, text) :].strip() in known for text in by_model)


def _begins(said: str, text: str) -> int:
    """Return the length of the longest beginning of a text that another one contains."""
    return bisect_right(range(1, len(said) + 1), 0, key=lambda size: said[:size] not in text)


def _text(runs: Iterable[UpdateRun]) -> str:
    return "".join(run.shown.text for run in runs if run.shown is not None)


def _plain(text: object) -> str:
    return " ".join(str(text).split())
