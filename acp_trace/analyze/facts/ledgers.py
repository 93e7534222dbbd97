"""What changed in a session, and who changed it: metadata and configuration.

A value that may be any JSON is JSON text, so that `1` and `"1"` differ and NULL means an absent value.
"""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataUpdate:
    """A session_info_update. Its changes, if any, are in metadata_changes."""

    session_id: str = is_("the session")
    frame: int = is_("the update")
    t_ns: int | None = is_("its time")
    replayed: bool = is_("whether it is a history update: sent while the session's history was replayed")
    turn: int | None = is_("index of the turn; NULL outside a turn")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataChange:
    """One leaf of a session's metadata that a session_info_update changed."""

    session_id: str = is_("the session")
    frame: int = is_("the update")
    path: str = is_("JSON Pointer to the leaf: /title, /updatedAt, /_meta/…")
    before: str | None = is_("the value before, as JSON; NULL if there was none")
    after: str | None = is_("the value after, as JSON; NULL if there is none")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigEntry:
    """A frame with a session's whole configuration, or with the error that answered a config change."""

    session_id: str = is_("the session")
    frame: int = is_("the frame that carried the configuration, or the error")
    t_ns: int | None = is_("its time")
    cause: str = is_("setup (on opening), set (in the response to a config change) or agent (in an update)")
    legacy: bool = is_("whether it is about legacy modes instead of config options")
    requested_id: str | None = is_("for a requested change, the option")
    requested_value: str | None = is_("for a requested change, the value, as JSON")
    asked_frame: int | None = is_(
        "the client's request that the frame answers; for an update from the agent, the client's request for "
        "the same change, if it was still open"
    )
    honoured: bool | None = is_(
        "for a requested change, whether it was applied: true if the response has the requested value, false "
        "if the response does not have that value or is an error, NULL if the response has no configuration"
    )
    error_code: int | None = is_("for a requested change that failed, the error's code")
    turn: int | None = is_("index of the turn; NULL outside a turn")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigChange:
    """One difference between two states of a session's configuration."""

    session_id: str = is_("the session")
    frame: int = is_("the frame that carried the new state")
    legacy: bool = is_("whether it is about legacy modes")
    option: str | None = is_("the option's id; NULL for a change of the options' order")
    change: str = is_("added, removed, value, choices, details or order")
    before: str | None = is_(
        "before the change, as JSON: the value, the list of choices …; NULL if there was nothing"
    )
    after: str | None = is_("after the change, in the same form; NULL if nothing is left")
