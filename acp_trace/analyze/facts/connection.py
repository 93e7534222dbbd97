"""The connection as a whole, and its requests with their responses."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One recorded connection between one client process and one agent process."""

    id: str = is_("trace id, from the header")
    started_at: str | None = is_("when recording began, RFC 3339 in UTC; NULL if the trace does not say it")
    duration_ns: int | None = is_("from the start of the trace to the last line of its file")
    protocol_version: int | None = is_("what the agent answered to initialize")
    complete: bool = is_("whether the recorder wrote the footer")
    lost_frames: int = is_("number of frames that were forwarded but could not be written")
    lost_bytes: int = is_("bytes of the lost frames, without newlines")
    damaged: int = is_("number of lines of the file that are not valid entries")
    torn_bytes: int = is_("length of an unfinished last line")
    agent_name: str | None = is_("agentInfo.name (draft 2 of the protocol: info.name)")
    agent_title: str | None = is_("agentInfo.title")
    agent_version: str | None = is_("agentInfo.version")
    agent_argv: str = is_("the agent's command, as a JSON array of strings")
    agent_cwd: str = is_("the directory in which the agent was started")
    client_name: str | None = is_("clientInfo.name (draft 2 of the protocol: info.name)")
    client_title: str | None = is_("clientInfo.title")
    client_version: str | None = is_("clientInfo.version")
    frames_client: int = is_("number of frames that the client sent")
    frames_agent: int = is_("number of frames that the agent sent")
    bytes_client: int = is_("bytes of the client's frames, without newlines")
    bytes_agent: int = is_("bytes of the agent's frames, without newlines")
    odd_client: int = is_("number of client frames that are not JSON-RPC messages")
    odd_agent: int = is_("number of agent frames that are not JSON-RPC messages")
    logs: int = is_("number of lines that the agent wrote to stderr")
    last_log: str | None = is_("the beginning of the last of these lines, at most 200 characters")
    exit_code: int | None = is_("the agent's exit code; NULL if a signal ended it")
    signal: int | None = is_("the signal that ended the agent")
    meta_merge: str = is_(
        "the rule by which each _meta object was merged into the session's earlier _meta: rfd, shallow or "
        "replace, see docs/report.md"
    )
    error: str | None = is_("why the agent could not be started or reached")
    labels: str = is_("labels given to the recorder, as a JSON object of strings")
    faults: str | None = is_(
        "the faults that acp-trace made on purpose in a run, as a JSON array of strings; NULL if none",
        None,
    )
    origin: str = is_(
        "recorded, imported (read from another tool's log), or the command that made a run: replay or mock"
    )
    replay_of: str | None = is_("for a run, the trace id of its recording")
    aborted: str | None = is_(
        "why acp-trace ended a run: timeout, flood, stopped, or stayed (the agent did not end by itself)"
    )
    imported_from: str | None = is_("for an imported trace, the format of the log: zed, jetbrains …")
    has_times: bool = is_("whether its entries have times; if not, all that is measured in ns is NULL")
    senders_inferred: bool = is_("whether the senders of frames were inferred from methods and ids")
    unused: int = is_("for an imported trace, the number of items of the log that are not in the trace")
    transport: str | None = is_("stdio, http or websocket; NULL if the trace does not say it")
    client_left: bool = is_("whether the client left first: it closed its side, or asked the recorder to end")
    model_requests: int | None = is_(
        "number of the agent's requests that the proxy to its model saw; NULL if there was no proxy"
    )
    model_refused: int | None = is_(
        "number of connections on which the agent did not accept the proxy's certificate"
    )
    last_frame_ns: int | None = is_("time of the last frame; NULL if there are no frames", None)
    silence_from_ns: int | None = is_(
        "when the longest silence between two successive frames began; NULL if there are fewer than two "
        "frames",
        None,
    )
    silence_ns: int | None = is_("how long that silence lasted", None)
    silence_frame: int | None = is_("the frame that ended that silence", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request and its response."""

    frame: int = is_("the request")
    t_ns: int | None = is_("time of the request")
    response_frame: int | None = is_("the response; NULL while open")
    sender: str = is_("the side that sent the request: client or agent")
    method: str = is_("the method")
    id: str = is_('the id\'s JSON text, so that 1 and "1" differ')
    session_id: str | None = is_("the session that the request names, or else the one that its result names")
    latency_ns: int | None = is_("from request to response")
    outcome: str = is_("result, error or open")
    error_code: int | None = is_("the error's code")
    error_message: str | None = is_("the beginning of the error's message, at most 200 characters")
    error_data: str | None = is_("the text in the error's data, at most 200 characters", None)
    request_bytes: int = is_("size of the request", 0)
