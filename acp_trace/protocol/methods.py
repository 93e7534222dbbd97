"""The ACP methods that the analysis treats specially. Names only: what they mean stands in `analyze`.

Source of each row: the method tables of the ACP schema (protocol 1 stable, npm
`@agentclientprotocol/sdk` 2.4.0) and the page named beside it.
"""

from __future__ import annotations

INITIALIZE = "initialize"  # docs/protocol/initialization
PROMPT = "session/prompt"  # docs/protocol/prompt-turn
UPDATE = "session/update"  # docs/protocol/prompt-turn
PERMISSION = "session/request_permission"  # docs/protocol/tool-calls

#: Requests that open a session; the value says where its id stands: `params` for one that exists,
#: `result` for a new one.
OPENERS = {
    "session/new": "result",  # docs/protocol/session-setup
    "session/load": "params",  # docs/protocol/session-setup; gone in protocol 2
    "session/resume": "params",  # RFD session-resume
    "session/fork": "result",  # RFD session-fork: `params.sessionId` is the session that is copied
}

#: Everything whose name begins so names a session of its own accord (not `fs/…`, not extensions).
SESSION_PREFIX = "session/"


def replays_history(method: str, params: dict[str, object]) -> bool:
    """Whether the agent sends the session's past as updates before it answers this request.

    Protocol 1: `session/load` does, `session/resume` must not. Draft 2: `session/resume` does when
    asked with `replayFrom` (RFD v2/session-resume-replay).
    """
    return method == "session/load" or (method == "session/resume" and bool(params.get("replayFrom")))
