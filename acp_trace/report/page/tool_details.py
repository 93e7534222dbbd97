"""What tool calls hold and permissions offer, which no fact says: read from their frames. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.protocol import methods, updates
from acp_trace.protocol.payloads import BlockView, FileView, ToolContentView, params_in, update_in
from acp_trace.report.page.diff_lines import diff
from acp_trace.report.page.documents import DiffHunk, FileDiff, HeldByTool, PermissionOption, ToolPart
from acp_trace.report.page.terminal_texts import TerminalTexts

_CHUNK = "tool_call_content_chunk"
_UPDATES = (*updates.TOOL_CALLS, _CHUNK)


@dataclass(slots=True)
class _Held:
    """What a tool call holds; of its input and its output, the frames that have them."""

    content: list[Any] = field(default_factory=list)
    locations: list[FileView] = field(default_factory=list)
    raw_input: int | None = None
    raw_output: int | None = None
    last_frame: int = 0
    terminals: list[str] = field(default_factory=list)  #: from `_meta`


class ToolDetails:
    """The tool calls and permissions of a trace, as its frames come."""

    def __init__(self, trace_facts: facts.Facts) -> None:
        self._begins = {(call.session_id, call.frame, call.id) for call in trace_facts.tool_calls}
        self._begun: dict[tuple[str, int, str], _Held] = {}
        self._latest: dict[tuple[str, str], _Held] = {}  #: by session and toolCallId
        self._options: dict[tuple[int, str | None], list[PermissionOption]] = {}  #: by frame and tool call
        self._terminals = TerminalTexts()

    def feed(self, frame: Frame) -> None:
        """Process a frame, which may be about something else."""
        self._terminals.feed(frame)
        session_id = frame.session_id
        if session_id is not None and frame.update in _UPDATES:
            self._update(session_id, frame)
        elif frame.method == methods.PERMISSION and frame.answers is None:
            params = params_in(frame.data)
            self._options[int(frame.frame), params.asked_about.tool_call_id] = [
                {"id": option.option_id, "name": option.name, "kind": option.kind}
                for option in params.options
            ]

    def tool(self, call: facts.ToolCall) -> HeldByTool:
        """What a tool call holds at the end."""
        held = self._begun.get((call.session_id, call.frame, call.id), _Held())
        content = [part for piece in held.content for part in self._part(call.session_id, piece)]
        shown = {part.get("terminal") for part in content}
        content += [
            self._terminals.get(call.session_id, terminal_id).document(terminal_id)
            for terminal_id in dict.fromkeys(held.terminals)
            if terminal_id not in shown
        ]
        return {
            "content": content,
            "locations": [
                {"path": location.path, "line": location.line}
                for location in held.locations
                if location.path is not None
            ],
            "raw_input_frame": held.raw_input,
            "raw_output_frame": held.raw_output,
            "last_frame": held.last_frame,
        }

    def options(self, permission: facts.Permission) -> list[PermissionOption]:
        """The options of a permission."""
        return self._options.get((permission.frame, permission.tool_call_id), [])

    def _update(self, session_id: str, frame: Frame) -> None:
        update = update_in(frame.data)
        number, id_ = int(frame.frame), str(update.tool_call_id)
        key = session_id, id_
        if (session_id, number, id_) in self._begins:
            self._begins.remove((session_id, number, id_))  # in a batch, the next one with its id goes on
            self._latest[key] = self._begun[session_id, number, id_] = _Held()
        held = self._latest.get(key)
        if held is None:
            return
        held.last_frame = number
        content = update.content
        if frame.update == _CHUNK:
            held.content.append(content)
        elif isinstance(content, list):
            held.content = list(content)
        if isinstance(update.members.get("locations"), list):
            held.locations = update.locations
        if update.raw_input is not None:
            held.raw_input = number
        if update.raw_output is not None:
            held.raw_output = number
        held.terminals += self._terminals.named(session_id, update)

    def _part(self, session_id: str, piece: object) -> list[ToolPart]:
        """One item of `content`: a text, a diff, or the output of a terminal."""
        item = ToolContentView(piece)
        kind = item.type
        if kind == "terminal" and (terminal_id := item.terminal_id) is not None:
            return [self._terminals.get(session_id, terminal_id).document(terminal_id)]
        if kind == "diff":
            return [{"diff": _diff(item)}]
        text = item.content.shown if kind == "content" else BlockView(piece).shown or None
        return [] if text is None else [{"text": text}]


def _diff(item: ToolContentView) -> FileDiff:
    """Version 1 gives both texts of a file; draft 2 a patch, and the paths that it changes."""
    if item.new_text is not None:
        return diff(item.path or "", item.old_text, item.new_text)
    paths = filter(None, (change.path for change in item.changes))
    hunks: list[DiffHunk] = [] if item.patch.text is None else [{"lines": item.patch.text.split("\n")}]
    return {"path": ", ".join(paths), "is_new": False, "hunks": hunks}
