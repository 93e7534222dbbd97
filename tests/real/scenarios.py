"""The scenarios. Data only. A scenario's name is also the name of its sample trace, where it has one.

Those that end in `-work` are the same day's work for each agent: a permission, files, an option where
it has options, a cancel, and a turn after that.
"""

from __future__ import annotations

from dataclasses import replace

from tests.real import standin
from tests.real.agents import FAST_AGENT, GEMINI, KIMI, OPENCODE, PY_SDK, TS_SDK
from tests.real.scenario import Scenario

_READ = ("prompt", "READ notes.txt")
_WRITE = ("prompt", "WRITE list.txt Eggs")
_CANCELLED = ("prompt", "HOLD on", "session/cancel")
_GOOD_BYE = ("prompt", "Good bye")
_ALLOWED = ("selected", "allow_once")
_CANCEL = ("session/cancel", "cancelled")

#: A model with a size, without which opencode does not say how much of it is used.
_SIZED = {"limit": {"context": 200_000, "output": 8_000}}

TS_ACPX = Scenario(
    name="ts-sdk-agent-acpx",
    what="the TypeScript SDK's example agent: text, a tool call, a permission that is granted",
    agent=TS_SDK,
    steps=(("prompt", "Please update the configuration"),),
    tool_calls=(("read", "completed"), ("edit", "completed")),
    permissions=(("selected", "allow_once"),),
)
PY_ACPX = Scenario(
    name="py-sdk-agent-acpx",
    what="an agent on the Python SDK: a permission, a file that acpx writes",
    agent=PY_SDK,
    steps=(("prompt", "WRITE list.txt Eggs"),),
    tool_calls=(("edit", "completed"),),
    permissions=(_ALLOWED,),
    files=("fs/write_text_file",),
)
PY_WORK = Scenario(
    name="py-sdk-work",
    what="an agent on the Python SDK: an option, files, a permission, a cancel, another turn",
    agent=PY_SDK,
    steps=(("files",), ("set", "model", "big"), _READ, _WRITE, _CANCELLED, _GOOD_BYE),
    stop_reasons=("end_turn", "end_turn", "cancelled", "end_turn"),
    tool_calls=(("read", "completed"), ("edit", "completed")),
    permissions=(_ALLOWED,),
    files=("fs/read_text_file", "fs/write_text_file"),
    cancels=(_CANCEL,),
)

