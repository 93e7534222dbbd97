"""Paths that are not absolute, impossible line numbers, and reads longer than requested."""

from __future__ import annotations

import re
from typing import NamedTuple

from acp_trace.analyze.contradictions.rules import Answered, Asked, RuleContext, Rules, Updated
from acp_trace.analyze.findings.codes import Severity
from acp_trace.protocol import methods, updates
from acp_trace.trace.counts import counted, number
from acp_trace.trace.jsontext import as_integer, as_object, short

#: Absolute paths of POSIX, of Windows and of a share (`\\server\…`); a redacted path begins with `<`.
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\|<")
_ABOUT_FILES = (methods.READ_FILE, methods.WRITE_FILE)


class _Named(NamedTuple):
    """The place of a path: its frame, sender and session, and the method or update (`by`) that has it."""

    frame: int
    sender: str
    session_id: str | None
    by: str


class FileRules(Rules):
    """Requests that name a file or a directory, and updates that show one."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        directories = (*methods.OPENERS, methods.LIST, methods.TERMINAL_CREATE)
        self.requests = {
            **dict.fromkeys(directories, self._names_directories),
            **dict.fromkeys(_ABOUT_FILES, self._names_file),
            methods.PERMISSION: self._asks_for_command,
        }
        self.answers = {methods.READ_FILE: self._was_read, methods.LIST: self._listed}
        self.updates = {
            **dict.fromkeys(updates.TOOL_CALLS, self._shows),
            updates.TERMINAL: self._shows_terminal,
        }

    def _names_directories(self, asked: Asked) -> None:
        self._path(asked.params.get("cwd"), _of_call(asked), "/params/cwd")
        more = asked.params.get("additionalDirectories")
        for at, path in enumerate(more if isinstance(more, list) else ()):
            self._path(path, _of_call(asked), f"/params/additionalDirectories/{at}")

    def _names_file(self, asked: Asked) -> None:
        self._path(asked.params.get("path"), _of_call(asked), "/params/path")
        if asked.params.get("line") == 0 and asked.params.get("line") is not False:
            text = f"line 0 in {asked.method}: lines are counted from 1"
            self.say("line-out-of-range", asked.sender, asked.frame, asked.session_id, text,
                     path="/params/line", expected="at least 1")  # fmt: skip

    def _asks_for_command(self, asked: Asked) -> None:
        """Check the directory of a command that a permission is about (version 2)."""
        self._path(as_object(asked.params.get("subject")).get("cwd"), _of_call(asked), "/params/subject/cwd")

    def _shows_terminal(self, updated: Updated) -> None:
        self._path(updated.update.members.get("cwd"), _of_update(updated), "/params/update/cwd", "warning")

    def _shows(self, updated: Updated) -> None:
        members = updated.update.members
        if not (members.get("locations") or members.get("content")):
            return
        named = _of_update(updated)
        for at, location in enumerate(updated.update.locations):
            self._path(location.path, named, f"/params/update/locations/{at}/path", "warning")
        for at, shown in enumerate(updated.update.contents):
            if shown.type == "diff":
                place = f"/params/update/content/{at}"
                self._path(shown.path, named, f"{place}/path", "warning")
                for number, change in enumerate(shown.changes):
                    self._path(change.path, named, f"{place}/changes/{number}/path", "warning")

    def _path(self, path: object, named: _Named, place: str, severity: Severity | None = None) -> None:
        if isinstance(path, str) and not _ABSOLUTE.match(path):
            text = f"{short(path)} in {named.by} is not an absolute path"
            self.say("path-relative", named.sender, named.frame, named.session_id, text, named.by,
                     path=place, expected="an absolute path", severity=severity)  # fmt: skip

    def _listed(self, answer: Answered) -> None:
        named = _Named(answer.frame, "agent", None, "the answer to session/list")
        listed = answer.result.get("sessions")
        for at, row in enumerate(listed if isinstance(listed, list) else ()):
            self._path(as_object(row).get("cwd"), named, f"/result/sessions/{at}/cwd")

    def _was_read(self, answer: Answered) -> None:
        limit, content = as_integer(answer.asked.params.get("limit")), answer.result.get("content")
        if limit is None or limit < 0 or not isinstance(content, str):
            return
        lines = content.count("\n") + (content[-1:] not in ("", "\n"))
        if lines > limit:
            text = f"{counted(lines, 'line')} of a file, but at most {number(limit)} were requested"
            self.say("read-range-ignored", "client", answer.frame, answer.session_id, text,
                     path="/result/content", expected=f"at most {limit} lines")  # fmt: skip


def _of_call(asked: Asked) -> _Named:
    return _Named(asked.frame, asked.sender, asked.session_id, asked.method)


def _of_update(updated: Updated) -> _Named:
    return _Named(updated.frame, "agent", updated.session.id, updated.kind)
