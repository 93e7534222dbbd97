"""Session information and session/list."""

from __future__ import annotations

from acp_trace.analyze.findings.codes import sources
from acp_trace.analyze.findings.codes.finding_code import FindingCode

ROWS = (
    FindingCode(
        "info-wrong-type", "agent", "error", "metadata",
        "A field of session_info_update whose value has the wrong type and is not null.",
        "title and updatedAt are strings or null, _meta an object or null.",
        "schema, SessionInfoUpdate",
    ),
    FindingCode(
        "title-too-long", "agent", "warning", "metadata",
        "A title of more than 500 characters.",
        "Clients show titles in lists, and cut long ones.",
        "RFD session-info-update (proposal)",
    ),
    FindingCode(
        "updated-at-invalid", "agent", "warning", "metadata",
        "An updatedAt that is not an RFC 3339 time. Most often its time zone is missing.",
        "RFC 3339 timestamp of last activity.",
        "draft 2, schema SessionInfoUpdate; protocol 1 asks for ISO 8601", once="session",
    ),
    FindingCode(
        "updated-at-goes-back", "agent", "warning", "metadata",
        "An updatedAt that is earlier than the one before.",
        "Timestamp of last activity, which only moves forward.",
        sources.LIST,
    ),
    FindingCode(
        "info-foreign-field", "agent", "error", "metadata",
        "A sessionId, cwd or additionalDirectories inside a session_info_update.",
        "sessionId and cwd are not part of the update: they cannot change.",
        "RFD session-info-update", once="session",
    ),
    FindingCode(
        "info-flood", "agent", "warning", "metadata",
        "More than 50 session_info_updates of one session within one second.",
        "Clients redraw at each update, so agents should send changes only.",
        sources.OURS, once="session",
    ),
    FindingCode(
        "list-disagrees", "agent", "warning", "metadata",
        "session/list and the session_info_updates disagree about a session.",
        "Updates and session/list describe the same session.",
        sources.LIST, once="session", is_doubted=True,
    ),
    FindingCode(
        "meta-merge-differs", "agent", "note", "metadata",
        "An update of _meta that leads to different states: one in clients that merge recursively, another "
        "in clients that merge only the top level or do not merge.",
        "The proposal merges recursively, protocol 1 defines no merge, and draft 2 patches only the top "
        "level.",
        "RFD session-info-update; draft 2, extensibility#metadata-patches",
    ),
    FindingCode(
        "title-only-listed", "agent", "note", "metadata",
        "A title that only session/list contains: no session_info_update had it.",
        "Clients that do not list sessions do not see the title.",
        sources.LIST, once="session", is_doubted=True,
    ),
    FindingCode(
        "list-filter-ignored", "agent", "warning", "metadata",
        "A session/list with a `cwd` that returns sessions of several directories.",
        "cwd: only sessions with this working directory.",
        sources.LIST,
    ),
    FindingCode(
        "session-untitled", "agent", "note", "metadata",
        "A session that had a turn, but has no title in session/list.",
        "Users find sessions by their titles.",
        sources.LIST, once="session",
    ),
)  # fmt: skip
