"""The files that were kept with a recording (`record --workspace-snapshot`), found and unpacked.

What is in such a file is not trusted: nothing of it comes to lie outside of the directory that it is unpacked
into.
"""

from __future__ import annotations

import json
import os
import tarfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO

from acp_trace.replay.drive.directories import Stopped
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.settings import Settings, Snapshot
from acp_trace.trace.entries import Entry, EntryKind, Header
from acp_trace.trace.jsontext import value_or_none
from acp_trace.trace.names import home_directory, snapshot_at_home, snapshot_beside

#: Of what is unpacked, at most: bytes, and names.
_LARGEST, _MOST = 4 << 30, 200_000
_BLOCK = 1 << 20
#: Of a snapshot of one directory, and of several: there each file has the number of its directory before it.
_FORMATS = 1, 2
_FORMAT_OF_SEVERAL = 2
_SHOWN = 3  #: names of files that are not there
#: What a file raises that is none.
_BROKEN = (tarfile.TarError, zlib.error, EOFError, ValueError)


def find(trace: Path | None, snapshot_id: str) -> Snapshot | None:
    """The snapshot of a recording, next to its file or in the home directory; None if it is not there.

    `snapshot_id`: what the recording's header says.
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
            left_out = about.get("left_out")
            return Snapshot(
                Path(place),
                left_out if isinstance(left_out, int) else 0,
                _names(about, "secrets"),
                _names(about, "changed"),
                about["acp_trace_workspace"] == _FORMAT_OF_SEVERAL,
            )
    return None


def _names(about: dict[str, object], key: str) -> tuple[str, ...]:
    names = about.get(key)
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def missing(snapshot: Snapshot) -> str:
    """What a snapshot left out, in words: `2 files: --workspace-snapshot-limit`; empty if it is complete."""
    parts = [f"{snapshot.left_out} files: --workspace-snapshot-limit"] if snapshot.left_out else []
    if snapshot.secrets:
        parts.append(f"{_some(snapshot.secrets)}, which may hold secrets: --workspace-snapshot-secrets")
    return "; ".join(parts)


def changed(snapshot: Snapshot) -> str:
    """What it left out because it was changed while the agent was at work; empty if nothing was."""
    return f"{_some(snapshot.changed)}, changed before it was taken" if snapshot.changed else ""


def _some(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def with_snapshot(settings: Settings, trace: Path | None, recorded: Sequence[Entry]) -> Settings:
    """The settings of a replay, with the recording's snapshot if there is one and no directory is given."""
    if settings.workspace is not None or settings.cwd is not None or not recorded:
        return settings
    head = value_or_none(recorded[0].data) if recorded[0].kind is EntryKind.HEADER else None
    found = find(trace, Header.of(head).snapshot) if isinstance(head, dict) else None
    return settings if found is None else replace(settings, snapshot=found)


def unpack(snapshot: Path, target: Path, stop: Stop, below: str = "") -> None:
    """Unpacks the files into a directory that is there, and empty. Raises OSError, Stopped.

    `below`: only those whose names begin so, without that.
    """
    links: list[tarfile.TarInfo] = []
    left = _LARGEST
    try:
        with tarfile.open(snapshot, "r:gz") as archive:
            for count, member in enumerate(archive):
                if stop.is_set():
                    raise Stopped
                left -= max(member.size, 0)
                if left < 0 or count >= _MOST:
                    raise OSError(27, "is too large", str(snapshot))
                if not member.name.startswith(below):
                    continue
                member.name = member.name[len(below) :]
                if not _is_inside(member.name):
                    continue
                if member.issym():
                    links.append(member)
                elif member.isreg() and (content := archive.extractfile(member)) is not None:
                    _write(target / member.name, content, member.mode & 0o777, stop)
    except _BROKEN as error:
        raise OSError(22, f"is not a workspace snapshot ({error})", str(snapshot)) from None
    root = os.path.realpath(target)
    for link in links:  # last, so that no file is written through one; and no link is made through another
        leads_to = os.path.normpath(os.path.join(os.path.dirname(link.name), link.linkname))
        parent = os.path.normpath(os.path.join(root, os.path.dirname(link.name)))
        if _is_inside(leads_to) and os.path.realpath(parent) == parent:
            os.makedirs(parent, exist_ok=True)
            with suppress(FileExistsError):
                os.symlink(link.linkname, os.path.join(root, link.name))


def _write(path: Path, content: IO[bytes], mode: int, stop: Stop) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), open(path, "xb", buffering=0) as written:
        while block := content.read(_BLOCK):
            if stop.is_set():
                raise Stopped
            written.write(block)
        os.chmod(path, mode | 0o600)


def _is_inside(name: str) -> bool:
    """Whether a name stays in the directory that it is seen from."""
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\0" not in name


def _about(path: Path) -> dict[str, object] | None:
    """What a snapshot says of itself; None if it is none, or not there."""
    try:
        with tarfile.open(path, "r:gz") as archive:
            about = json.loads(archive.pax_headers.get("comment", ""))
    except (OSError, *_BROKEN):
        return None
    return about if isinstance(about, dict) and about.get("acp_trace_workspace") in _FORMATS else None
