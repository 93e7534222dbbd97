"""The turns of a session."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One session/prompt until it settles: its response, or in draft 2 the next idle state."""

    session_id: str = is_("the session")
    turn: int = is_("index in the session, from 0")
    frame: int = is_("the session/prompt")
    settled_frame: int | None = is_("the frame that settled it; NULL while open")
    t_ns: int | None = is_("time of the prompt")
    duration_ns: int | None = is_("from the prompt until it settled")
    stop_reason: str | None = is_("why the agent stopped")
    error_code: int | None = is_("the error's code, if the prompt was answered with an error")
    first_update_ns: int | None = is_("from the prompt to the session's first session/update")
    first_output_ns: int | None = is_(
        "from the prompt to the first message chunk, thought chunk or tool call"
    )
    prompt: str | None = is_("the beginning of the prompt's text, at most 80 characters")
    before_output_ns: int | None = is_("of its duration, until its first output; NULL while open")
    tools_ns: int | None = is_("of its duration, while tool calls ran; NULL while open")
    permissions_ns: int | None = is_("of its duration, while it waited for a permission; NULL while open")
    requests_ns: int | None = is_(
        "of its duration, while it waited for other requests to the client; NULL while open"
    )
    writing_ns: int | None = is_("of its duration, while messages and thoughts came; NULL while open")
    rest_ns: int | None = is_("of its duration, all the rest; NULL while open")
    chunks: int = is_("message and thought chunks that came in it")
    prompt_cut: bool = is_("whether the prompt's text is longer than what is kept of it")
    model_ns: int | None = is_(
        "of its duration, while it waited for the model; NULL while open, and if the trace has no model call"
    )
    tool_ns: int | None = is_("of its duration, while tools ran and no model was at work; NULL as model_ns")
    client_ns: int | None = is_("of its duration, while it waited for the client; NULL as model_ns")
    own_ns: int | None = is_("of its duration, all the rest, which is the agent's own; NULL as model_ns")
    model_calls: int | None = is_("calls of a model that began in it; NULL if the trace has none")
    silence_ns: int | None = is_("the longest time in it in which neither side said anything of its session")
    silence_frame: int | None = is_("the frame after which that began")
    unknown_ns: int | None = is_(
        "of its duration, while a tool may have run that nothing announced before it ended; NULL as model_ns"
    )
    input_tokens: int | None = is_("tokens that were read, as the agent says at its end", None)
    cached_tokens: int | None = is_("of these, those that came from a cache", None)
    output_tokens: int | None = is_("tokens that were written, as the agent says at its end", None)
    cost: str | None = is_(
        "its cost as a JSON object of amounts by currency: what usage_update says, less what the session had "
        "cost before; NULL if that is not known",
        None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsettledTurn:
    """A turn that had not settled when the trace ended: how long it was open, and where that time went."""

    session_id: str = is_("the session")
    turn: int = is_("index in the session, from 0")
    frame: int = is_("the session/prompt")
    open_ns: int | None = is_("from the prompt until the trace ended")
    before_output_ns: int | None = is_("of that, until its first output")
    tools_ns: int | None = is_("of that, while tool calls ran")
    permissions_ns: int | None = is_("of that, while it waited for a permission")
    requests_ns: int | None = is_("of that, while it waited for other requests to the client")
    writing_ns: int | None = is_("of that, while messages and thoughts came")
    rest_ns: int | None = is_("of that, all the rest")
