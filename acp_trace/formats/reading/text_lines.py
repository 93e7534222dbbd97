"""The lines of a log that is text, and where they are. Pure; knows no format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from acp_trace.formats.reading.log import File

_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  #: what PowerShell makes of `tool > file`
_MOST = 100


def utf_8(data: bytes) -> bytes:
    """The bytes without a byte order mark; UTF-16 that begins with one as UTF-8."""
    if data[:2] in _UTF_16:
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    return data.removeprefix(_BOM)


def numbered(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Each line that is not blank, with its number from 1; without its newline."""
    for number, line in enumerate(utf_8(data).split(b"\n"), 1):
        if line.strip():
            yield number, line.removesuffix(b"\r")


def where(files: Sequence[File], file: File, number: int) -> str:
    """A line's place, for people: `line 7`, after the file's name if there are several."""
    return f"line {number}" if len(files) == 1 else f"{file.name}: line {number}"


def mostly(files: Sequence[File], is_line: Callable[[bytes], bool], share: float = 0.5) -> bool:
    """Whether this share of each file's first lines are what a format has: not a page that quotes one."""
    return bool(files) and all(_mostly(file.data, is_line, share) for file in files)


def _mostly(data: bytes, is_line: Callable[[bytes], bool], share: float) -> bool:
    lines = [line for _, line in islice(numbered(data), _MOST)]
    return sum(map(is_line, lines)) >= share * max(len(lines), 1)
