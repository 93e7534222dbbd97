"""The scripts and the stand-in model with which agents are recorded for docs/evidence/agents.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acp_trace.replay.written.form import script
from acp_trace.replay.written.steps import WrittenConversation
from tests.real import errands, tool_calls
from tests.real.mcp_server import Servers

SERVERS = Servers(
    ("python", "server.py"), {"http": "http://127.0.0.1:1/mcp", "sse": "http://127.0.0.1:1/sse"}
)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "agents.md"
TEXT = {"type": "string"}


def written() -> list[WrittenConversation]:
    texts = errands.scripts(SERVERS, login="key", mode="ask").values()
    return [script(text)[1] for text in texts]


def test_each_script_can_be_driven() -> None:
    """They are scripts of `drive`, which log in first and choose the mode before the first prompt."""
    for one in written():
        assert one.steps[0].verb == "authenticate"
        assert [step.verb for step in one.steps[1:3]] == ["new", "set_mode"]


def test_the_page_shows_the_same_kinds_of_steps() -> None:
    """Everything that the script on the page does is done to each agent."""
    text = re.search(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert text is not None
    shown = script(text[1])[1]
    ours = written()
    kinds = {(step.verb, *sorted(step.beside)) for one in ours for step in one.steps}
    assert {(step.verb, *sorted(step.beside)) for step in shown.steps} <= kinds
    for one in ours:
        assert (one.permission, one.files, one.terminals, one.elicitation, one.booleans) == (
            shown.permission,
            shown.files,
            shown.terminals,
            shown.elicitation,
            shown.booleans,
        )


def test_each_transport_has_its_session() -> None:
    """A prompt names its session, so that a refused one does not send it to another."""
    steps = written()[1].steps
    opened = [step.value for step in steps if step.verb == "new"]
    assert opened == ["stdio", "http", "sse"]
    assert [step.session for step in steps if step.verb == "prompt"] == [*opened, "stdio"]


@pytest.mark.parametrize("name", ["greet", "my-tools_greet", "mcp__my-tools__greet", "mcp__my_tools/greet"])
def test_the_tool_of_the_server_is_found(name: str) -> None:
    """Agents spell its name in their own ways."""
    tools = {"bash": {}, name: {"properties": {"name": TEXT}, "required": ["name"]}}
    call = tool_calls.call("MCP", "my-tools Ada", tools, 1)
    assert call is not None
    assert (call.tool, call.arguments) == (name, {"name": "Ada"})


def test_the_tool_of_the_ordered_server_is_called() -> None:
    """Some agents declare the tools of every session's servers in each session."""
    tools: dict[str, dict[str, object]] = {"mcp__my_tools_http__greet": {}, "mcp__my_tools__greet": {}}
    for server, name in (
        ("my-tools", "mcp__my_tools__greet"),
        ("my-tools-http", "mcp__my_tools_http__greet"),
    ):
        call = tool_calls.call("MCP", f"{server} Ada", tools, 1)
        assert call is not None
        assert call.tool == name


def test_an_agents_own_name_goes_before_one_with_a_prefix() -> None:
    """A tool without a prefix is the agent's; with one, it may be a server's."""
    tools = {"Bash": {"properties": {"command": TEXT}}, "mcp__acp__Bash": {}}
    call = tool_calls.call("RUN", "ls", tools, 1)
    assert call is not None
    assert (call.tool, call.arguments) == ("Bash", {"command": "ls"})


def test_a_question_has_as_many_choices_as_the_schema_requires() -> None:
    """What no table knows follows from the schema, and choices differ."""
    options = {"type": "array", "minItems": 2, "items": {"properties": {"label": TEXT}}}
    question = {"properties": {"question": TEXT, "options": options}}
    tools = {"ask_user": {"properties": {"questions": {"type": "array", "items": question}}}}
    call = tool_calls.call("ASK", "Which?", tools, 1)
    assert call is not None
    choices = [{"label": "Which?"}, {"label": "Which? 2"}]
    assert call.arguments == {"questions": [{"question": "Which?", "options": choices}]}


def test_a_subagent_is_of_a_kind_that_the_tool_lists() -> None:
    """One of opencode is `general`, of others `general-purpose`."""
    rule = {"properties": {"prompt": TEXT, "subagent_type": TEXT}, "required": ["prompt", "subagent_type"]}
    tools = {"task": {**rule, "description": "Kinds:\n- explore: looks\n- general: General-purpose"}}
    call = tool_calls.call("AGENT", "Say hello.", tools, 1)
    assert call is not None
    assert call.arguments == {"prompt": "Say hello.", "subagent_type": "general"}
