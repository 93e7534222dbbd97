"""The tar archive of a workspace snapshot, as it is written: its head, and its members."""

from __future__ import annotations

import io
import tarfile
from typing import IO

from acp_trace.replay.drive.workspace_files import FileCopy


def archive_to(stream: IO[bytes], comment: str) -> tarfile.TarFile:
    """Return an archive to write to, packed. `comment`: its description of itself."""
    return tarfile.open(
        fileobj=stream,
        mode="w:gz",
        compresslevel=1,
        format=tarfile.PAX_FORMAT,
        pax_headers={"comment": comment},
    )


def placeholder() -> tarfile.TarInfo:
    """Return a member for an otherwise empty archive: readers treat an archive without members as broken."""
    member = tarfile.TarInfo(".")
    member.type, member.mode = tarfile.DIRTYPE, 0o700
    return member


def add(archive: tarfile.TarFile, name: str, copy: FileCopy) -> None:
    """Add a file, or a link, under this name."""
    member = tarfile.TarInfo(name)
    member.mode, member.mtime = copy.mode, copy.written_s
    if copy.link is not None:
        member.type, member.linkname = tarfile.SYMTYPE, copy.link
        archive.addfile(member)
        return
    member.size = len(copy.content)
    archive.addfile(member, io.BytesIO(copy.content))
