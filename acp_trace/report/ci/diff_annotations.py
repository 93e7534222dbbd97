"""A comparison as GitHub's workflow commands: one line for each code, at the second trace where it can be.

A live run has no file that GitHub knows: then they stand at the recording, where the thing was expected, or
behind what both have.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.compare.result import Comparison, Divergence
from acp_trace.report.ci.annotations import command
from acp_trace.report.ci.places import Place
from acp_trace.report.text.differences import event


def workflow_commands(found: Comparison, places: Sequence[Place], *, all_: bool) -> list[str]:
    """Those that make the traces differ; `all_` adds the notes."""
    listed = found.divergences if all_ else found.failing
    firsts: dict[str, Divergence] = {}
    for one in listed:
        firsts.setdefault(one.code, one)
    lines = []
    for code, one in firsts.items():
        more = sum(other.count for other in listed if other.code == code)
        place, frame = _place(one, places)
        told = (
            f"{one.message}{f' ({more}×)' if more > 1 else ''} · "
            f"expected {event(one.expected_event, one.expected)}, got {event(one.got_event, one.got)}"
        )
        level = "error" if one.severity == "error" else "notice"
        lines.append(command(level, place, frame, code, told))
    return lines


def _place(one: Divergence, places: Sequence[Place]) -> tuple[Place, int | None]:
    """Where a divergence is shown, and the frame there."""
    if places[1].path is None and places[0].path is not None:
        at, of = 0, one.expected_event or one.common_expected
    elif one.got_event is None and one.expected_event is not None:
        at, of = 0, one.expected_event
    else:
        at, of = 1, one.got_event
    return places[at], None if of is None else of.frame
