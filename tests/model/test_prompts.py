"""Requests of all wire forms: what they tell the model, in one shape."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.model.forms import (
    anthropic,
    bedrock,
    completions,
    gemini,
    ollama,
    openai_chat,
    openai_responses,
)
from acp_trace.model.forms.form import Form
from acp_trace.model.reading import read_prompt
from acp_trace.model.recognition import Recognised
from acp_trace.model.shapes import (
    Media,
    Other,
    Prompt,
    PromptMessage,
    Text,
    Thinking,
    Tool,
    ToolResult,
    ToolUse,
)
from acp_trace.trace import jsontext

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
CALL = ToolUse("c-1", "read", {"path": "a.txt"})
#: What all of them tell, each in its way.
SYSTEM = "Be brief.\n\nBe kind."
TOOLS = (Tool("read", "Reads a file.", SCHEMA),)
MESSAGES = (
    PromptMessage("user", (Text("Read it."), Media("image", "image/png, 6 bytes"))),
    PromptMessage("assistant", (Thinking("Hm."), Text("I read."), CALL)),
    PromptMessage("tool", (ToolResult("c-1", "Eggs"),)),
    PromptMessage("user", (Text("And?"),)),
)
PICTURE = "AAAAAAAA"

CHAT = {
    "model": "m-1",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Read it."},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}},
            ],
        },
        {
            "role": "assistant",
            "content": "I read.",
            "reasoning_content": "Hm.",
            "tool_calls": [
                {
                    "id": "c-1",
                    "type": "function",
                    "function": {"name": "read", "arguments": '{"path": "a.txt"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c-1", "content": "Eggs"},
        {"role": "user", "content": "And?"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {"name": "read", "description": "Reads a file.", "parameters": SCHEMA},
        }
    ],
    "temperature": 0,
    "max_completion_tokens": 100,
    "reasoning_effort": "low",
    "stop": None,
    "prompt_cache_key": "s-1",
}
RESPONSES = {
    "model": "m-1",
    "instructions": "Be brief.",
    "input": [
        {"role": "developer", "content": [{"type": "input_text", "text": "Be kind."}]},
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Read it."},
                {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"},
            ],
        },
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "x"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I read."}]},
        {"type": "function_call", "call_id": "c-1", "name": "read", "arguments": '{"path":"a.txt"}'},
        {"type": "function_call_output", "call_id": "c-1", "output": "Eggs"},
        {"role": "user", "content": "And?"},
    ],
    "tools": [
        {
            "type": "function",
            "name": "read",
            "description": "Reads a file.",
            "parameters": SCHEMA,
        }
    ],
    "reasoning": {"effort": "low"},
    "max_output_tokens": 100,
    "stream": True,
    "client_metadata": {"session_id": "s-1"},
    "prompt_cache_key": "s-1",
}
ANTHROPIC = {
    "model": "m-1",
    "max_tokens": 100,
    "system": [
        {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "Be kind."},
    ],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Read it."},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "x"},
                {"type": "text", "text": "I read."},
                {"type": "tool_use", "id": "c-1", "name": "read", "input": {"path": "a.txt"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c-1", "content": [{"type": "text", "text": "Eggs"}]},
                {"type": "text", "text": "And?"},
            ],
        },
    ],
    "tools": [{"name": "read", "description": "Reads a file.", "input_schema": SCHEMA}],
    "thinking": {"type": "enabled", "budget_tokens": 50},
    "metadata": {"user_id": "u"},
}
GEMINI = {
    "systemInstruction": {"role": "user", "parts": [{"text": "Be brief."}, {"text": "Be kind."}]},
    "contents": [
        {
            "role": "user",
            "parts": [{"text": "Read it."}, {"inlineData": {"mimeType": "image/png", "data": PICTURE}}],
        },
        {
            "role": "model",
            "parts": [
                {"text": "Hm.", "thought": True},
                {"text": "I read."},
                {"functionCall": {"id": "c-1", "name": "read", "args": {"path": "a.txt"}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "c-1", "name": "read", "response": {"output": "Eggs"}}},
                {"text": "And?"},
            ],
        },
    ],
    "tools": [
        {
            "functionDeclarations": [
                {"name": "read", "description": "Reads a file.", "parametersJsonSchema": SCHEMA}
            ]
        }
    ],
    "generationConfig": {"temperature": 0, "thinkingConfig": {"thinkingBudget": 50}},
    "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
}
CONVERSE = {
    "system": [{"text": "Be brief."}, {"text": "Be kind."}, {"cachePoint": {"type": "default"}}],
    "messages": [
        {
            "role": "user",
            "content": [
                {"text": "Read it."},
                {"image": {"format": "image/png", "source": {"bytes": PICTURE}}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "x"}}},
                {"text": "I read."},
                {"toolUse": {"toolUseId": "c-1", "name": "read", "input": {"path": "a.txt"}}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "c-1", "content": [{"text": "Eggs"}], "status": "success"}},
                {"text": "And?"},
                {"cachePoint": {"type": "default"}},
            ],
        },
    ],
    "toolConfig": {
        "tools": [
            {"toolSpec": {"name": "read", "description": "Reads a file.", "inputSchema": {"json": SCHEMA}}}
        ],
        "toolChoice": {"auto": {}},
    },
    "inferenceConfig": {"maxTokens": 100},
}
OLLAMA = {
    "model": "m-1",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Read it.", "images": [PICTURE]},
        {
            "role": "assistant",
            "content": "I read.",
            "reasoning": "Hm.",
            "tool_calls": [{"id": "c-1", "function": {"name": "read", "arguments": {"path": "a.txt"}}}],
        },
        {"role": "tool", "tool_call_id": "c-1", "content": "Eggs"},
        {"role": "user", "content": "And?"},
    ],
    "tools": CHAT["tools"],
    "options": {"num_ctx": 4096},
    "keep_alive": "5m",
}
REQUESTS: tuple[tuple[Form, dict[str, Any], dict[str, Any], dict[str, Any]], ...] = (
    (
        openai_chat.FORM,
        CHAT,
        {"temperature": 0, "max_completion_tokens": 100, "reasoning_effort": "low"},
        {"prompt_cache_key": "s-1"},
    ),
    (
        openai_responses.FORM,
        RESPONSES,
        {"reasoning": {"effort": "low"}, "max_output_tokens": 100, "stream": True},
        {"client_metadata": {"session_id": "s-1"}, "prompt_cache_key": "s-1"},
    ),
    (
        anthropic.FORM,
        ANTHROPIC,
        {"max_tokens": 100, "thinking": {"type": "enabled", "budget_tokens": 50}},
        {"metadata": {"user_id": "u"}},
    ),
    (
        gemini.FORM,
        GEMINI,
        {
            "temperature": 0,
            "thinkingConfig": {"thinkingBudget": 50},
            "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
        },
        {},
    ),
    (bedrock.FORM, CONVERSE, {"maxTokens": 100, "toolChoice": {"auto": {}}}, {}),
    (ollama.FORM, OLLAMA, {"num_ctx": 4096, "keep_alive": "5m"}, {}),
)


def _merged(messages: tuple[PromptMessage, ...]) -> list[PromptMessage]:
    """Messages of one role after each other as one (responses have an item for each part); no names of results."""
    merged: list[PromptMessage] = []
    for message in messages:
        parts = tuple(
            ToolResult(part.id, part.text) if isinstance(part, ToolResult) else part for part in message.parts
        )
        parts = tuple(
            Media("image", part.mention.replace("image,", "image/png,")) if isinstance(part, Media) else part
            for part in parts
        )
        if merged and merged[-1].role == message.role:
            parts = (*merged.pop().parts, *parts)
        merged.append(PromptMessage(message.role, parts))
    return merged


@pytest.mark.parametrize("row", REQUESTS, ids=[form.name for form, *_ in REQUESTS])
def test_each_form_tells_the_same_in_its_way(
    row: tuple[Form, dict[str, Any], dict[str, Any], dict[str, Any]],
) -> None:
    """System prompt, tools, messages; parameters under the provider's names."""
    form, body, parameters, labels = row
    prompt = read_prompt(Recognised(form, "p", "m-1"), json.dumps(body).encode())
    assert (prompt.model, prompt.system, prompt.tools) == ("m-1", SYSTEM, TOOLS)
    assert _merged(prompt.messages) == list(MESSAGES)
    assert (prompt.parameters, prompt.labels) == (parameters, labels)


