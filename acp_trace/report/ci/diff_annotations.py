"""A comparison as GitHub's workflow commands: one line for each code, at the second trace if possible.

A live run has no file that GitHub knows: then the lines are at the recording, where the thing was expected,
or behind what both have.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.compare.causes import causes
from acp_trace.compare.codes import OVER_BUDGET
from acp_trace.compare.result import Comparison, Divergence
from acp_trace.report.ci.annotations import command
from acp_trace.report.ci.places import Place
from acp_trace.report.statements.comparisons import event, obeys


def workflow_commands(
    comparison: Comparison, places: Sequence[Place], *, all_: bool, accepted: bool = False
) -> list[str]:
    """Those that make the traces differ, the heaviest first; `all_` adds the notes.

    `accepted`: the run is the new recording, so that only a budget that is exceeded is an error.
    """
    listed = comparison.divergences if all_ else comparison.failing
    firsts: dict[str, Divergence] = {}
    for cause in causes(listed):
        for divergence in (cause.first, *cause.consequences):
            firsts.setdefault(divergence.code, divergence)
    lines = []
    for code, divergence in firsts.items():
        more = sum(other.count for other in listed if other.code == code)
        place, frame = _place(divergence, places)
        text = f"{divergence.message}{f' ({more}×)' if more > 1 else ''}"
        if not divergence.is_about_all:
            text += (
                f" · expected {event(divergence.expected_event, divergence.expected)}, "
                f"actual {event(divergence.got_event, divergence.got)}"
            )
        if divergence.obeys is not None:
            text += f" · {obeys(divergence)}"
        fails = divergence.severity == "error" and (code == OVER_BUDGET or not accepted)
        level = "error" if fails else "notice"
        lines.append(command(level, place, frame, code, text))
    return lines


def _place(divergence: Divergence, places: Sequence[Place]) -> tuple[Place, int | None]:
    """Where a divergence is shown, and the frame there."""
    if places[1].path is None and places[0].path is not None:
        at, of = 0, divergence.expected_event or divergence.common_expected
    elif divergence.got_event is None and divergence.expected_event is not None:
        at, of = 0, divergence.expected_event
    else:
        at, of = 1, divergence.got_event
    return places[at], None if of is None else of.frame
