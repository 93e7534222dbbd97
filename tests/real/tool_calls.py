"""Which tool a model calls that obeys an order, and with what: tables, and the agent's own schemas. Pure.

    RUN ls               the shell tool with `ls`
    READ notes.txt       the tool that reads files
    WRITE list.txt Eggs  the tool that writes files, with `Eggs`
    PLAN                 the tool that keeps a plan
    MCP my-tools Ada     the tool of this MCP server (mcp_server.py), with `Ada`
    AGENT Say hello.     the tool that starts a subagent, with this prompt
    ASK Which colour?    the tool that asks the user

What a schema requires and no table knows is filled in as the schema allows, the same every time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.real import mcp_server
from tests.real.interfaces import Call, Tools

#: The tools that do what is ordered, as agents call them; the first that there is.
TOOLS = {
    "RUN": (
        *("bash", "shell", "run_shell_command", "execute_bash", "Bash", "Shell", "exec_command"),
        *("shell_command", "execute", "terminal", "powershell", "run_terminal_command"),
    ),
    "READ": ("read", "read_file", "Read", "ReadFile", "view", "read_text_file", "file_read"),
    "WRITE": (
        *("write", "write_file", "Write", "WriteFile", "create", "write_text_file", "create_file"),
        "file_write",
    ),
    "PLAN": (
        *("todowrite", "TodoWrite", "TodoList", "todo_write", "SetTodoList", "update_plan", "write_todos"),
        *("write_tasks", "TaskCreate", "todo"),
    ),
    "MCP": (mcp_server.TOOL,),
    "AGENT": (
        *("Agent", "agent", "Task", "task", "run_subagent", "spawn_subagent", "spawn_agent", "subagent"),
        *("invoke_agent", "delegate_task", "delegate", "new_task", "dispatch_agent"),
    ),
    "ASK": (
        *("AskUserQuestion", "ask_user_question", "ask_user", "ask_followup_question", "question"),
        *("request_user_input", "ask_question", "clarify", "AskUser"),
    ),
}
_STEPS = ("Look", "Act")
_TEXT = "errand"
#: Kinds of subagents that can be had for anything.
_KINDS = ("general-purpose", "general", "coder")
#: One that a tool does not list, by the tool.
_UNLISTED = {"invoke_agent": "generalist"}
#: Tools that call the tools of MCP servers: two parameters, and how the agent spells the tool's name.
_THROUGH = {
    "tool_call": ("name", "arguments", f"mcp__{{}}__{mcp_server.TOOL}"),
    "use_tool": ("tool_name", "tool_input", f"{{}}__{mcp_server.TOOL}"),
}
#: What may be before the plain name of a tool.
_SPACE = re.compile(r".*(?:/|__)")
#: How tools list the kinds that they have.
_LISTED = re.compile(r"^\s*[-*]\s+[\"'`*]*([\w-]+)[\"'`*]*\s*[:(]", re.MULTILINE)


def call(order: str, words: str, tools: Tools, number: int) -> Call | None:
    """The call that is ordered, if the agent has a tool for it."""
    path, _, text = words.partition(" ")
    tool = _tool(order, path, tools)
    if tool is None and order in ("READ", "WRITE"):  # codex does everything with its shell
        command = f"cat {path}" if order == "READ" else f"echo {text} > {path}"
        return call("RUN", command, tools, number)
    if tool is None:
        return _through(words, tools, number) if order == "MCP" else None
    properties = tools[tool].get("properties") or {}
    arguments: dict[str, Any] = {}
    for name, schema in properties.items():
        for names, given in (*_GIVEN.get(order, ()), *_ALWAYS):
            if name in names:
                arguments[name] = given(words, schema)
                break
    for name in tools[tool].get("required") or ():
        schema = properties.get(name) or {}
        if order == "AGENT" and name in ("subagent_type", "agent_type", "agent_name"):
            arguments[name] = _kind(tool, tools[tool], schema)
        arguments.setdefault(name, instance(schema, text if order == "MCP" else _TEXT))
    return Call(tool, arguments, number)


def _through(words: str, tools: Tools, number: int) -> Call | None:
    """The call of the server's tool by way of a tool that calls what is not declared."""
    for name, (called, given, spelled) in _THROUGH.items():
        if name in tools:
            parameters = tools[name].get("properties") or {}
            if called in parameters and given in parameters:
                server, _, text = words.partition(" ")
                return Call(
                    name, {called: spelled.format(server), given: {mcp_server.PARAMETER: text}}, number
                )
    return None


