"""What changed in each session, step by step, as the page reads it: `state.json`. Pure.

A step is a frame with metadata or configuration. Its changes are names with their values before and after,
as JSON text; `is_value` is false for what is not a value, such as the choices of an option.
"""

from __future__ import annotations

from acp_trace.analyze import facts
from acp_trace.report.grouping import group
from acp_trace.report.page.documents import DrawnCancel, SessionStep, StateChange, StateDocument
from acp_trace.report.statements.config_steps import config_outcomes
from acp_trace.report.statements.status import Status

_VALUES = ("added", "value", "removed")
#: The classes of the style sheet.
_STYLES = {None: "", Status.FAILED: "bad", Status.OPEN: "odd", Status.FAINT: ""}


def document(trace_facts: facts.Facts, cancels: list[DrawnCancel]) -> StateDocument:
    """The steps of every session that has some, in the order of their frames; the cancels."""
    steps: dict[str, list[SessionStep]] = {}
    for session_id, step in (*_metadata(trace_facts), *_config(trace_facts)):
        steps.setdefault(session_id, []).append(step)
    return {
        "sessions": [
            {
                "session_id": session.session_id,
                "title": session.title,
                "steps": sorted(steps.get(session.session_id, ()), key=lambda step: step["frame"]),
            }
            for session in trace_facts.sessions
        ],
        "cancels": cancels,
    }


def _metadata(trace_facts: facts.Facts) -> list[tuple[str, SessionStep]]:
    changes = group(trace_facts.metadata_changes, lambda change: (change.session_id, change.frame))
    return [
        (
            update.session_id,
            {
                "frame": update.frame,
                "t_ns": update.t_ns,
                "how": "history update" if update.replayed else "by agent",
                "style": "",
                "changes": [
                    _change(change.path.removeprefix("/"), change.before, change.after)
                    for change in changes.get((update.session_id, update.frame), ())
                ],
            },
        )
        for update in trace_facts.metadata_updates
    ]


def _config(trace_facts: facts.Facts) -> list[tuple[str, SessionStep]]:
    steps = []
    for entry, changes, how, stands in config_outcomes(trace_facts):
        step: SessionStep = {
            "frame": entry.frame,
            "t_ns": entry.t_ns,
            "how": how,
            "style": _STYLES[stands],
            "changes": [_of_option(change, is_opening=entry.cause == "setup") for change in changes],
        }
        if entry.cause == "set":
            name = _name(entry.requested_id or ("mode" if entry.legacy else "?"), legacy=entry.legacy)
            step["asked"] = {"frame": entry.asked_frame, "name": name, "value": entry.requested_value}
        steps.append((entry.session_id, step))
    return steps


def _of_option(change: facts.ConfigChange, *, is_opening: bool) -> StateChange:
    name = _name(change.option or "all options", legacy=change.legacy)
    if change.change in _VALUES:
        is_known = change.before is not None or not (is_opening or change.legacy)
        return _change(name, change.before, change.after, is_known=is_known)
    return _change(f"{name}: {change.change}", change.before, change.after, is_value=False)


def _name(option: str, *, legacy: bool) -> str:
    return f"{option} (legacy)" if legacy else option


def _change(
    name: str, before: str | None, after: str | None, *, is_value: bool = True, is_known: bool = True
) -> StateChange:
    """`is_known`: whether the previous value is known, even if there was none."""
    return {"name": name, "before": before, "after": after, "is_value": is_value, "is_known": is_known}
