"""The requirements of agentclientprotocol/acp-tck whose violation a finding can show. Tables.

The ids are those of the kit (`src/tck/v2/requirements.py` at 9bb7451, and its first version). One id may be
in both versions of the protocol. Requirements that only a probe can judge, because they ask how an agent
handles what no client sends, are not listed here.
"""

from __future__ import annotations


def _ids(text: str) -> tuple[str, ...]:
    return tuple(f"ACP-{word}" for word in text.split())


#: By the code of a finding.
REQUIREMENTS: dict[str, tuple[str, ...]] = {
    code: _ids(text)
    for code, text in {
        "not-json": "TRANSPORT-001 TRANSPORT-002 TRANSPORT-201 TRANSPORT-203",
        "blank-line": "TRANSPORT-001 TRANSPORT-201",
        "not-jsonrpc": "TRANSPORT-001 TRANSPORT-201 JSONRPC-002",
        "batch": "TRANSPORT-001 TRANSPORT-201 BATCH-208",
        "unknown-method": "CLIENTCAP-202",
        "wrong-side": "CLIENTCAP-202",
        "response-to-nothing": "JSONRPC-001 JSONRPC-003 CANCEL-205",
        "second-answer": "JSONRPC-001",
        "never-answered": "INIT-001 STATE-202",
        "payload-field-missing": "SCHEMA-001 INIT-001 INIT-203 SESSION-001 PROMPT-002 PROMPT-201 PROMPT-205 "
        "LOAD-001 RESUME-001 RESUME-201 LIST-001 LIST-201 MODES-001 MODES-002 CONFIG-001 CONFIG-201 "
        "CONFIG-203 AUTH-203 PERM-201 PATCH-201 PATCH-204 PATCH-205",
        "payload-wrong-type": "SCHEMA-001 INIT-001 INIT-201 INIT-204 SESSION-001 PROMPT-002 PROMPT-205 "
        "LOAD-001 RESUME-001 LIST-001 LIST-201 DELETE-001 DELETE-201 CLOSE-001 CLOSE-201 AUTH-004 AUTH-203 "
        "AUTH-207 META-201",
        "payload-unknown-value": "SCHEMA-001 PROMPT-002 PROMPT-205 ENUM-201 ENUM-202 PERM-201",
        "payload-extra-field": "SCHEMA-002 EXT-202",
        "announced-not-found": "RESUME-201 LIST-001 LIST-201 DELETE-001 DELETE-201 CLOSE-001 CLOSE-201 "
        "AUTH-004 AUTH-204",
        "session-id-reused": "SESSION-002",
        "list-filter-ignored": "LIST-203",
        "path-relative": "LIST-204",
        "auth-still-required": "AUTH-003 AUTH-204",
        "parameter-unannounced": "AUTH-002 AUTH-202 CLIENTCAP-003 CLIENTCAP-201",
        "name-unprefixed": "AUTH-206",
        "capability-missing": "CLIENTCAP-001 CLIENTCAP-002 CLIENTCAP-003 CLIENTCAP-201",
        "update-unknown-session": "PROMPT-002 PROMPT-205",
        "unknown-update": "SCHEMA-001 ENUM-202",
        "update-after-settle": "CANCEL-002 CANCEL-202",
        "stop-reason-unknown": "PROMPT-001 STATE-203 CANCEL-207",
        "resume-replayed": "RESUME-002 RESUME-203",
        "history-late": "LOAD-002 RESUME-202",
        "state-skipped": "STATE-201",
        "turn-unfinished": "STATE-202",
        "prompt-not-echoed": "PROMPT-203",
        "cancel-other-stop-reason": "CANCEL-001 CANCEL-201 CANCEL-203 CLOSE-002 CLOSE-202 CANCEL-208",
        "cancel-error": "CANCEL-001 CANCEL-203",
        "cancel-unanswered": "CANCEL-001 CANCEL-201",
        "requests-not-cancelled": "INFO-CANCEL-202",
        "permission-without-options": "PERM-201",
        "mode-unknown": "MODES-001",
        "set-not-honoured": "CONFIG-002",
        "option-no-value": "CONFIG-001 CONFIG-201 CONFIG-204",
        "option-mixed-choices": "CONFIG-201",
        "option-malformed": "CONFIG-001 CONFIG-201 CONFIG-203",
        "option-boolean-unannounced": "CONFIG-003",
    }.items()
}

_REFUSED = "the agent may answer with an error for a reason other than the content of the request"
_NOT_YET = "no rule yet"
#: Requirements whose violation a recording could show, but that no finding covers, with the reason.
NOT_JUDGED: dict[str, str] = {
    id_: reason
    for reason, text in {
        _REFUSED: "PROMPT-003 PROMPTCAP-001 PROMPTCAP-002 PROMPTCAP-003 ADDDIRS-001 ADDDIRS-201 ADDDIRS-202 "
        "META-001 AUTH-005 AUTH-205 JSONRPC-005",
        _NOT_YET: "AUTH-001 AUTH-201 RESUME-204 RESUME-205 DELETE-202 "
        "CONFIG-202 CONFIG-206 PATCH-203 PATCH-206 PATCH-207 PATCH-208 PATCH-209 ERROR-001",
        "an agent may speak a lower version than its client asks for": "INIT-002",
        "agentInfo is not required in version 1": "INIT-004",
        "an example in the specification answered session/load with null": "LOAD-003",
        "acp-tck itself does not judge these requirements": "MCP-201 MCP-202 BATCH-207",
    }.items()
    for id_ in _ids(text)
}
