"""Ollama's own chat (`/api/chat`): one JSON text per line. Its `/v1` speaks OpenAI's forms."""

from __future__ import annotations

from typing import Any

from acp_trace.model import fields
from acp_trace.model.draft import Draft
from acp_trace.model.forms import openai_chat
from acp_trace.model.forms.form import Form, rest
from acp_trace.model.shapes import Prompt
from acp_trace.trace import jsontext


def read_prompt(body: dict[str, Any]) -> Prompt:
    """Read a request as OpenAI's, but parameters are under `options`, and images beside the content."""
    messages = [_message(each) for each in jsontext.objects(body.get("messages"))]
    options = fields.mapping(body.get("options"))
    return openai_chat.read_prompt({**rest(body, ("options",)), **options, "messages": messages})


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message as OpenAI writes it: with images in the content."""
    images = message.get("images")
    if not isinstance(images, list):
        return message
    urls = ({"type": "image_url", "image_url": {"url": f"data:image;base64,{image}"}} for image in images)
    return {**message, "content": [*fields.items(message.get("content")), *urls]}


def read_event(draft: Draft, _name: str | None, data: dict[str, Any]) -> None:
    """Read a line. Tool calls come whole, each as a separate item."""
    draft.model = draft.model or fields.word(data.get("model"))
    message = fields.mapping(data.get("message"))
    draft.think("thinking", message.get("thinking"))
    draft.text("text", message.get("content"))
    for call in jsontext.objects(message.get("tool_calls")):
        what = fields.mapping(call.get("function"))
        place = draft.latest["calls"] = fields.index(draft.latest.get("calls")) + 1
        draft.call(place, call.get("id"), what.get("name"), what.get("arguments"))
    draft.count(input=data.get("prompt_eval_count"), output=data.get("eval_count"))
    if data.get("done") is True:
        draft.stop(data.get("done_reason"))
        draft.is_complete = True


FORM = Form(name="ollama-chat", prompt=read_prompt, event=read_event)
