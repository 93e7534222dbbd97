"""The calls of an agent to its language model."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call of a language model, from `record --model` or an imported log of the model's traffic."""

    call: int = is_("its number, from 1, in the order in which calls began")
    exchange: int = is_(
        "the number of the HTTP exchange that carried it; a WebSocket is one exchange with many calls"
    )
    provider: str = is_("who answers: openai, anthropic, google …, or the host if the provider is unknown")
    model: str | None = is_("the model that answered, as the provider names it, or else the requested model")
    session_id: str | None = is_("the session that it belongs to; NULL if it is unknown")
    turn: int | None = is_("index of the turn; NULL outside a turn")
    joined_by: str | None = is_(
        "how the session was found: header NAME or field NAME (which has the session's id), body (the id is "
        "elsewhere in the request), words (the request has a prompt of the session), time (no other session "
        'had an open turn), directory (the request has the session\'s directory), or "only session" (the '
        "trace had no other)"
    )
    started_ns: int = is_("when the request began, in ns from the start of the trace")
    first_byte_ns: int | None = is_("from the request to the first byte of the answer")
    first_token_ns: int | None = is_("from the request to the first words, thoughts or tool call")
    duration_ns: int | None = is_(
        "from the request until the answer ended or was broken off; NULL while open"
    )
    status: int | None = is_("the HTTP status; NULL if there was no response")
    stop_reason: str | None = is_("why the model stopped, in the provider's words")
    input_tokens: int | None = is_("tokens of the prompt, as the provider counted them")
    output_tokens: int | None = is_("tokens of the answer, as the provider counted them")
    cached_tokens: int | None = is_("tokens of the prompt that were read from a cache")
    reasoning_tokens: int | None = is_("tokens of thoughts")
    input_tokens_total: int | None = is_(
        "all tokens of the prompt: only some providers include cached ones in input_tokens"
    )
    output_tokens_total: int | None = is_("all tokens of the answer, including those of thoughts")
    tools: str = is_("the names of the tools that the model asked for, in order, as a JSON array")
    aborted: bool = is_("whether the agent broke it off before the answer had ended")
    beside: bool = is_(
        "whether it ran beside other calls and did not delay the turn: a call for a title, for example"
    )
    retry_of: int | None = is_("the number of the failed call that it retries")
    error: str | None = is_("the provider's error, or how the call failed")
    cancel_frame: int | None = is_(
        "the cancel of its turn, if it came while the call was open; otherwise NULL"
    )
    cancel_to_end_ns: int | None = is_("from the cancel until the call ended or was broken off")
    output_after_cancel: int | None = is_("characters of output that came after the cancel")
    tokens_after_cancel: int | None = is_(
        "tokens of the answer that came after the cancel, estimated from its characters; NULL if the "
        "provider did not count tokens, or if the answer was broken off"
    )

    @property
    def outlived_cancel(self) -> bool:
        """Whether it ran to its end after the cancel of its turn, by the agent's choice.

        Not a call that the agent does not wait for, or that failed: the agent did not prolong those.
        """
        is_over = self.cancel_frame is not None and self.cancel_to_end_ns is not None
        return is_over and not (self.aborted or self.beside) and self.error is None
