"""Which session a person means, over all traces that name it: clients start a process for each prompt."""

from __future__ import annotations

from acp_trace.analyze.listing import SessionListing, by_session
from acp_trace.store.catalog import UnknownTrace
from acp_trace.store.listings import listings
from acp_trace.trace.entries import ORIGINAL
from acp_trace.trace.home import Home

_MOST = 5  #: candidates that are named


def session_named(home: Home, text: str) -> SessionListing | None:
    """The session whose id is, begins or ends with this text; None if there is none. Runs do not count.

    Raises UnknownTrace if several sessions match, and StoreError.
    """
    sessions = by_session(row for row in listings(home) if row.trace.origin in ORIGINAL)
    matches = [one for one in sessions if one.session_id == text]
    if not matches and text:
        matches = [one for one in sessions if _may_be(one.session_id, text)]
    if len(matches) < 2:
        return matches[0] if matches else None
    names = list(dict.fromkeys(one.session_id for one in matches))
    if len(names) > 1:
        raise UnknownTrace(f"{text} may be any of {len(names)} sessions", names[:_MOST])
    # The traces tell them apart.
    last = [one.traces[-1] for one in matches][:_MOST]
    raise UnknownTrace(f"{len(matches)} agents have a session {text}; show one of its traces", last)


def _may_be(session_id: str, text: str) -> bool:
    return session_id.startswith(text) or session_id.endswith(text)
