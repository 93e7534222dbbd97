"""What changed in a session, and who changed it: metadata and configuration.

A value that may be any JSON is JSON text, so that `1` and `"1"` differ and NULL means that there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True)
class MetadataUpdate:
    """A session_info_update; what it changed is in metadata_changes, and may be nothing."""

    session_id: str = is_("the session")
    frame: int = is_("the update")
    t_ns: int = is_("its time")
    replayed: bool = is_("whether it came while the session's history was being replayed")
    turn: int | None = is_("index of the turn; NULL outside of any")


@dataclass(frozen=True, slots=True)
class MetadataChange:
    """One leaf of a session's metadata that a session_info_update changed."""

    session_id: str = is_("the session")
    frame: int = is_("the update")
    path: str = is_("JSON Pointer to the leaf: /title, /updatedAt, /_meta/…")
    before: str | None = is_("what was there, as JSON; NULL where nothing was")
    after: str | None = is_("what is there now, as JSON; NULL where nothing is")


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """A frame that carried the whole configuration of a session, or answered an attempt to set it."""

    session_id: str = is_("the session")
    frame: int = is_("the frame that carried the state, or the error")
    t_ns: int = is_("its time")
    cause: str = is_("setup, set (the client asked for it) or agent (changed by itself)")
    legacy: bool = is_("whether this is about modes, which config options replace")
    requested_id: str | None = is_("of a set, the option")
    requested_value: str | None = is_("of a set, the value that was asked for, as JSON")
    asked_frame: int | None = is_(
        "the client's request to set it; of a change by the agent, one that was open and asked for just that"
    )
    honoured: bool | None = is_("of a set, whether the response holds that value; NULL if it cannot say")
    error_code: int | None = is_("of a set that failed, the error's code")
    turn: int | None = is_("index of the turn; NULL outside of any")


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """One difference between two states of a session's configuration."""

    session_id: str = is_("the session")
    frame: int = is_("the frame that carried the new state")
    legacy: bool = is_("whether this is about modes")
    option: str | None = is_("id of the option; NULL for a change of the options' order")
    change: str = is_("added, removed, value, choices, details or order")
    before: str | None = is_("before it, as JSON: the value, the list of choices …; NULL where nothing was")
    after: str | None = is_("after it, likewise")
