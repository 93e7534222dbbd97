"""The requirements of agentclientprotocol/acp-tck for protocol 1, in our words. A table.

Ids and tiers are those of the kit (EugeneTheDev/acp-tck, `src/tck/v1/requirements.py` at 7248354). Which
findings break a requirement is said in `analyze.findings.requirements`, which `requirements` turns around.
"""

from __future__ import annotations

from functools import partial

from acp_trace.conform.requirement import Requirement, row
from acp_trace.conform.requirement import Tier as _Tier

M: _Tier = "mandatory"
C: _Tier = "capability"
A: _Tier = "advisory"
I: _Tier = "informational"  # noqa: E741
_row = partial(row, 1)

ROWS: tuple[Requirement, ...] = (
    _row("ACP-TRANSPORT-001", M, "Each stdout line holds exactly one valid JSON-RPC message", seen="message"),
    _row("ACP-TRANSPORT-002", M, "stdout bytes decode as UTF-8", seen="message"),
    _row(
        "ACP-JSONRPC-001",
        M,
        "Reply id equals request id, same type and value, integer or string",
        seen="reply",
    ),
    _row(
        "ACP-JSONRPC-002",
        M,
        "Reply has result xor error; error has integer code and string message",
        seen="reply",
    ),
    _row(
        "ACP-JSONRPC-003",
        M,
        "A notification gets no reply of any kind; the kit waits some time to make sure",
        seen="notified",
    ),
    _row("ACP-JSONRPC-004", A, "Unrecognised method answered with code -32601"),
    _row("ACP-JSONRPC-005", A, "Later requests still work after a request that produced an error"),
    _row(
        "ACP-INIT-001",
        M,
        "Initialize gives schema-valid result with integer protocolVersion",
        seen="reply initialize",
        of="initialize",
    ),
    _row("ACP-INIT-002", M, "Version 1 requested means version 1 returned"),
    _row(
        "ACP-INIT-003",
        M,
        "An initialize with version 65535 returns another version, not lower than the one "
        "returned for version 1",
    ),
    _row("ACP-INIT-004", A, "Initialize result has agentInfo with name and version"),
    _row(
        "ACP-SCHEMA-001",
        M,
        "All agent messages in a basic exchange are valid under the v1 schema",
        seen="reply",
    ),
    _row(
        "ACP-SESSION-001",
        M,
        "session/new (absolute cwd, empty mcpServers) returns schema-valid result, non-empty sessionId",
        seen="result session/new",
        of="session/new",
    ),
    _row(
        "ACP-SESSION-002",
        M,
        "sessionIds differ between two session/new on one connection",
        seen="second session/new",
        of="session/new",
    ),
    _row(
        "ACP-PROMPT-001",
        M,
        "Text prompt ends with a result whose stopReason is a known value",
        seen="result session/prompt",
    ),
    _row(
        "ACP-PROMPT-002",
        M,
        "Each session/update during a turn, if any, is schema-valid and names the prompted session",
        seen="update",
        of="session/update",
    ),
    _row("ACP-PROMPT-003", A, "Prompt with text plus resource_link is accepted"),
    _row(
        "ACP-CANCEL-001",
        M,
        "Cancelled in-flight prompt returns a result with stopReason `cancelled`, never an error",
        seen="cancel",
    ),
    _row(
        "ACP-CANCEL-002",
        M,
        "No session/update for a cancelled session after its prompt response",
        seen="cancel",
    ),
    _row(
        "ACP-LOAD-001",
        C,
        "session/load returns a schema-valid result object",
        seen="result session/load",
        of="session/load",
        capability="loadSession",
    ),
    _row(
        "ACP-LOAD-002",
        C,
        "Replay updates all precede the session/load response",
        seen="result session/load",
        of="session/load session/update",
        capability="loadSession",
    ),
    _row("ACP-LOAD-003", A, "Empty session/load result is an object, not null", capability="loadSession"),
    _row(
        "ACP-RESUME-001",
        C,
        "session/resume without mcpServers returns a schema-valid result",
        seen="result session/resume",
        of="session/resume",
        capability="sessionCapabilities.resume",
    ),
    _row(
        "ACP-RESUME-002",
        C,
        "No history message chunks for the session before the session/resume response",
        seen="result session/resume",
        capability="sessionCapabilities.resume",
    ),
    _row(
        "ACP-LIST-001",
        C,
        "session/list with empty params returns schema-valid result with sessions array",
        seen="result session/list",
        of="session/list",
        capability="sessionCapabilities.list",
    ),
    _row(
        "ACP-LIST-002",
        C,
        "session/list filtered on a cwd without sessions gives an empty array",
        capability="sessionCapabilities.list",
    ),
    _row(
        "ACP-DELETE-001",
        C,
        "session/delete of a session made on this connection returns an empty object",
        of="session/delete",
        capability="sessionCapabilities.delete",
    ),
    _row(
        "ACP-DELETE-002",
        A,
        "Deleting a missing or already deleted session succeeds quietly",
        capability="sessionCapabilities.delete",
    ),
    _row(
        "ACP-CLOSE-001",
        C,
        "session/close of an idle session returns an empty object",
        seen="result session/close",
        of="session/close",
        capability="sessionCapabilities.close",
    ),
    _row(
        "ACP-CLOSE-002",
        C,
        "session/close during a prompt ends that prompt with stopReason `cancelled`",
        of="session/close",
        capability="sessionCapabilities.close",
    ),
    _row(
        "ACP-ADDDIRS-001",
        C,
        "session/new with an absolute additionalDirectories entry is accepted",
        capability="sessionCapabilities.additionalDirectories",
    ),
    _row(
        "ACP-MODES-001",
        C,
        "Modes from session/new are schema-valid; currentModeId is among availableModes",
        seen="offered modes",
        of="session/new",
        capability="offers modes",
    ),
    _row(
        "ACP-MODES-002",
        C,
        "session/set_mode to another mode succeeds; any current_mode_update uses field currentModeId",
        seen="result session/set_mode",
        of="session/set_mode session/update",
        capability="offers modes",
    ),
    _row(
        "ACP-CONFIG-001",
        C,
        "Each session/new config option has a currentValue fitting its type and choices",
        seen="offered configOptions",
        of="session/new",
        capability="offers configOptions",
    ),
    _row(
        "ACP-CONFIG-002",
        C,
        "session/set_config_option result lists all known options with the new value applied",
        seen="result session/set_config_option",
        of="session/set_config_option",
        capability="offers configOptions",
    ),
    _row(
        "ACP-CONFIG-003",
        M,
        "No boolean config option in session/new unless the client advertised support",
        seen="result session/new",
        of="session/new",
    ),
    _row(
        "ACP-PROMPTCAP-001",
        C,
        "Image advertised: prompt with image block ends with a known stopReason",
        capability="promptCapabilities.image",
    ),
    _row(
        "ACP-PROMPTCAP-002",
        C,
        "Audio advertised: prompt with audio block ends with a known stopReason",
        capability="promptCapabilities.audio",
    ),
    _row(
        "ACP-PROMPTCAP-003",
        C,
        "embeddedContext advertised: prompt with resource block ends with a known stopReason",
        capability="promptCapabilities.embeddedContext",
    ),
    _row("ACP-AUTH-001", A, "authMethods ids do not repeat", capability="offers authMethods"),
    _row(
        "ACP-AUTH-002",
        M,
        "No auth method of type `terminal` unless the client advertised auth.terminal",
        seen="result initialize",
        of="initialize",
    ),
    _row(
        "ACP-AUTH-003",
        C,
        "After a successful authenticate (object result), session/new does not give -32000",
        seen="result authenticate",
        capability="offers authMethods",
    ),
    _row(
        "ACP-AUTH-004",
        C,
        "Logout, when advertised, returns an object result",
        seen="result logout",
        of="logout",
        capability="auth.logout",
    ),
    _row("ACP-AUTH-005", A, "session/new does not give -32000 when no authMethods are offered"),
    _row(
        "ACP-CLIENTCAP-001",
        M,
        "No fs read or write request in a turn when the client did not advertise `fs`",
        seen="result session/prompt",
        of="fs/read_text_file fs/write_text_file",
    ),
    _row(
        "ACP-CLIENTCAP-002",
        M,
        "No terminal/* request in a turn when the client did not advertise `terminal`",
        seen="result session/prompt",
        of="terminal/create terminal/output terminal/wait_for_exit terminal/kill terminal/release",
    ),
    _row(
        "ACP-CLIENTCAP-003",
        M,
        "No elicitation/create in a turn when the client advertised no elicitation mode",
        seen="result session/prompt",
        of="elicitation/create",
    ),
    _row("ACP-EXT-001", M, "Underscore-prefixed custom request gets a reply: a result or any error"),
    _row("ACP-META-001", A, "Prompt carrying _meta is accepted and ends with a known stopReason"),
    _row("ACP-ERROR-001", A, "Error message is non-empty and has no newline"),
    _row("ACP-SHUTDOWN-001", A, "Process exits by itself soon after stdin closes"),
    _row(
        "ACP-SCHEMA-002", A, "No unknown root keys in agent params or results, _meta excepted", seen="reply"
    ),
    _row("ACP-STDERR-001", I, "Amount of stderr output is noted, not judged"),
    _row(
        "ACP-INFO-PARSE-001",
        I,
        "Reaction to a non-JSON input line is noted, and whether the agent still works after it",
    ),
    _row("ACP-INFO-INVALIDREQ-001", I, "Reaction to valid JSON that is not a JSON-RPC envelope is noted"),
    _row("ACP-INFO-UNKNOWNSESSION-001", I, "Reaction to a prompt for a never-created sessionId is noted"),
)
