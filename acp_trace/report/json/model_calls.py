"""`model --json`: calls of a model for programs, under the names of a report and of the store."""

from __future__ import annotations

from typing import Any

import msgspec

from acp_trace.model.calls import ModelCall, model_name


def row(call: ModelCall) -> dict[str, Any]:
    """One call. Times are ns: its start since the trace began, others since its start; null if unknown."""
    answer = call.answer
    tokens = answer.tokens
    return {
        "call": call.call,
        "exchange": call.exchange,
        "provider": call.recognised.provider,
        "form": call.recognised.form.name,
        "model": model_name(call),
        "started_ns": call.started_ns,
        "first_byte_ns": _since(call, answer.first_byte_ns),
        "first_token_ns": _since(call, answer.first_token_ns),
        "duration_ns": _since(call, call.ended_ns),
        "status": call.status,
        "stop_reason": answer.stop_reason,
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "cached_tokens": tokens.cached,
        "reasoning_tokens": tokens.reasoning,
        "tools": [tool.name for tool in answer.tool_calls],
        "aborted": call.is_aborted,
        "retry_of": call.retry_of,
        "error": answer.error.message if answer.error else None,
    }


def document(call: ModelCall) -> dict[str, Any]:
    """`model --call N --json`: the call, all that it told the model, and what came back."""
    return {
        "call": row(call),
        "continues": call.earlier.call if call.earlier else None,
        "prompt": msgspec.to_builtins(call.prompt()),
        "answer": msgspec.to_builtins(call.answer),
    }


def _since(call: ModelCall, moment_ns: int | None) -> int | None:
    return None if moment_ns is None else moment_ns - call.started_ns
