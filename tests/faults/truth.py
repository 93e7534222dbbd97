"""What a trace holds against what both sides saw. Reads trace files without the package's own reader.

Of a capture, gaps and footers are those of the lines that it becomes, because users see these. Its frames are
read a second time here, from the blocks (`captures`): the lines must have the same ones.
"""

from __future__ import annotations

import base64
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any

from rich.console import Console

from acp_trace.report.text.show import Page, show
from acp_trace.store.sources import FileSource
from acp_trace.trace.files import open_trace
from tests.faults import captures
from tests.faults.lines import lines
from tests.faults.stage import Lie, Notes, must

SIDES = ("client", "agent")
_PARTIAL = b',"partial":true}\n'
_PIECE = 1 << 20


def entries(path: Path) -> Iterator[tuple[str, Any]]:
    """The whole lines of a trace, as (sender, bytes of a frame) or (key, value) of another entry.

    A last line without its newline comes as ("partial", (sender, bytes)). Raises Lie for a capture whose lines
    have other frames than its blocks.
    """
    blocks = {side: captures.frames(path, side) for side in SIDES} if captures.is_capture(path) else {}
    with _lines(path) as stream:
        for key, value in _entries(stream):
            side, frame = value if key == "partial" else (key, value)
            if side in blocks:
                must(
                    next(blocks[side], None) == (frame, key != "partial"),
                    f"the lines have a frame of the {side} that the blocks have not, or not here: {frame[:80]!r}",
                )
            yield key, value
    for side, left in blocks.items():
        for frame, _ in left:
            raise Lie(f"the blocks have a frame of the {side} that the lines have not: {frame[:80]!r}")


def _lines(path: Path) -> IO[bytes]:
    """The file; of a capture, the lines that it becomes."""
    if not captures.is_capture(path):
        return open(path, "rb")
    stream = TemporaryFile()
    with open_trace(path)[1] as rendered:
        copyfileobj(rendered, stream, _PIECE)
    stream.seek(0)
    return stream


def _entries(stream: IO[bytes]) -> Iterator[tuple[str, Any]]:
    for line in stream:
        if not line.endswith(b"\n"):
            return
        head, found, rest = line.partition(b',"frame":')
        if found and b'"from":"' in head and not rest.endswith(_PARTIAL):
            yield head.rpartition(b':"')[2][:-1].decode(), rest[:-2]
        else:
            yield _entry(json.loads(line), rest.removesuffix(_PARTIAL))


def _entry(entry: dict[str, Any], text: bytes) -> tuple[str, Any]:
    if "from" not in entry:
        return next(((key, entry[key]) for key in ("log", "gap", "end") if key in entry), ("", entry))
    if "text" in entry:
        text = entry["text"].encode()
    elif "base64" in entry:
        text = base64.b64decode(entry["base64"])
    return ("partial", (entry["from"], text)) if entry.get("partial") else (entry["from"], text)


def prefix(side: str, said: Iterable[bytes], style: str = "mixed") -> int:
    """How many frames there are: the first ones of a side, none missing, none twice, byte for byte."""
    count = 0
    for frame, line in zip(said, lines(side, style), strict=False):
        if frame + b"\n" != line:
            raise Lie(f"{side} frame {count} is not there; in its place: {frame[:80]!r}")
        count += 1
    return count


def heard(side: str, saw: Path, count: int, style: str = "mixed") -> None:
    """Whether a peer heard `count` lines of `side`, byte for byte, and nothing else."""
    with open(saw, "rb") as stream:
        for number, line in enumerate(islice(lines(side, style), count)):
            if stream.read(len(line)) != line:
                raise Lie(f"line {number} of the {side} came through otherwise, or not at all")
        must(not stream.read(1), f"more came through than the {side} said")


def holds(path: Path, side: str, count: int, style: str = "mixed") -> None:
    """Whether a trace holds `count` frames of `side`, byte for byte, each once."""
    found = prefix(side, (value for key, value in entries(path) if key == side), style)
    must(found == count, f"{found} of {count} frames of the {side} are in the trace")


def complete(side: str, saw: bytes, style: str = "mixed") -> int:
    """How many whole lines of `side` the other one saw; all that it saw must be what was said."""
    count = saw.count(b"\n")
    said = b"".join(islice(lines(side, style), count + 1))
    must(said.startswith(saw), f"what came through of the {side} is not what it said")
    return count


def seen(path: Path, by_client: Notes, by_agent: Notes) -> Counter[str]:
    """The whole frames of a trace by sender, when nothing that the other side saw whole is missing in it."""
    found: dict[str, list[bytes]] = {side: [] for side in SIDES}
    if path.exists():
        for key, value in entries(path):
            if key in found:
                found[key].append(value)
    for side, other in zip(SIDES, (by_agent, by_client), strict=True):
        prefix(side, found[side])
        missing = complete(side, other.saw()) - len(found[side])
        must(missing <= 0, f"{missing} frames of the {side} were seen and are missing: {path}")
    return Counter({side: len(found[side]) for side in SIDES})


def opens(path: Path) -> int:
    """Reads a trace as `show` does, and prints its page; how many frames it has. Raises what show would."""
    source = FileSource(path)
    try:
        found = source.facts()
        console = Console(file=io.StringIO(), width=100)
        show(console, Page(found, source.damage(), False, 100, False), ())
        must(not source.damage(), f"damaged lines: {source.damage()[:3]}")
        return found.trace.frames_client + found.trace.frames_agent
    finally:
        source.close()
