"""What a run left in its directories, compared with what the recorded agent left there. Pure.

An agent can write files without a message to its client. So the files at the end are compared, if they were
changed in either run. Agents also keep caches, logs and databases where they work, and their users save files
meanwhile. None of that is a regression, so this module decides whose work a file is:

- a file counts if a tool call reports that it was written, whatever the file is
- else a text counts, if its name is not that of a cache or of an agent's own state, and, in the recording,
  if it was changed while the agent worked on a request that was not cancelled
- what commands of the recorded client wrote does not count: a replay does not run them
- a file that the client was asked to write counts if both were asked, and the run's file holds something else

Texts are compared in the usual form: without ids, times and directories.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from pathlib import PurePosixPath

from acp_trace.compare.codes import CODES, Match, at_level
from acp_trace.compare.result import Divergence
from acp_trace.compare.side_names import directories, made_up_ids
from acp_trace.normalize import pointers
from acp_trace.normalize.normalizer import CONTENT, Normalizer
from acp_trace.replay.left_files import LeftBoth, LeftDirectory, LeftFile
from acp_trace.replay.verdict.left_names import is_plain
from acp_trace.replay.verdict.left_uses import LeftUses, Place
from acp_trace.story.model import SessionStory, Story
from acp_trace.story.reader import EventReader
from acp_trace.trace.entries import Entry

_MOST = 20  #: divergences of a code that are reported one by one


def divergences(
    left: LeftBoth | None,
    traces: tuple[Sequence[Entry], Sequence[Entry]],
    readers: tuple[EventReader, EventReader],
    match: Match,
) -> list[Divergence]:
    """Return what differs in a recording and its run, by directory and name, in this order everywhere.

    Empty if `left` is None or of another recording, at a level that does not compare files, and if the
    recording ends in the middle of a turn.
    """
    if left is None or not at_level("file-missing", match):
        return []
    if readers[0].facts().trace.id != left.expected.recording:
        return []
    comparison = _Comparison(left, traces, readers, match)
    return list(_few(_moved(list(comparison.found())))) if comparison.expected.is_settled else []


class _Comparison:
    def __init__(
        self,
        left: LeftBoth,
        traces: tuple[Sequence[Entry], Sequence[Entry]],
        readers: tuple[EventReader, EventReader],
        match: Match,
    ) -> None:
        self._left, self._readers, self._match = left, readers, match
        self.expected = LeftUses(left.expected, traces[0], readers[0].facts())
        self.actual = LeftUses(left.actual, traces[1], readers[1].facts())

    @cached_property
    def _normalizers(self) -> tuple[Normalizer, Normalizer]:
        """Return the normalisers for texts of both sides; most replays do not need them."""
        expected, actual = (reader.story() for reader in self._readers)
        (was, now), (ids, actual_ids) = (
            directories(expected, actual, list(self._sessions(expected, actual))),
            made_up_ids(expected, actual, self._match),
        )
        return Normalizer("expected", was, ids=ids), Normalizer("actual", now, ids=actual_ids)

    def _sessions(self, expected: Story, actual: Story) -> Iterator[tuple[SessionStory, SessionStory]]:
        """Yield the sessions that were opened in corresponding directories."""
        of_run = self._left.actual.roots
        for number, roots in self._left.expected.roots.items():
            yield from product(_opened_in(expected, roots), _opened_in(actual, of_run.get(number, ())))

    def found(self) -> Iterator[tuple[Divergence, str]]:
        """Yield the divergences, each with the digest of its file."""
        actual_directories = self._left.actual.directories
        for number, was in self._left.expected.directories.items():
            now = actual_directories.get(number)
            if now is None:
                continue
            for name in sorted(
                {*was.files, *was.deleted, *now.files, *now.deleted} - was.unknown - now.unknown
            ):
                yield from self._file((number, name), was, now)

    def _file(self, place: Place, was: LeftDirectory, now: LeftDirectory) -> Iterator[tuple[Divergence, str]]:
        name = place[1]
        expected, actual = was.files.get(name), now.files.get(name)
        if self.expected.is_asked(place) != self.actual.is_asked(place):
            return  # the request is missing, or new, and reported
        if actual is not None and self.actual.is_cut_off(actual) and not self.actual.is_written(place):
            return
        if expected is not None:
            yield from self._recorded(place, expected, actual)
        elif name in was.deleted:
            is_known = self.expected.is_written(place) or not self.expected.has_terminals
            if actual is not None and is_known and self._is_kept(place, actual):
                words = "is still there at the end, but was deleted in the recording"
                yield self._made("file-extra", place, words, None, actual)
        elif actual is None:
            if is_plain(name) or self.actual.is_written(place):
                words = "was deleted, but not in the recording"
                yield self._made("file-missing", place, words, None, None)
        elif (before := now.before.get(name)) is not None:
            if self._is_kept(place, actual):
                words = "was changed, but not in the recording"
                yield from self._differs(place, before, actual, words)
        elif self._is_extra(place, was, actual):
            words = "is there at the end, but not in the recording"
            yield self._made("file-extra", place, words, None, actual)

    def _recorded(
        self, place: Place, expected: LeftFile, actual: LeftFile | None
    ) -> Iterator[tuple[Divergence, str]]:
        """Yield the divergence of a file that was changed in the recording, or is new there."""
        is_by_terminal = self.expected.is_by_terminal(expected)
        if not self._is_work(place, expected):
            return
        if actual is None:
            if not is_by_terminal or self.expected.is_written(place):
                yield self._made("file-missing", place, "is missing at the end", expected, None)
        elif not is_by_terminal:
            yield from self._differs(place, expected, actual)

    def _is_work(self, place: Place, file: LeftFile) -> bool:
        """Whether a file of the recording is the agent's work."""
        is_at_work = is_plain(place[1]) and file.is_text and self.expected.is_at_work(file)
        return self.expected.is_written(place) or self.expected.is_asked(place) or is_at_work

    def _is_kept(self, place: Place, file: LeftFile) -> bool:
        """Whether a file of the run is work for people. Only the agent works in the run's directory."""
        return self.actual.is_written(place) or (is_plain(place[1]) and file.is_text)

    def _is_extra(self, place: Place, was: LeftDirectory, file: LeftFile) -> bool:
        if self.actual.is_asked(place):
            return False  # the replay wrote it, and the recorded client only claimed to
        if self.expected.has_terminals and self.expected.is_written(place):
            return False  # a command of the client may have removed it
        if was.listing == "git-above" and not self.actual.is_written(place):
            return False  # the repository around the recorded directory may ignore it
        return self._is_kept(place, file)

    def _differs(
        self,
        place: Place,
        expected: LeftFile,
        actual: LeftFile,
        words: str = "has different content at the end",
    ) -> Iterator[tuple[Divergence, str]]:
        if expected.digest == actual.digest or self.actual.is_as_asked(place, actual):
            return
        if actual.text is None and self.actual.is_asked(place):
            return  # it may be what the client was asked to write
        shown = None
        if expected.text is not None and actual.text is not None:
            was = self._normalizers[0].words(expected.text, CONTENT)
            now = self._normalizers[1].words(actual.text, CONTENT)
            shown = pointers.shown_pair(was, now) if was != now else None
        elif self.expected.is_written(place) or expected.is_text != actual.is_text:
            was, now = (f"{file.size} bytes, SHA-256 {file.digest[:8]}…" for file in (expected, actual))
            shown = was, now
        if shown is not None:
            yield self._made("file-differs", place, words, expected, actual, shown)

    def _made(
        self,
        code: str,
        place: Place,
        words: str,
        expected: LeftFile | None,
        actual: LeftFile | None,
        shown: tuple[str | None, str | None] | None = None,
    ) -> tuple[Divergence, str]:
        number, name = place
        was, now = shown or (_shown(expected), _shown(actual))
        event = None if code == "file-extra" else self.expected.event(place, expected)
        actual_event = None if code == "file-missing" else self.actual.event(place, actual)
        session = self.expected.session(number, None if event is None else event.frame)
        several = len(self._left.expected.directories) > 1
        root = next(iter(self._left.expected.roots.get(number, ())), "")
        shown_name = f"{PurePosixPath(root).name}/{name}" if several else name
        divergence = Divergence(
            code,
            CODES[code].severity,
            session,
            f"{shown_name} {words}",
            was,
            now,
            event,
            actual_event,
            about=name,
        )
        file = expected or actual
        return divergence, file.digest if file is not None and file.size else ""


