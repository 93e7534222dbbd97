"""Cancellations: the target of each, how long it took, and what else it ended."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancellation:
    """One request that a cancel was aimed at, or a cancel that found no request."""

    session_id: str | None = is_("the session, if there is one")
    kind: str = is_(
        "session/cancel, $/cancel_request or internal (a request ended as cancelled, but no cancel was sent)"
    )
    frame: int = is_("the cancel; for an internal one, the response")
    t_ns: int | None = is_("its time")
    sender: str = is_("the side that cancelled: client or agent")
    target_frame: int | None = is_("the request it was aimed at; NULL if there was none")
    target_method: str | None = is_("the method of that request")
    target_id: str | None = is_("the id of that request, as JSON")
    outcome: str = is_("cancelled, completed, error, unanswered or no_target")
    settled_frame: int | None = is_("the frame that settled the target")
    settle_ns: int | None = is_("from the cancel until the target settled")
    quiesce_ns: int | None = is_("from the cancel to the session's last update before the target settled")
    updates_after_cancel: int = is_(
        "number of the session's updates between the cancel and the end of the cancelled prompt"
    )
    late_updates: int = is_(
        "number of updates of the cancelled turn that came after its end and before the next prompt"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """A request that was open in the session at a cancel, or that the receiver of the cancel sent later."""

    session_id: str | None = is_("the session")
    cancel_frame: int = is_("the cancel")
    target_frame: int = is_("the request that the cancel was aimed at")
    frame: int = is_("the request")
    sender: str = is_("the side that sent it")
    method: str = is_("its method")
    outcome: str = is_("cancelled, completed, error or unanswered")
    settle_ns: int | None = is_("from the cancel to its response")