def test_a_body_that_nobody_can_read_tells_nothing() -> None:
    """Broken JSON, and JSON that is no object."""
    for body in (b"", b"{", b"[1]", b"\xff"):
        assert read_prompt(Recognised(openai_chat.FORM, "p"), body) == Prompt()


def test_code_assist_wraps_the_request() -> None:
    """What is told is the same; its names for the session and the project are labels."""
    wrapped = {
        "model": "m-2",
        "project": "p",
        "user_prompt_id": "u",
        "request": {**GEMINI, "session_id": "s"},
    }
    prompt = gemini.read_prompt(wrapped)
    assert (prompt.model, prompt.system, prompt.tools) == ("m-2", SYSTEM, TOOLS)
    assert prompt.labels == {"session_id": "s", "user_prompt_id": "u", "project": "p"}


def test_tools_of_codex_stand_in_the_input() -> None:
    """In namespaces, some with a grammar; a change of settings stands between the messages."""
    tools = [
        {
            "type": "namespace",
            "name": "functions",
            "tools": [
                {"type": "custom", "name": "exec", "description": "Runs.", "format": {"type": "grammar"}},
                {"type": "function", "name": "wait", "parameters": SCHEMA},
            ],
        },
        {"type": "web_search", "external_web_access": False},
    ]
    prompt = openai_responses.read_prompt(
        {
            "model": "m",
            "input": [
                {"type": "additional_tools", "role": "developer", "tools": tools},
                {
                    "type": "message",
                    "role": "developer",
                    "content": [
                        {"type": "input_text", "text": "One."},
                        {"type": "input_text", "text": "Two."},
                    ],
                },
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
                {"type": "configuration_update", "reasoning": {"effort": "low"}},
                {"type": "message", "role": "developer", "content": "Later."},
                {
                    "type": "custom_tool_call",
                    "call_id": "c",
                    "name": "exec",
                    "namespace": "functions",
                    "input": "ls",
                },
                {
                    "type": "custom_tool_call_output",
                    "call_id": "c",
                    "output": [{"type": "input_text", "text": "a"}],
                },
                {"type": "web_search_call", "action": {"query": "q"}},
            ],
        }
    )
    assert prompt.system == "One.\n\nTwo."
    assert prompt.tools == (
        Tool("functions.exec", "Runs.", {"type": "grammar"}),
        Tool("functions.wait", "", SCHEMA),
        Tool("web_search", "", None, {"external_web_access": False}),
    )
    update = '{"type":"configuration_update","reasoning":{"effort":"low"}}'
    assert prompt.messages == (
        PromptMessage("user", (Text("Go."),)),
        PromptMessage("configuration_update", (Other("configuration_update", update),)),
        PromptMessage("developer", (Text("Later."),)),
        PromptMessage("assistant", (ToolUse("c", "functions.exec", "ls"),)),
        PromptMessage("tool", (ToolResult("c", "a"),)),
        PromptMessage("assistant", (ToolUse(None, "web_search", {"query": "q"}),)),
    )


