"""Whether a call of the model went on although its turn had been cancelled."""

from __future__ import annotations

from collections.abc import Iterable

from acp_trace.analyze.facts import ModelCall
from acp_trace.analyze.findings.collector import Findings
from acp_trace.trace.durations import duration

#: A call that ends so soon after the cancel may have ended anyway.
_RACE_NS = 100_000_000


def report_outliving(calls: Iterable[ModelCall], findings: Findings) -> None:
    """Adds the finding `model-call-outlives-cancel` for each call that ran to its end after a cancel.

    Not for one that nobody waits for, nor for one that failed: it was not the agent that let it go on.
    """
    for call in calls:
        to_end = call.cancel_to_end_ns
        if call.cancel_frame is None or to_end is None or to_end < _RACE_NS:
            continue
        if call.aborted or call.beside or call.error is not None:
            continue
        name = f"call {call.call} of {call.model or call.provider}"
        text = f"{name} ran to its end, {duration(to_end)} after the cancel"
        came = " and ".join(
            f"{count:,} {unit if count == 1 else unit + 's'}"
            for count, unit in ((call.output_after_cancel, "character"), (call.tokens_after_cancel, "token"))
            if count
        )
        findings.say(
            "model-call-outlives-cancel",
            "agent",
            call.cancel_frame,
            call.session_id,
            f"{text}; {came} still came" if came else text,
        )
