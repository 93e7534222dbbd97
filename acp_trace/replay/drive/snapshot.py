"""The files kept with a recording (`record --workspace-snapshot`), found and unpacked.

Such a file is not trusted: nothing is unpacked outside the target directory.
"""

from __future__ import annotations

import errno
import json
import os
import tarfile
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import dropwhile, takewhile
from pathlib import Path, PurePosixPath
from typing import IO

from acp_trace.replay.drive import left_list
from acp_trace.replay.drive.directories import Stopped
from acp_trace.replay.drive.member_names import is_inside, is_usable
from acp_trace.replay.drive.untrusted_archive import EndsEarly, members, opened
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.settings import Settings, Snapshot
from acp_trace.trace.entries import Entry, EntryKind, Header
from acp_trace.trace.inflate import TooMuch
from acp_trace.trace.jsontext import object_in
from acp_trace.trace.names import home_directory, snapshot_at_home, snapshot_beside

#: Limits of the bytes to unpack: the first is always allowed, or the second times the size of the file if
#: that is more, but never more than the last. The default of a recorder is 50 MB of files, and source code
#: shrinks to a fifth.
_LEAST, _RATIO, _LARGEST = 100 << 20, 20, 4 << 30
#: Bytes that may be decompressed in addition: headers, and files that are left out.
_BESIDE = 1 << 30
#: The file is read once for each directory of a run: up to that limit at most this often.
_PASSES = 8
_MOST = 200_000  #: members, and directories that their names make
_BLOCK = 1 << 20
#: Formats of a snapshot of one directory, and of several: there the directory's number precedes each name.
_FORMATS = 1, 2
_FORMAT_OF_SEVERAL = 2
_SHOWN, _LONGEST_SHOWN = 3, 60  #: names of missing files that are shown, and characters of one
#: Errors for a name that the system does not accept: too long, taken, or below a file.
_UNUSABLE = frozenset(
    {errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.EINVAL, errno.EILSEQ, errno.ELOOP}
)
#: Why members are left out.
OUTSIDE, UNUSABLE, NO_FILE = "outside of the directory", "with an unusable name", "that are not plain files"
TOO_LARGE, REST = "too large", "with everything after it, because the total is too large"
UNREADABLE = "with everything after it, because the archive is damaged"


def find(trace: Path | None, snapshot_id: str) -> Snapshot | None:
    """Return the snapshot of a recording, next to its file or in the home directory; None if not found.

    `snapshot_id`: from the recording's header.
    """
    if not snapshot_id:
        return None
    places = [] if trace is None else [snapshot_beside(str(trace))]
    with suppress(OSError):
        if (at_home := snapshot_at_home(home_directory(), snapshot_id)) is not None:
            places.append(at_home)
    for place in places:
        about = _about(Path(place))
        if about is not None and about.get("trace") == snapshot_id:
            left_out, listed = about.get("left_out"), about.get("end")
            end = None if listed is None else left_list.read(listed)
            return Snapshot(
                Path(place),
                left_out if isinstance(left_out, int) else 0,
                _names(about, "secrets"),
                _names(about, "changed"),
                about["acp_trace_workspace"] == _FORMAT_OF_SEVERAL,
                snapshot_id,
                end,
                is_end_valid=(end is None) == (listed is None),
            )
    return None


def _names(about: dict[str, object], key: str) -> tuple[str, ...]:
    names = about.get(key)
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def missing(snapshot: Snapshot) -> str:
    """Return what a snapshot left out, in words: `2 files: --workspace-snapshot-limit`; empty if complete."""
    parts = [f"{snapshot.left_out} files: --workspace-snapshot-limit"] if snapshot.left_out else []
    if snapshot.secrets:
        parts.append(f"{_some(snapshot.secrets)}, which may hold secrets: --workspace-snapshot-secrets")
    return "; ".join(parts)