SCENARIOS = (
    TS_ACPX,
    PY_ACPX,
    Scenario(
        name="ts-sdk-cancel-acpx",
        what="the same agent; the client gets Ctrl-C after the first words",
        agent=TS_SDK,
        steps=(("prompt", "Please update the configuration"),),
        interrupt_at=b"I'll help you",
        stop_reasons=("cancelled",),
        cancels=(("session/cancel", "cancelled"),),
    ),
    Scenario(
        name="opencode-acpx",
        what="opencode runs a shell command, with permission, and reports what it said",
        agent=OPENCODE,
        steps=(("prompt", "RUN ls"),),
        tool_calls=(("execute", "completed"),),
        permissions=(("selected", "allow_once"),),
    ),
    Scenario(
        name="opencode-cancel-acpx",
        what="opencode waits for its model; the client gets Ctrl-C",
        agent=OPENCODE,
        steps=(("prompt", "HOLD on"),),
        interrupt_at=standin.HELD.encode(),
        stop_reasons=("cancelled",),
        cancels=(("session/cancel", "cancelled"),),
    ),
    Scenario(
        name="opencode-story",
        what="opencode gets another model and another mode, runs a command, is cancelled, and cannot be cancelled",
        agent=replace(OPENCODE, models={"small": _SIZED, "big": _SIZED}),
        steps=(
            ("await", "available_commands_update"),
            ("set", "model", "standin/big"),
            ("set", "model", "standin/small"),
            ("set", "mode", "plan"),
            ("set", "mode", "build"),
            ("prompt", "RUN ls"),
            ("prompt", "HOLD on", "session/cancel"),
            ("prompt", "SLOW down", "$/cancel_request"),
            ("close",),
        ),
        stop_reasons=("end_turn", "cancelled", "end_turn"),
        tool_calls=(("execute", "completed"),),
        permissions=(("selected", "allow_once"),),
        cancels=(("session/cancel", "cancelled"), ("$/cancel_request", "completed")),
        ended_by="session/close",
        findings=("cancel-request-ignored",),
    ),
    Scenario(
        name="ts-sdk-work",
        what="the TypeScript SDK's example agent: a permission, a cancel, another turn; it has no options and no files",
        agent=TS_SDK,
        steps=(("prompt", "Please update the configuration"), _CANCELLED, _GOOD_BYE),
        stop_reasons=("end_turn", "cancelled", "end_turn"),
        tool_calls=(("read", "completed"), ("edit", "completed")) * 2,
        permissions=(_ALLOWED,) * 2,
        cancels=(_CANCEL,),
        findings=("tool-call-id-reused",) * 2,  # `call_1` and `call_2` in each turn
    ),
    PY_WORK,
    Scenario(
        name="opencode-work",
        what="opencode: an option, files, a permission, a cancel, another turn",
        agent=replace(OPENCODE, models={"small": _SIZED, "big": _SIZED}),
        steps=(
            ("files",),
            ("await", "available_commands_update"),
            ("set", "model", "standin/big"),
            _READ,
            _WRITE,
            _CANCELLED,
            _GOOD_BYE,
        ),
        stop_reasons=("end_turn", "end_turn", "cancelled", "end_turn"),
        tool_calls=(("read", "completed"), ("edit", "completed")),
        permissions=(_ALLOWED,),
        files=("fs/write_text_file",),
        cancels=(_CANCEL,),
        findings=("path-relative",),  # as its model wrote it
    ),
    Scenario(
        name="kimi-work",
        what="kimi-code: an option, files, a permission, a cancel of each kind, another turn",
        agent=KIMI,
        steps=(
            ("files",),
            ("await", "available_commands_update"),
            ("set", "mode", "plan"),
            ("set", "mode", "default"),
            _READ,
            _WRITE,
            _CANCELLED,
            ("prompt", "HOLD on", "$/cancel_request"),
            _GOOD_BYE,
        ),
        stop_reasons=("end_turn", "end_turn", "cancelled", "cancelled", "end_turn"),
        tool_calls=(("read", "completed"), ("edit", "completed")),
        permissions=(_ALLOWED,),
        files=("fs/read_text_file", "fs/write_text_file"),
        missed=frozenset({"fs/read_text_file"}),  # its AGENTS.md
        cancels=(_CANCEL, ("$/cancel_request", "cancelled")),
        findings=("parameter-unannounced",),  # a way to log in that is for terminals
    ),
    Scenario(
        name="gemini-work",
        what="gemini-cli: a mode, files, a permission, a cancel, another turn",
        agent=GEMINI,
        steps=(
            ("files",),
            ("await", "available_commands_update"),
            ("mode", "default"),
            _READ,
            ("prompt", "WRITE notes.txt Eggs"),  # it takes no error for `there is no such file`
            _CANCELLED,
            _GOOD_BYE,
        ),
        stop_reasons=("end_turn", "end_turn", "cancelled", "end_turn"),
        tool_calls=(("read", "completed"), ("edit", "completed")),
        permissions=(_ALLOWED,),
        files=("fs/read_text_file", "fs/read_text_file", "fs/write_text_file"),
        cancels=(_CANCEL,),
        findings=("payload-extra-field", "permission-unannounced"),
    ),
    Scenario(
        name="fast-agent-passthrough",
        what="fast-agent's passthrough model: says the prompt again, and gives the session a title",
        agent=FAST_AGENT,
        steps=(("prompt", "Hello there"),),
        findings=("updated-at-invalid",),
    ),
    Scenario(
        name="incomplete",
        what="the TypeScript SDK's example agent; the recorder gets SIGKILL in the middle of the turn",
        agent=TS_SDK,
        steps=(("prompt", "Please update the configuration"),),
        kill_at=b" Now I understand",
        stop_reasons=(None,),
        findings=("never-answered",),
        tool_calls=(("read", "completed"),),
    ),
)