def test_what_else_is_said_of_a_tool() -> None:
    """Settings; tools that the provider has built in; one that is defined in the middle of a conversation."""
    late = {
        "type": "tool_addition",
        "tool": {"type": "tool_definition", "definition": {"name": "late", "input_schema": {}}},
    }
    given = [
        anthropic.read_prompt(
            {
                "messages": [
                    {"role": "user", "content": [late, {"type": "compaction", "content": "We met."}]}
                ],
                "tools": [
                    {"name": "read", "input_schema": SCHEMA, "defer_loading": True, "cache_control": {}},
                    {"type": "web_search_20250305", "name": "web_search", "max_uses": 5},
                ],
            }
        ),
        openai_chat.read_prompt(
            {
                "tools": [
                    {"type": "function", "function": {"name": "read", "parameters": SCHEMA, "strict": True}}
                ]
            }
        ),
        openai_chat.read_prompt(
            {"tools": [{"type": "custom", "custom": {"name": "sed", "format": {"type": "text"}}}]}
        ),
        openai_chat.read_prompt({"functions": [{"name": "old", "parameters": {}}]}),
        gemini.read_prompt(
            {
                "tools": [
                    {"googleSearch": {}},
                    {
                        "functionDeclarations": [
                            {"name": "read", "parameters": SCHEMA, "behavior": "BLOCKING"}
                        ]
                    },
                ]
            }
        ),
        bedrock.read_prompt(
            {"toolConfig": {"tools": [{"systemTool": {"name": "nova_grounding"}}, {"cachePoint": {}}]}}
        ),
    ]
    assert [prompt.tools for prompt in given] == [
        (
            Tool("read", "", SCHEMA, {"defer_loading": True}),
            Tool("web_search", "", None, {"type": "web_search_20250305", "max_uses": 5}),
            Tool("late", "", {}),
        ),
        (Tool("read", "", SCHEMA, {"strict": True}),),
        (Tool("sed", "", {"type": "text"}),),
        (Tool("old", "", {}),),
        (Tool("googleSearch", "", {}), Tool("read", "", SCHEMA, {"behavior": "BLOCKING"})),
        (Tool("nova_grounding", "", None),),
    ]
    assert given[0].messages[0].parts[1:] == (Text("We met."),)
    assert given[0].messages[0].parts[0] == Other("tool_addition", jsontext.string(late))


