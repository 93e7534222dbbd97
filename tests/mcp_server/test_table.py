"""What a client is told of the tools."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from acp_trace.mcp_server.table import INSTRUCTIONS, TOOLS
from acp_trace.mcp_server.tool import McpTool


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_explains_itself(tool: McpTool) -> None:
    """A description, and one of each argument; a schema that every client can read: no choice of types."""
    assert tool.description.endswith(".")
    schema = tool.schema
    Draft202012Validator.check_schema(schema)
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    for name, shape in schema["properties"].items():
        assert shape.get("description"), name
        assert isinstance(shape["type"], str), name
        assert not {"anyOf", "$ref"} & shape.keys(), name
        assert "items" not in shape or isinstance(shape["items"]["type"], str), name


def test_all_tools_together_take_little_room() -> None:
    """A model reads all of it in each session: about 5,000 tokens, no more."""
    import json

    told = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.schema} for tool in TOOLS
    ]
    assert len(json.dumps(told)) + len(INSTRUCTIONS) < 20_000


def test_words_name_tools_that_there_are() -> None:
    """In the instructions, and from one tool to another."""
    import re

    names = {tool.name for tool in TOOLS}
    words = " ".join([INSTRUCTIONS, *(tool.description for tool in TOOLS)])
    named = set(re.findall(r"\b(?:list|show|read|query|describe|diff)_[a-z_]+", words))
    assert named <= names
