"""Which files an agent read or wrote, by the messages of a connection, and where it requested terminals.

For two notes of a replay: files written outside the run's directories, and files that the recording read and
the run does not have. What an agent does without a message is unknown. Does no I/O: paths are texts.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar
from urllib.parse import unquote

from acp_trace.normalize import windows
from acp_trace.protocol import methods, updates
from acp_trace.protocol.payloads import ParamsView, ToolCallView, blocks
from acp_trace.replay.incidents import Incident, Place
from acp_trace.trace import jsontext
from acp_trace.trace.entries import SENT, Entry

P = TypeVar("P")
#: `asked`: the client was asked to write it, and did not refuse. `ran`: a terminal was requested there.
Use = Literal["read", "wrote", "asked", "ran"]

#: A request's use of a file, and the place of its path.
_USES: dict[str, tuple[Use, str]] = {
    methods.READ_FILE: ("read", "path"),
    methods.WRITE_FILE: ("asked", "path"),
    methods.TERMINAL_CREATE: ("ran", "cwd"),
}
_WRITING = frozenset({"edit", "delete", "move"})
#: Every relevant message contains one of these; most messages need not be decoded.
_WORDS = (b"fs/", b"terminal/create", b"tool_call", b"resource_link")
_VERBS: dict[Use, str] = {"wrote": "wrote", "asked": "asked to write", "ran": "asked for a terminal in"}
_MOST = 3  #: paths that a note names
_LONGEST = 1 << 16  #: characters of commands to remember
_URI = "file://"


@dataclass(frozen=True, slots=True)
class FileUse(Generic[P]):
    """A file that was used, and the message that shows it."""

    place: P
    use: Use
    path: str


@dataclass(slots=True)
class _ToolCall:
    kind: str = ""
    paths: dict[str, None] = field(default_factory=dict)
    diffs: dict[str, bool] = field(default_factory=dict)  #: path -> whether there was a file before


class FileUses(Generic[P]):
    """Processes messages, and yields the files that they name, as soon as that is certain."""

    def __init__(self) -> None:
        self._asked: dict[str, tuple[Use, str]] = {}
        self._calls: dict[tuple[str, str], _ToolCall] = {}
        self.commands = ""  #: of all tool calls that ran commands, one after the other

    def feed(self, place: P, sender: str, data: bytes) -> Iterator[FileUse[P]]:
        """Process the next message."""
        waited = sender == "client" and self._asked
        if not waited and not any(word in data for word in _WORDS):
            return
        message = jsontext.value_or_none(data)
        if not isinstance(message, dict):
            return
        method, params = message.get("method"), ParamsView(message.get("params"))
        if method is None:
            use = self._asked.pop(jsontext.string(message.get("id")), None) if waited else None
            if use is not None and "result" in message:
                yield FileUse(place, *use)
        elif not isinstance(method, str):
            return
        elif method in _USES and sender == "agent":
            what, key = _USES[method]
            if isinstance(path := params.members.get(key), str):
                self._asked[jsontext.string(message.get("id"))] = what, path
        elif method == methods.PROMPT:
            for path in _linked(params.prompt):
                yield FileUse(place, "read", path)
        elif method == methods.UPDATE and params.update.session_update in updates.TOOL_CALLS:
            for what, path in self._on_tool_call(str(params.session_id), params.update):
                yield FileUse(place, what, path)

    def _on_tool_call(self, session: str, update: ToolCallView) -> Iterator[tuple[Use, str]]:
        key = session, str(update.tool_call_id)
        call = self._calls.setdefault(key, _ToolCall())
        call.kind = call.kind if update.kind is None else update.kind
        call.paths |= {location.path: None for location in update.locations if location.path is not None}
        for content in update.contents:
            if content.type == "diff" and (path := content.path) is not None:
                call.diffs[path] = call.diffs.get(path, False) or bool(content.old_text)
        if call.kind == "execute" and len(self.commands) < _LONGEST:
            self.commands += f"\n{update.title} {jsontext.string(update.raw_input)}"
        if update.status in ("completed", "failed"):
            del self._calls[key]
            if update.status == "completed":
                yield from _uses(call)


def _uses(call: _ToolCall) -> Iterator[tuple[Use, str]]:
    for path, existed in call.diffs.items():
        if existed:
            yield "read", path
        yield "wrote", path
    if call.kind == "read" or call.kind in _WRITING:
        use: Use = "read" if call.kind == "read" else "wrote"
        yield from ((use, path) for path in call.paths if path not in call.diffs)


def _linked(prompt: object) -> Iterator[str]:
    for block in blocks(prompt):
        if block.type == "resource_link" and (uri := block.uri or "").startswith(f"{_URI}/"):
            yield unquote(uri[len(_URI) :])


def written_outside(entries: Iterable[Entry], directories: Sequence[str]) -> Incident | None:
    """Return the note of what an agent wrote outside the run's directories, by its messages.

    `wrote /etc/hosts, outside of the run's directories`
    """
    uses: FileUses[Place] = FileUses()
    outside: dict[str, tuple[Place, Use]] = {}
    count = {"client": 0, "agent": 0}
    for entry in entries:
        if entry.kind in SENT and entry.sender is not None:
            count[entry.sender] += 1
            for use in uses.feed((entry.sender, count[entry.sender]), entry.sender, entry.data):
                is_out = is_absolute(use.path, directories) and below(use.path, directories) is None
                if use.use != "read" and is_out:
                    outside.setdefault(use.path, (use.place, use.use))
    if not outside:
        return None
    first_place, first_use = next(iter(outside.values()))
    parts = [
        f"{verb} {_listed([path for path, (_, what) in outside.items() if what == use])}"
        for use, verb in _VERBS.items()
        if any(what == use for _, what in outside.values())
    ]
    message = f"the agent {' and '.join(parts)}, outside of the run's directories"
    return Incident("written-outside", message, got=first_place, now=first_use)


def files_before(messages: Iterable[tuple[int, str, bytes]], directories: Sequence[str]) -> dict[str, int]:
    """Return the files that were in a recording's directories before it, by its messages.

    By path, the frame that shows it. Files that the agent made itself are not included.
    """
    uses: FileUses[int] = FileUses()
    made: set[str] = set()
    before: dict[str, int] = {}
    for frame, sender, data in messages:
        for use in uses.feed(frame, sender, data):
            path = use.path
            if not is_absolute(path, directories) and len(directories) == 1:
                path = posixpath.join(directories[0], path)
            directory, name = below(path, directories) or (None, "")
            path = posixpath.normpath(path) if directory is None else posixpath.join(directory, name)
            by_agent = path in made or posixpath.basename(path) in uses.commands
            if use.use in ("wrote", "asked"):
                made.add(path)
            elif use.use == "read" and not by_agent and name:
                before.setdefault(path, frame)
    return before


def missing(files: Mapping[str, int], advice: str) -> Incident:
    """Return the note of files that the recording had and the run does not, by path as people know it."""
    what = f"{_listed(list(files))}, which the agent read in the recording"
    message = f"the run's directory does not have {what}{advice}"
    return Incident("files-missing", message, expected=min(files.values()))


def below(path: str, directories: Iterable[str]) -> tuple[str, str] | None:
    """Return the innermost directory that contains a path, and the rest of the path; None if outside all."""
    written, path = path, posixpath.normpath(path)
    for directory in sorted(directories, key=len, reverse=True):
        rest = windows.below(written, directory)
        if rest is not None:
            return directory, rest
        above = posixpath.normpath(directory).rstrip("/")
        if f"{path}/".startswith(f"{above}/"):
            return directory, path[len(above) + 1 :]
    return None


def is_absolute(path: str, directories: Iterable[str]) -> bool:
    """Whether a path is absolute on the system that has these directories."""
    if posixpath.isabs(path):
        return True
    return windows.read(path) is not None and any(windows.read(each) is not None for each in directories)


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _MOST} more" if len(paths) > _MOST else ""
    return ", ".join(paths[:_MOST]) + more
