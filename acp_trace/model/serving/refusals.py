"""The answer to a request that no recorded call matches: an error in its provider's form.

Agents retry after 429, 408, 409 and 5xx; some for minutes. So the status is 400, which no agent retries.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from acp_trace.model.calls import ModelCall
from acp_trace.model.change_words import difference
from acp_trace.model.prompt_diff import PromptDiff
from acp_trace.trace import jsontext

STATUS = 400


class ModelRefusal(NamedTuple):
    """A response."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def _openai(message: str) -> dict[str, Any]:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": "not_recorded"}
    return {"error": error}


def _anthropic(message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}


def _google(message: str) -> dict[str, Any]:
    return {"error": {"code": STATUS, "message": message, "status": "INVALID_ARGUMENT"}}


def _bedrock(message: str) -> dict[str, Any]:
    return {"message": message}


def _ollama(message: str) -> dict[str, Any]:
    return {"error": message}


#: By the name of the form; all other forms use OpenAI's.
_BODIES = {"anthropic": _anthropic, "gemini": _google, "bedrock-converse": _bedrock, "ollama-chat": _ollama}
_HEADERS = {"bedrock-converse": (("x-amzn-errortype", "ValidationException"),)}


def refusal(form: str | None, message: str) -> ModelRefusal:
    """Return the response to a request. `form`: the name of its `Form`, None if it is unknown."""
    body = jsontext.text(_BODIES.get(form or "", _openai)(message))
    return ModelRefusal(STATUS, (("content-type", "application/json"), *_HEADERS.get(form or "", ())), body)


def socket_refusal(message: str) -> bytes:
    """Return the same as a message of an OpenAI WebSocket."""
    return jsontext.text({"type": "error", "status": STATUS, **_openai(message)})


def miss_message(nearest: ModelCall | None, diff: PromptDiff | None) -> str:
    """Return the message that the agent gets, and usually shows: no such request, and the nearest one.

    `diff`: how the request differs from the nearest.
    """
    said = "acp-trace: the recording has no such request"
    if nearest is None:
        return f"{said}, and none like it."
    differs = "" if diff is None else f"; it differs in: {difference(diff)}"
    return f"{said}. The nearest one is call {nearest.call}{differs or '.'}"
