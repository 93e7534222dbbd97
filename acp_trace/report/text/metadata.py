"""The metadata section of `show`: title, updatedAt and _meta at the end, and how they got there."""

from __future__ import annotations

from rich.console import Group, RenderableType

from acp_trace.analyze import facts
from acp_trace.report.grouping import group
from acp_trace.report.safe import safe
from acp_trace.report.text.final_state import StateRow, StateStep, state_table
from acp_trace.report.text.sessions import limited, titles


def metadata(trace_facts: facts.Facts, width: int, *, all_: bool) -> RenderableType | None:
    """Every session that has metadata; None if none has. With `all_` also values that were removed again."""
    changes = group(trace_facts.metadata_changes, lambda change: change.session_id)
    history = {
        (metadata_update.session_id, metadata_update.frame)
        for metadata_update in trace_facts.metadata_updates
        if metadata_update.replayed
    }
    parts: list[RenderableType] = []
    shown, rest = limited([one for one in trace_facts.sessions if one.session_id in changes], all_)
    for session in shown:
        steps: dict[str, list[StateStep]] = {}
        for change in changes[session.session_id]:
            cause = "history update" if (change.session_id, change.frame) in history else ""
            steps.setdefault(change.path, []).append(StateStep(change.after, change.frame, cause))
        rows = [
            StateRow(safe(path.removeprefix("/")), each[-1].value, each)
            for path, each in steps.items()
            if all_ or each[-1].value is not None
        ]
        if rows:
            parts += [*titles(session, trace_facts, width), state_table(rows, width, all_=all_)]
    return Group(*parts, *rest) if parts else None