def _tool(order: str, server: str, tools: Tools) -> str | None:
    """The tool's name; that of an MCP server has the server's before it, in each agent's own way."""
    if order == "MCP":
        of_servers = [name for name in tools if mcp_server.TOOL in name.lower()]
        return min(of_servers, key=lambda name: (_plain(server) not in _plain(name), len(name)), default=None)
    plain = {_SPACE.sub("", name): name for name in tools} | {name: name for name in tools}
    return next((plain[name] for name in TOOLS[order] if name in plain), None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


def _kind(tool: str, rule: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """A kind of subagents that a tool has, by its parameter's schema or a description."""
    described = f"{rule.get('description')}\n{schema.get('description')}"
    listed = schema.get("enum") or _LISTED.findall(described)
    kinds = (*_KINDS, *listed[:1])
    return next((kind for kind in kinds if kind in listed), _UNLISTED.get(tool, _KINDS[0]))


def _step(schema: Mapping[str, Any], index: int) -> Any:
    """One step of a plan, as an agent's tool wants it."""
    step = {}
    for name, rule in (schema.get("properties") or {}).items():
        choices = rule.get("enum")
        if name == "status":
            states = choices or ("pending", "in_progress")
            step[name] = states[min(1 - index, len(states) - 1)]
        elif name == "id":
            step[name] = index + 1 if _type(rule) == "integer" else str(index + 1)
        else:
            step[name] = _STEPS[index] if not choices and _type(rule) == "string" else instance(rule)
    return step


def instance(schema: Mapping[str, Any], text: str = _TEXT, least: int = 0) -> Any:
    """Something that a schema allows. `text`: for its texts. `least`: the fewest items of each list."""
    choices = [
        one for key in ("anyOf", "oneOf") for one in schema.get(key) or () if one.get("type") != "null"
    ]
    if choices and "type" not in schema:
        return instance(choices[0], text, least)
    if schema.get("enum"):
        return schema["enum"][0]
    kind = _type(schema)
    if kind == "array":
        count = max(int(schema.get("minItems") or 0), least)
        items = schema.get("items") or {}
        return [instance(items, text if not each else f"{text} {each + 1}", least) for each in range(count)]
    properties = schema.get("properties") or {}
    if kind == "object" or properties:
        return {name: instance(rule, text, least) for name, rule in properties.items()}
    number = 10_000 if "millisecond" in str(schema.get("description")) else 10
    return {"boolean": False, "integer": number, "number": number}.get(kind, text)


def _type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "string")
    return str(kind[0] if isinstance(kind, list) else kind).lower()


#: By order: names of parameters, and what they are given of the order's words.
_Given = tuple[tuple[str, ...], Callable[[str, Mapping[str, Any]], Any]]
_PATH: _Given = (
    ("filePath", "file_path", "path", "absolute_path", "filename"),
    lambda words, _: words.partition(" ")[0],
)
#: Else the end of what was begun comes whenever it comes.
_WAITED: _Given = (("run_in_background", "background", "is_background"), lambda *_: False)
_GIVEN: Mapping[str, tuple[_Given, ...]] = {
    "RUN": (
        (
            ("command", "cmd"),
            lambda words, schema: ["sh", "-c", words] if _type(schema) == "array" else words,
        ),
    ),
    "READ": (_PATH,),
    "WRITE": (
        _PATH,
        (("content", "contents", "text", "file_text"), lambda words, _: words.partition(" ")[2]),
    ),
    "PLAN": (
        (
            ("todos", "plan", "items", "tasks"),
            lambda _, schema: [_step(schema.get("items") or {}, index) for index in range(len(_STEPS))],
        ),
    ),
    "AGENT": (
        (
            ("prompt", "message", "task", "instructions", "goal", "query", "objective"),
            lambda words, schema: words if _type(schema) == "string" else instance(schema, words, 1),
        ),
        _WAITED,
    ),
    "ASK": (
        (
            ("question", "questions", "options", "choices"),
            lambda words, schema: instance(schema, words, 1),
        ),
        _WAITED,
    ),
}
#: Of any order: codex asks before it obeys.
_ALWAYS: tuple[_Given, ...] = (
    (("sandbox_permissions",), lambda *_: "require_escalated"),
    (("justification",), lambda *_: "It is ordered"),
)
