"""One text continues another: OpenAI's completions, older than chats, and Ollama's `/api/generate`."""

from __future__ import annotations

from typing import Any

from acp_trace.model import fields
from acp_trace.model.draft import Draft
from acp_trace.model.forms import ollama, openai_chat
from acp_trace.model.forms.form import Form, chosen, rest
from acp_trace.model.shapes import Prompt, PromptMessage, Text
from acp_trace.trace import jsontext

_LABELS = ("user", "context")
_KNOWN = ("model", "prompt", "system", "options")


def read_prompt(body: dict[str, Any]) -> Prompt:
    """Read a request. The text, or each of several texts, counts as a user's message."""
    texts = (fields.text(each.get("text")) for each in fields.items(body.get("prompt")))
    return Prompt(
        model=fields.word(body.get("model")),
        system=fields.text(body.get("system")),
        parameters={**fields.mapping(body.get("options")), **rest(body, _KNOWN, _LABELS)},
        messages=tuple(PromptMessage("user", (Text(text),)) for text in texts),
        labels=chosen(body, _LABELS),
    )


def read_event(draft: Draft, name: str | None, data: dict[str, Any]) -> None:
    """Read a chunk, or a whole completion. Of several choices, the first counts."""
    if "choices" not in data:
        draft.text("text", data.get("response"))
        ollama.read_event(draft, name, data)
        return
    openai_chat.read_event(draft, name, data)
    for choice in jsontext.objects(data.get("choices")):
        if fields.index(choice.get("index")) == 0:
            draft.text("text", choice.get("text"))


FORM = Form(name="completions", prompt=read_prompt, event=read_event)
