"""What a run left in the directories that a snapshot was unpacked into, for comparison with the recording.

Only directories that were made for the run are examined, and only by their content: no name from the
recording's list is opened.
"""

from __future__ import annotations

import os
import posixpath
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from acp_trace.replay.drive import left_list, snapshot, workspace_files
from acp_trace.replay.drive.left_scan import LeftScan, left_file
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.files_named import below
from acp_trace.replay.incidents import Incident
from acp_trace.replay.left_files import (
    LONGEST_TEXT,
    LONGEST_TEXTS,
    MOST_FILES,
    LeftBoth,
    LeftDirectory,
    LeftFile,
    LeftFiles,
)
from acp_trace.replay.plan.recording import Recording
from acp_trace.replay.settings import Settings, Snapshot
from acp_trace.trace.scratch import scratch

#: Most bytes of a run's files to read, and of one file of the snapshot.
_LIMIT = 64 << 20
_TOO_MANY = (
    f"the run changed more than {MOST_FILES:,} files of its directory: those at its end are not compared"
)


class LeftRun:
    """The directories of a run, examined when they are laid out, and again at the end of the run.

    `own`: the directories made for it, by their recorded names. `incidents`: why some of them are not
    compared.
    """

    def __init__(self, recording: Recording, settings: Settings, own: Mapping[str, str], stop: Stop) -> None:
        self._recording, self._stop = recording, stop
        self.incidents: list[Incident] = []
        self._own = {recorded: os.path.realpath(path) for recorded, path in own.items()}
        self._snapshot = settings.snapshot
        found = _expected(recording, settings.snapshot)
        self._expected = {number: left for number, left in found.items() if self._path(number) is not None}
        self._known = {
            number: {
                file.name: file.changed_ns for file in workspace_files.all_files_in(self._path(number) or "")
            }
            for number in self._expected
        }

    def left(self, began_ns: int) -> LeftBoth | None:
        """Return what the recording and the run left; None if there is nothing to compare.

        `began_ns`: when the trace of the run began, in ns since 1970. Raises OSError.
        """
        scan, actual = LeftScan(_LIMIT, began_ns), dict[int, LeftDirectory]()
        for number, expected in self._expected.items():
            path = self._path(number) or ""
            if not os.path.isdir(path) or os.path.realpath(path) != path:  # removed, or replaced with a link
                actual[number] = LeftDirectory(
                    deleted=frozenset(filter(left_list.is_listed, self._known[number]))
                )
                continue
            files = [*workspace_files.all_files_in(path)]
            wanted = {*expected.files, *expected.deleted}
            visible = _visible(path) if expected.listing == "git" else None
            if visible is None and expected.listing == "git":
                self._expected[number] = replace(expected, listing="git-above")
            if visible is not None:
                seen = visible | wanted | self._known[number].keys()
                files = [file for file in files if file.name in seen]
            left = scan.directory(
                path, files, self._known[number], wanted=wanted, goes_on=lambda: not self._stop.is_set()
            )
            if left is not None:
                actual[number] = left
        if scan.has_limited:
            self.incidents.append(Incident("files-not-compared", _TOO_MANY))
        if not actual or self._snapshot is None or self._stop.is_set():
            return None
        expected_left = {number: self._expected[number] for number in actual}
        return self._compared(self._snapshot, expected_left, actual)

    def _compared(
        self, of: Snapshot, expected: dict[int, LeftDirectory], actual: dict[int, LeftDirectory]
    ) -> LeftBoth:
        """Return both, with the original content of the run's files, and the texts of those that differ."""
        begun: dict[str, tuple[int, str]] = {}
        texts: dict[str, tuple[int, str]] = {}
        for number, left in actual.items():
            below = f"{number}/" if of.is_of_several else ""
            begun |= {f"{below}{name}": (number, name) for name in left.files if name in self._known[number]}
            texts |= {
                f"{left_list.TEXTS}{number}/{name}": (number, name)
                for name, file in expected[number].files.items()
                if file.is_text and (name not in left.files or left.files[name].digest != file.digest)
            }
        kept = _snapshot_files(of.path, {*begun, *texts}, self._stop) if begun or texts else {}
        before: dict[int, dict[str, LeftFile]] = {number: {} for number in actual}
        for member, (number, name) in begun.items():
            if member in kept:
                before[number][name] = kept[member]
        for member, (number, name) in texts.items():
            file = expected[number].files[name]
            if member in kept and kept[member].digest == file.digest:
                files = {**expected[number].files, name: replace(file, text=kept[member].text)}
                expected[number] = replace(expected[number], files=files)
        for number, left in actual.items():
            listed = expected[number]
            actual[number] = left.since(before[number], {*listed.files, *listed.deleted})
        recorded = {number: (self._recording.directories[number],) for number in actual}
        made = {number: self._path(number) or "" for number in actual}
        of_run = {number: (path,) for number, path in made.items()}
        name = self._recording.trace_id
        return LeftBoth(LeftFiles(name, recorded, expected), LeftFiles(name, of_run, actual))

    def _path(self, number: int) -> str | None:
        return self._own.get(self._recording.directories[number])


def _expected(recording: Recording, of: Snapshot | None) -> dict[int, LeftDirectory]:
    """Return the recorded directories at the end, if they are this recording's, not those of an earlier one.

    A directory inside another may have a separate place in the run: then the outer one lacks its files.
    """
    if of is None or of.end is None or of.trace_id != recording.trace_id:
        return {}
    found = {number: left for number, left in of.end.items() if number < len(recording.directories)}
    roots = {number: posixpath.normpath(recording.directories[number]) for number in found}
    for number, left in found.items():
        within = (below(root, [roots[number]]) for root in roots.values())
        inner = tuple(f"{each[1]}/" for each in within if each is not None and each[1])
        if inner:
            files = {name: file for name, file in left.files.items() if not name.startswith(inner)}
            deleted = frozenset(name for name in left.deleted if not name.startswith(inner))
            found[number] = replace(left, files=files, deleted=deleted)
    return found


def _visible(path: str) -> frozenset[str] | None:
    with scratch() as root:
        return workspace_files.not_ignored(path, tempfile.mkdtemp(prefix="", dir=root))


def _snapshot_files(path: Path, names: Collection[str], stop: Stop) -> dict[str, LeftFile]:
    """Return the plain files of these names in a snapshot: the first of each. Raises OSError.

    A file above the size limit is left out.
    """
    found: dict[str, LeftFile] = {}
    texts = LONGEST_TEXTS
    for name, content in snapshot.contents(path, names, _LIMIT, stop):
        if name not in found:
            file = left_file(content, longest=LONGEST_TEXT if len(content) <= texts else -1)
            texts -= file.size if file.text is not None else 0
            found[name] = file
    return found