def test_the_label_of_claude_code_is_not_in_the_system_prompt() -> None:
    """It holds an id of each prompt, so no two system prompts would be equal."""
    label = {"type": "text", "text": "x-anthropic-billing-header: cc_version=2; cc_prompt_id=7;"}
    prompt = anthropic.read_prompt({"system": [label, {"type": "text", "text": "Be brief."}]})
    assert prompt.system == "Be brief."
    assert prompt.labels == {"x-anthropic-billing-header": "cc_version=2; cc_prompt_id=7;"}


def test_a_system_message_in_the_middle_stays_there() -> None:
    """claude-code tells its surroundings in one; a text stands for a list of one part."""
    prompt = anthropic.read_prompt(
        {
            "system": "Be brief.",
            "messages": [{"role": "user", "content": "Hi"}, {"role": "system", "content": "It is cold."}],
        }
    )
    assert prompt.system == "Be brief."
    assert [message.role for message in prompt.messages] == ["user", "system"]
    assert (
        openai_chat.read_prompt(
            {"messages": [{"role": "user", "content": "x"}, {"role": "system", "content": "y"}]}
        ).system
        == ""
    )


def test_what_a_tool_gave_may_be_an_error_a_picture_or_json() -> None:
    """Each form has its own way to say so."""
    claude = {
        "type": "tool_result",
        "tool_use_id": "c",
        "is_error": True,
        "content": [
            {"type": "text", "text": "No"},
            {"type": "image", "source": {"type": "url", "url": "http://x/y.png"}},
        ],
    }
    converse = {
        "toolResult": {"toolUseId": "c", "status": "error", "content": [{"text": "No"}, {"json": {"a": 1}}]}
    }
    failed = {"functionResponse": {"name": "read", "response": {"error": "No"}}}
    whole = {"functionResponse": {"name": "read", "response": {"output": "x", "code": 1}}}
    results = [
        anthropic.read_prompt({"messages": [{"role": "user", "content": [claude]}]}),
        bedrock.read_prompt({"messages": [{"role": "user", "content": [converse]}]}),
        gemini.read_prompt({"contents": [{"role": "user", "parts": [failed, whole]}]}),
    ]
    assert [message.parts for prompt in results for message in prompt.messages] == [
        (ToolResult("c", "No\n\n[image: http://x/y.png]", is_error=True),),
        (ToolResult("c", 'No\n\n{"a":1}', is_error=True),),
        (ToolResult(None, "No", "read", is_error=True), ToolResult(None, '{"output":"x","code":1}', "read")),
    ]


def test_a_result_of_the_first_kind_of_tools_has_a_name() -> None:
    """`function` messages came before tools had ids; so did calls."""
    call = {"role": "assistant", "content": None, "function_call": {"name": "read", "arguments": "{}"}}
    prompt = openai_chat.read_prompt(
        {"messages": [call, {"role": "function", "name": "read", "content": "Eggs"}]}
    )
    assert prompt.messages == (
        PromptMessage("assistant", (ToolUse(None, "read", {}),)),
        PromptMessage("tool", (ToolResult(None, "Eggs", "read"),)),
    )


def test_a_text_that_is_to_go_on() -> None:
    """Without roles: it is what a user says."""
    prompt = completions.read_prompt(
        {
            "model": "m",
            "prompt": ["a", "b"],
            "system": "Be brief.",
            "options": {"seed": 1},
            "suffix": "}",
            "user": "u",
        }
    )
    assert prompt.system == "Be brief."
    assert prompt.messages == (PromptMessage("user", (Text("a"),)), PromptMessage("user", (Text("b"),)))
    assert (prompt.parameters, prompt.labels) == ({"seed": 1, "suffix": "}"}, {"user": "u"})


def test_files_are_mentioned() -> None:
    """By name, by address, by size; a part that nobody knows by its type."""
    content = [
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
        {"type": "input_audio", "input_audio": {"format": "wav", "data": "AAAA"}},
        {"type": "hologram", "light": 1},
    ]
    (message,) = openai_chat.read_prompt({"messages": [{"role": "user", "content": content}]}).messages
    assert message.parts == (
        Media("file", "a.pdf"),
        Media("audio", "wav, 3 bytes"),
        Other("hologram", '{"type":"hologram","light":1}'),
    )
    file = {"fileData": {"fileUri": "gs://b/c"}}
    assert gemini.read_prompt({"contents": [{"parts": [file]}]}).messages[0] == PromptMessage(
        "user", (Media("file", "gs://b/c"),)
    )
