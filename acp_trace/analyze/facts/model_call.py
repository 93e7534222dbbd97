"""The calls of an agent to its language model."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call of a language model. There are some only in traces recorded with `--model`."""

    call: int = is_("its number, from 1, in the order in which they began")
    exchange: int = is_("the number of its exchange in the trace; a WebSocket has many calls")
    provider: str = is_("who answers: openai, anthropic, google …, or the host if it is none that is known")
    model: str | None = is_("the model that answered, as the provider says; else the one that was asked for")
    session_id: str | None = is_("the session that it belongs to; NULL if nobody can say")
    turn: int | None = is_("index of the turn; NULL outside a turn")
    joined_by: str | None = is_(
        "how the session was found: header NAME, field NAME (of the request), body, words (of a prompt), "
        "time (a turn was open), directory or only session"
    )
    started_ns: int = is_("when the request began, since the trace began")
    first_byte_ns: int | None = is_("from then to the first byte of the answer")
    first_token_ns: int | None = is_("from then to the first words, thoughts or tool call")
    duration_ns: int | None = is_("from then until the answer ended, or was broken off; NULL while open")
    status: int | None = is_("the status of HTTP; NULL if there was no response")
    stop_reason: str | None = is_("why the model stopped, in the provider's word")
    input_tokens: int | None = is_("tokens of the prompt, as the provider counted them")
    output_tokens: int | None = is_("tokens of the answer, as the provider counted them")
    cached_tokens: int | None = is_("tokens of the prompt that were read from a cache")
    reasoning_tokens: int | None = is_("tokens of thoughts")
    input_tokens_total: int | None = is_(
        "all tokens of the prompt: some providers count cached ones in input_tokens, some beside them"
    )
    output_tokens_total: int | None = is_("all tokens of the answer, those of thoughts among them")
    tools: str = is_("the names of the tools that the model asked for, in order, as a JSON array")
    aborted: bool = is_("whether the agent broke it off before the answer had ended")
    beside: bool = is_("whether nobody waited for it: a title, made while the conversation went on")
    retry_of: int | None = is_("the number of the failed call that asked the same")
    error: str | None = is_("what the provider said instead of an answer, or how the call failed")
    cancel_frame: int | None = is_("the cancel of its turn that came while it was open; NULL if none did")
    cancel_to_end_ns: int | None = is_("from that cancel until the call ended, or was broken off")
    output_after_cancel: int | None = is_("characters of output that came after that cancel")
    tokens_after_cancel: int | None = is_(
        "tokens of the answer that came after that cancel: their share of its characters; NULL if the "
        "provider did not count them, as for an answer that was broken off"
    )
