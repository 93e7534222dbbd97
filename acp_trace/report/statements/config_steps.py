"""What changed in the configuration of a session, and the outcome of each change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.report.grouping import group
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases
from acp_trace.report.statements.status import FAILED, Status


def config_change(change: facts.ConfigChange) -> str:
    """One change of the configuration in a few words."""
    option = safe(change.option) if change.option is not None else "options"
    if change.change == "removed":
        return f"{option} {phrases.value(change.before)} removed"
    if change.change == "added" and not change.legacy:
        return f"{option} added: {phrases.value(change.after)}"
    if change.change in ("added", "value"):  # a mode is never added: its previous value is unknown
        values = [phrases.value(text) for text in (change.before, change.after) if text is not None]
        return " ".join([*([] if change.legacy else [option]), " → ".join(values)])
    if change.change == "choices":
        return f"{option} choices {phrases.list_change(change.before, change.after)}"
    return f"{option}: other {change.change}"


class ConfigOutcome(NamedTuple):
    """A frame with configuration: what it changed, its outcome, and the status of that."""

    entry: facts.ConfigEntry
    changes: Sequence[facts.ConfigChange]
    how: str
    stands: Status | None


def config_outcomes(trace_facts: facts.Facts) -> Iterator[ConfigOutcome]:
    """All of them, in the order of the facts."""
    changes = group(trace_facts.config_changes, lambda one: (one.session_id, one.frame, one.legacy))
    early: dict[int | None, int] = {
        entry.asked_frame: entry.frame
        for entry in trace_facts.config_entries
        if entry.cause == "agent"
        and entry.asked_frame is not None
        and (entry.session_id, entry.frame, entry.legacy) in changes
    }
    for entry in trace_facts.config_entries:
        mine = changes.get((entry.session_id, entry.frame, entry.legacy), ())
        yield ConfigOutcome(entry, mine, *_applied(entry, mine, early.get(entry.asked_frame)))


def _applied(
    config_entry: facts.ConfigEntry, changes: Sequence[facts.ConfigChange], early: int | None
) -> tuple[str, Status | None]:
    """The outcome of a config change that the client asked for, or who else made it; and its status.

    `early`: an update that said so before the response did.
    """
    if config_entry.cause == "agent":
        return "by agent" + (
            "" if config_entry.asked_frame is None else f" for #{config_entry.asked_frame}"
        ), None
    if config_entry.cause == "setup":
        return "on opening", None
    if config_entry.error_code is not None or (config_entry.honoured is False and config_entry.legacy):
        return f"error {config_entry.error_code}", FAILED
    if config_entry.honoured is False:
        return "not applied", FAILED
    if changes or early is None:
        return ("applied" if changes else "no change"), None
    return f"applied in #{early}", None