def _shown(file: LeftFile | None) -> str | None:
    """Return a file's text for people, else its size."""
    if file is None:
        return None
    return pointers.shown(file.text) if file.text else f"{file.size} bytes"


def _moved(found: list[tuple[Divergence, str]]) -> Iterator[Divergence]:
    """Yield the divergences. A missing file whose content is in an extra file is reported once."""
    extra = {digest: divergence for divergence, digest in found if divergence.code == "file-extra" and digest}
    moved = {
        divergence.about: extra.pop(digest)
        for divergence, digest in found
        if divergence.code == "file-missing" and digest in extra
    }
    passed = set(map(id, moved.values()))
    for divergence, _ in found:
        if divergence.code == "file-missing" and (other := moved.get(divergence.about)) is not None:
            message = f"{divergence.message}: its content is in {other.about}"
            yield replace(divergence, message=message, got=other.about, got_event=other.got_event)
        elif id(divergence) not in passed:
            yield divergence


def _opened_in(story: Story, roots: Sequence[str]) -> list[SessionStory]:
    opened = {session.session_id for session in story.facts.sessions if session.cwd in roots}
    return [session for id_, session in story.sessions.items() if id_ in opened]


def _few(found: Iterator[Divergence]) -> Iterator[Divergence]:
    """Yield the first divergences of each code, and one for all others."""
    more: dict[str, list[Divergence]] = {}
    for divergence in found:
        of_code = more.setdefault(divergence.code, [])
        of_code.append(divergence)
        if len(of_code) <= _MOST:
            yield divergence
    for of_code in more.values():
        if rest := of_code[_MOST:]:
            message = (
                f"{rest[0].message}; the same goes for {len(rest) - 1} more" if rest[1:] else rest[0].message
            )
            yield replace(rest[0], message=message, count=len(rest))
