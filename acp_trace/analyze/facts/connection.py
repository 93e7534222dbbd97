"""The connection as a whole, and its requests with their responses."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True)
class Trace:
    """One recorded connection between one client process and one agent process."""

    id: str = is_("trace id, from the header")
    started_at: str | None = is_("when the recording began, RFC 3339 in UTC")
    duration_ns: int = is_("time of the last entry")
    protocol_version: int | None = is_("what the agent answered to initialize")
    complete: bool = is_("whether the recorder wrote the footer")
    lost_frames: int = is_("frames that were forwarded and could not be written")
    lost_bytes: int = is_("their bytes, without newlines")
    damaged: int = is_("lines of the file that are no entries")
    torn_bytes: int = is_("length of a last line that was never finished")
    agent_name: str | None = is_("agentInfo.name (draft 2: info.name)")
    agent_title: str | None = is_("agentInfo.title")
    agent_version: str | None = is_("agentInfo.version")
    agent_argv: str = is_("the agent's command, a JSON array of strings")
    agent_cwd: str = is_("the folder it was started in")
    client_name: str | None = is_("clientInfo.name (draft 2: info.name)")
    client_title: str | None = is_("clientInfo.title")
    client_version: str | None = is_("clientInfo.version")
    frames_client: int = is_("frames that the client sent")
    frames_agent: int = is_("frames that the agent sent")
    bytes_client: int = is_("bytes of the client's frames, without newlines")
    bytes_agent: int = is_("bytes of the agent's frames, without newlines")
    odd_client: int = is_("frames of the client that are no JSON-RPC message")
    odd_agent: int = is_("frames of the agent that are no JSON-RPC message")
    logs: int = is_("lines that the agent wrote to stderr")
    last_log: str | None = is_("how the last of them begins, at most 200 characters")
    exit_code: int | None = is_("the agent's exit code; NULL when a signal ended it")
    signal: int | None = is_("the signal that ended the agent")
    meta_merge: str = is_("the rule by which _meta was merged: rfd, shallow or replace")
    error: str | None = is_("why the agent could not be started")
    labels: str = is_("labels given to the recorder, a JSON object of strings")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response."""

    frame: int = is_("the request")
    t_ns: int = is_("time of the request")
    response_frame: int | None = is_("the response; NULL while open")
    sender: str = is_("who asked: client or agent")
    method: str = is_("the method")
    id: str = is_('the id\'s JSON text, so that 1 and "1" differ')
    session_id: str | None = is_("the session that the request, else its result, names")
    latency_ns: int | None = is_("from request to response")
    outcome: str = is_("result, error or open")
    error_code: int | None = is_("the error's code")
    error_message: str | None = is_("how the error's message begins, at most 200 characters")