def changed(snapshot: Snapshot) -> str:
    """Return what it left out because the agent changed it too early; empty if nothing was."""
    return f"{_some(snapshot.changed)}, changed before it was taken" if snapshot.changed else ""


def _some(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def with_snapshot(settings: Settings, trace: Path | None, recorded: Sequence[Entry]) -> Settings:
    """Return the settings with the recording's snapshot, if there is one and no directory is given."""
    if settings.workspace is not None or settings.cwd is not None or not recorded:
        return settings
    head = object_in(recorded[0].data) if recorded[0].kind is EntryKind.HEADER else {}
    found = find(trace, Header.of(head).snapshot) if head else None
    return settings if found is None else replace(settings, snapshot=found)


class Unpacked:
    """What was unpacked of a snapshot so far, into all directories of a run, and what was left out."""

    def __init__(self) -> None:
        self.size = 0  #: bytes
        self.directories = 0  #: that were made
        self.read = 0  #: bytes decompressed for that, including what was left out
        self._count: Counter[str] = Counter()
        self._names: dict[str, list[str]] = {}

    def leave_out(self, why: str, name: str = "") -> None:
        """Count a member that is not unpacked."""
        self._count[why] += 1
        if name and len(names := self._names.setdefault(why, [])) < _SHOWN:
            names.append(name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…")

    @property
    def left_out(self) -> str:
        """Return the members left out: `1 too large (big), 2 with an unusable name (a, b)`; else empty."""
        return ", ".join(self._words(why, count) for why, count in self._count.items())

    def _words(self, why: str, count: int) -> str:
        names = ", ".join(self._names.get(why, ()))
        return f"{count} {why} ({names})" if names else f"{count} {why}"


def unpack(
    snapshot: Path, target: Path, stop: Stop, below: str = "", unpacked: Unpacked | None = None
) -> Unpacked:
    """Unpack the files into an existing, empty directory. Raises OSError, Stopped.

    `below`: only files whose names begin with this, without it. `unpacked`: what was unpacked before, which
    counts. What is too large, or cannot be made here, is left out and counted; so is what our recorder never
    keeps.
    """
    unpacked = unpacked or Unpacked()
    links: list[tuple[str, str]] = []
    most = _most(snapshot)
    longest = most + _BESIDE
    if unpacked.read > longest * (_PASSES - 1):
        unpacked.leave_out(REST)
        return unpacked
    with opened(snapshot, longest) as archive:
        try:
            with _counted_if_it_ends_early(unpacked):
                for count, member in enumerate(members(archive)):
                    if stop.is_set():
                        raise Stopped
                    if count >= _MOST:
                        raise TooMuch
                    if member.name.startswith(below) and not member.isdir():
                        _unpack_one(
                            archive, member, member.name[len(below) :], target, most, links, unpacked, stop
                        )
            _make_links(links, target, unpacked)
        except TooMuch:
            unpacked.leave_out(REST)
        finally:
            unpacked.read += archive.offset
    return unpacked


def contents(snapshot: Path, names: Collection[str], longest: int, stop: Stop) -> Iterator[tuple[str, bytes]]:
    """Yield the plain files of these names, each of at most `longest` bytes. Raises OSError.

    After too many members, too much content or a damaged member, the rest is left out; also after a wish to
    stop.
    """
    with opened(snapshot, _most(snapshot) + _BESIDE) as archive, suppress(TooMuch, EndsEarly):
        for count, member in enumerate(members(archive)):
            if count >= _MOST or stop.is_set():
                return
            is_file = member.isreg() and not member.issparse()
            if member.name in names and is_file and member.size <= longest:
                content = archive.extractfile(member)
                if content is not None:
                    yield member.name, b"".join(iter(partial(content.read, _BLOCK), b""))


def _most(snapshot: Path) -> int:
    """Return how many bytes of files may be unpacked from a snapshot."""
    return min(max(_LEAST, _RATIO * os.path.getsize(snapshot)), _LARGEST)


@contextmanager
def _counted_if_it_ends_early(unpacked: Unpacked) -> Iterator[None]:
    try:
        yield
    except EndsEarly:
        unpacked.leave_out(UNREADABLE)


def _unpack_one(
    archive: tarfile.TarFile,
    member: tarfile.TarInfo,
    name: str,
    target: Path,
    most: int,
    links: list[tuple[str, str]],
    unpacked: Unpacked,
    stop: Stop,
) -> None:
    """Write a file, or note a link for later; else count the member as left out."""
    is_file = member.isreg() and not member.issparse()
    if not is_inside(name):
        unpacked.leave_out(OUTSIDE, name)
    elif not is_usable(name):
        unpacked.leave_out(UNUSABLE, name)
    elif member.issym():
        links.append((name, member.linkname))
    elif not is_file:
        unpacked.leave_out(NO_FILE, name)
    elif unpacked.size + member.size > most:
        unpacked.leave_out(TOO_LARGE, name)
    elif (content := archive.extractfile(member)) is not None:
        unpacked.size += member.size
        with _made(name, unpacked):
            _make_directory((target / name).parent, unpacked)
            _write(target / name, content, member.mode & 0o777, stop)


def _make_links(links: Sequence[tuple[str, str]], target: Path, unpacked: Unpacked) -> None:
    """Make links last, so that no file or link is made through another link. Raises TooMuch."""
    for name, link in links:
        if _stays_inside(name, link) and not _is_below_link(target, name):
            with _made(name, unpacked):
                _make_directory((target / name).parent, unpacked)
                os.symlink(link, target / name)
        else:
            unpacked.leave_out(OUTSIDE, name)


def _make_directory(path: Path, unpacked: Unpacked) -> None:
    """Make a directory, and its parents. Raises TooMuch: one name can have a hundred of them."""
    missing = list(takewhile(lambda each: not each.is_dir(), (path, *path.parents)))
    unpacked.directories += len(missing)
    if unpacked.directories > _MOST:
        raise TooMuch
    path.mkdir(parents=True, exist_ok=True)


@contextmanager
def _made(name: str, unpacked: Unpacked) -> Iterator[None]:
    """Wrap the making of a file or link: if the system does not accept its name, it is left out."""
    try:
        yield
    except OSError as error:
        if error.errno not in _UNUSABLE:
            raise
        unpacked.leave_out(UNUSABLE, name)


def _write(path: Path, content: IO[bytes], mode: int, stop: Stop) -> None:
    with open(path, "xb", buffering=0) as written:
        while block := content.read(_BLOCK):
            if stop.is_set():
                raise Stopped
            left = memoryview(block)
            while left:
                left = left[written.write(left) :]
        os.chmod(path, mode | 0o600)


def _stays_inside(name: str, link: str) -> bool:
    """Whether a link of this name leads to a place in its directory, regardless of other links.

    `a/up/../..` would be inside as a name, but leads out if `a/up` is a link. So `..` is only accepted at the
    beginning: there it goes up directories that are not links, and each link below leads inside as well.
    """
    parts = PurePosixPath(link).parts
    names = list(dropwhile(lambda part: part == "..", parts))
    return ".." not in names and is_inside(os.path.normpath(os.path.join(os.path.dirname(name), link)))


def _is_below_link(target: Path, name: str) -> bool:
    return any((target / above).is_symlink() for above in PurePosixPath(name).parents if above.parts)


def _about(path: Path) -> dict[str, object] | None:
    """Return a snapshot's description of itself; None if it is not a snapshot, or missing."""
    try:
        if not path.is_file():  # reading a pipe would wait
            return None
        with opened(path, _BESIDE) as archive:
            about = json.loads(archive.pax_headers.get("comment", ""))
    except OSError:
        return None
    return about if isinstance(about, dict) and about.get("acp_trace_workspace") in _FORMATS else None
