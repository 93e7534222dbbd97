"""What was said, for spans: prompts, answers, arguments and results, as attributes of the GenAI conventions.

Read only if it is wanted. Messages have the shape of those conventions: a role, and parts with a type.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec

from acp_trace.analyze.facts import ModelCall, ToolCall, Turn
from acp_trace.analyze.frame import Frame
from acp_trace.formats.writing.writer import ExportedTrace
from acp_trace.model import shapes
from acp_trace.model.calls import model_calls
from acp_trace.model.exchange import exchanges_in
from acp_trace.protocol import methods
from acp_trace.protocol.payloads import BlockView, params_in, update_in
from acp_trace.trace import jsontext


class SpanContent:
    """Reads a trace once, and gives the attributes of its spans."""

    def __init__(self, trace: ExportedTrace) -> None:
        self._prompts: dict[int, list[dict[str, Any]]] = {}
        self._said: dict[tuple[str | None, int], list[str]] = defaultdict(list)
        # By the frame that began each: history tells them again under their ids. And the latest of each id.
        self._tools: dict[int, dict[str, Any]] = {tool.frame: {} for tool in trace.facts.tool_calls}
        self._latest: dict[tuple[str | None, str], dict[str, Any]] = defaultdict(dict)
        starts = {turn.frame: turn for turn in trace.facts.turns}
        ends = {turn.settled_frame: turn for turn in trace.facts.turns}
        turn_of: dict[str | None, int] = {}
        for frame in trace.frames():
            if (turn := starts.get(frame.frame)) is not None:
                turn_of[turn.session_id] = turn.turn
            if frame.method == methods.PROMPT and frame.frame in starts:
                self._prompts[frame.frame] = _parts(params_in(frame.data).prompt)
            elif frame.update is not None:
                self._update(frame, turn_of.get(frame.session_id))
            if (turn := ends.get(frame.frame)) is not None:
                turn_of.pop(turn.session_id, None)
        calls = model_calls(exchanges_in(trace.entries())) if trace.facts.model_calls else []
        self._calls = {call.call: call for call in calls}

    def _update(self, frame: Frame, turn: int | None) -> None:
        update = update_in(frame.data)
        if frame.update == "agent_message_chunk" and turn is not None:
            self._said[frame.session_id, turn].append(BlockView(update.content).shown or "")
        elif (id_ := update.tool_call_id) is not None:
            if (begun := self._tools.get(frame.frame)) is not None:
                self._latest[frame.session_id, id_] = begun
            known = {key: value for key, value in update.members.items() if value is not None}
            self._latest[frame.session_id, id_].update(known)

    def turn(self, turn: Turn) -> dict[str, str]:
        """What the user said, and what the agent said."""
        said = "".join(self._said[turn.session_id, turn.turn])
        answer = {"role": "assistant", "parts": [{"type": "text", "content": said}]}
        prompt = {"role": "user", "parts": self._prompts.get(turn.frame, [])}
        return {
            "gen_ai.input.messages": _json([prompt]),
            "gen_ai.output.messages": _json([{**answer, "finish_reason": turn.stop_reason or ""}]),
        }

    def tool(self, tool: ToolCall) -> dict[str, str]:
        """Its title, what it was called with, and what it gave."""
        known = self._tools[tool.frame]
        made = {"acp.tool.title": tool.title} if tool.title is not None else {}
        if "rawInput" in known:
            made["gen_ai.tool.call.arguments"] = _json(known["rawInput"])
        result = known.get("rawOutput", known.get("content"))
        return made if result in (None, []) else {**made, "gen_ai.tool.call.result": _json(result)}

    def call(self, call: ModelCall) -> dict[str, str]:
        """What the agent sent to the model, and what the model answered."""
        whole = self._calls.get(call.call)
        if whole is None:
            return {}
        prompt, answer = whole.prompt(), whole.answer
        said = {"role": "assistant", "parts": list(map(_part, answer.parts))}
        messages = [{"role": each.role, "parts": list(map(_part, each.parts))} for each in prompt.messages]
        made = {
            "gen_ai.input.messages": _json(messages),
            "gen_ai.output.messages": _json([{**said, "finish_reason": answer.stop_reason or ""}]),
        }
        if prompt.system:
            made["gen_ai.system_instructions"] = _json([{"type": "text", "content": prompt.system}])
        return made


def _parts(blocks: object) -> list[dict[str, Any]]:
    """The blocks of a prompt: text as the conventions have it, others as ACP has them."""
    return [
        {"type": "text", "content": block.get("text")} if block.get("type") == "text" else block
        for block in jsontext.objects(blocks)
    ]


def _part(part: shapes.Part) -> dict[str, Any]:
    match part:
        case shapes.Text():
            return {"type": "text", "content": part.text}
        case shapes.Thinking():
            return {"type": "reasoning", "content": part.text}
        case shapes.ToolUse():
            return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.arguments}
        case shapes.ToolResult():
            return {"type": "tool_call_response", "id": part.id, "response": part.text}
    other: dict[str, Any] = msgspec.to_builtins(part)
    return other


def _json(value: Any) -> str:
    return jsontext.text(value).decode()
