"""The turns of a session."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """From a session/prompt to its response or, in draft 2 of the protocol, to the next idle state."""

    session_id: str = is_("the session")
    turn: int = is_("index in the session, from 0")
    frame: int = is_("the session/prompt")
    settled_frame: int | None = is_("the frame that settled it; NULL while open")
    t_ns: int | None = is_("time of the prompt")
    duration_ns: int | None = is_("from the prompt until it settled")
    stop_reason: str | None = is_("why the agent stopped")
    error_code: int | None = is_("the error's code, if the prompt was answered with an error")
    first_update_ns: int | None = is_("from the prompt to the next session/update of the session")
    first_output_ns: int | None = is_(
        "from the prompt to the first message chunk, thought chunk or tool call"
    )
    prompt: str | None = is_("the beginning of the prompt's text, at most 80 characters")
    before_output_ns: int | None = is_("the part of the turn until its first output; NULL while open")
    tools_ns: int | None = is_("how long tool calls ran; NULL while open")
    permissions_ns: int | None = is_("how long the turn waited for a permission; NULL while open")
    requests_ns: int | None = is_(
        "how long the turn waited for other requests to the client; NULL while open"
    )
    writing_ns: int | None = is_("how long the agent wrote messages and thoughts; NULL while open")
    rest_ns: int | None = is_(
        "the part of the turn that is not in before_output_ns, tools_ns, permissions_ns, requests_ns or "
        "writing_ns; NULL while open"
    )
    chunks: int = is_("number of its message and thought chunks")
    prompt_cut: bool = is_("whether the prompt's text is longer than what is kept of it")
    model_ns: int | None = is_(
        "how long the turn waited for the model; NULL while open, or if the trace has no model call"
    )
    tool_ns: int | None = is_("how long tools ran while no model was at work; NULL if model_ns is NULL")
    client_ns: int | None = is_("how long the turn waited for the client; NULL if model_ns is NULL")
    own_ns: int | None = is_("how long the agent itself worked; NULL if model_ns is NULL")
    model_calls: int | None = is_("number of model calls that began in it; NULL if the trace has none")
    silence_ns: int | None = is_(
        "the longest time in the turn in which neither side sent anything about the session"
    )
    silence_frame: int | None = is_("the frame after which the longest silence began")
    unknown_ns: int | None = is_(
        "the time in which tools may have run: the agent announced their calls only after they had ended, so "
        "it is unknown when they began. NULL if model_ns is NULL"
    )
    input_tokens: int | None = is_("tokens read, as the agent reported when the turn ended", None)
    cached_tokens: int | None = is_("the part of input_tokens that came from a cache", None)
    output_tokens: int | None = is_("tokens written, as the agent reported when the turn ended", None)
    cost: str | None = is_(
        "its cost as a JSON object of amounts by currency: what usage_update reports, minus what the session "
        "had cost before; NULL if unknown",
        None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsettledTurn:
    """A turn that had not settled when the trace ended, and where its time went."""

    session_id: str = is_("the session")
    turn: int = is_("index in the session, from 0")
    frame: int = is_("the session/prompt")
    open_ns: int | None = is_("from the prompt until the trace ended")
    before_output_ns: int | None = is_("the part of open_ns until the first output")
    tools_ns: int | None = is_("how long tool calls ran")
    permissions_ns: int | None = is_("how long the turn waited for a permission")
    requests_ns: int | None = is_("how long the turn waited for other requests to the client")
    writing_ns: int | None = is_("how long the agent wrote messages and thoughts")
    rest_ns: int | None = is_(
        "the part of open_ns that is not in before_output_ns, tools_ns, permissions_ns, requests_ns or "
        "writing_ns"
    )
