"""`acp-trace redact`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acp_trace.cli import common, outputs
from acp_trace.cli.errors import USAGE, Misuse, fail

if TYPE_CHECKING:
    from acp_trace.redact.redactor import Redactor
    from acp_trace.redact.rules import Rule
    from acp_trace.store.sources import Source
    from acp_trace.trace.files import Readable


def redact(
    trace: common.Trace = "last",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to FILE, which must not exist.")
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Your own rules, in TOML, in addition to the built-in ones."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; show what would be replaced.")
    ] = False,
    json: common.Json = False,
) -> None:
    """Write a trace without its secrets, to share it.

    The same secret becomes the same placeholder, `<secret:1>`; a home directory becomes `<home>`. Everything
    else stays the same, including the trace's id. stderr shows what was replaced, by rule. What is found, and
    what is not: docs/redact.md.
    """
    from acp_trace.redact.redactor import Redactor
    from acp_trace.trace import whole_files

    if out is None and not dry_run:
        raise Misuse("give --out FILE, or --dry-run")
    if out is not None:
        outputs.must_be_new("--out", out)
    redactor = Redactor(_own(rules))
    with common.opened(trace) as source, _readable_twice(source, trace) as again:
        torn, lines = _learn(redactor, source, again)
        # Of a live trace the second pass must not read what the first had not seen.
        pieces = redactor.lines(islice(_trace(again(), source).entries(), lines))
        if out is None or dry_run:
            written = sum(map(len, pieces))
        else:
            written = whole_files.put(out, pieces, private=True, new=True)
    report = {
        "trace": source.name,
        "file": None if dry_run else str(out),
        "bytes": written,
        "dry_run": dry_run,
        "replaced": [row._asdict() for row in redactor.rows()],
        "frames_changed": redactor.report.frames,
        "lines_dropped": redactor.report.dropped,
        "torn_bytes": torn,
    }
    if json:
        common.print_json(report)
    _say(report)


def _own(rules: Path | None) -> tuple[Rule, ...]:
    from acp_trace.redact.own import BadRules, parse
    from acp_trace.trace.inputs import whole

    if rules is None:
        return ()
    try:
        return parse(whole(str(rules), "a file of rules").decode("utf-8-sig"))
    except OSError as error:
        from acp_trace.trace.os_errors import reason

        fail(f"{rules}: {reason(error)}", USAGE)
    except UnicodeDecodeError as error:
        fail(f"{rules}: is not UTF-8 (byte {error.start})", USAGE)
    except BadRules as error:
        fail(f"{rules}: {error}", USAGE)


@contextmanager
def _readable_twice(source: Source, trace: str) -> Iterator[Callable[[], Readable]]:
    """A function that opens the trace at its start. Standard input can be read once: it is kept meanwhile."""
    if trace != "-":
        yield lambda: _Pieces(source.file())
        return
    import tempfile

    from acp_trace.trace.scratch import naming_directory

    with tempfile.TemporaryFile() as kept:
        for piece in source.file():
            with naming_directory():
                kept.write(piece)

        def again() -> Readable:
            kept.seek(0)
            return kept

        yield again


class _Pieces:
    """The pieces of a file, read as a stream."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def read(self, size: int) -> bytes:
        """The next pieces, up to the one that makes `size` bytes full; nothing at the end."""
        block, length = [], 0
        for piece in self._pieces:
            block.append(piece)
            length += len(piece)
            if length >= size:
                break
        return b"".join(block)


def _trace(stream: Readable, source: Source) -> Any:
    from acp_trace.trace.files import TraceFile

    return TraceFile(stream, source.name)


def _learn(redactor: Redactor, source: Source, again: Callable[[], Readable]) -> tuple[int, int]:
    """The first pass: the length of a torn last line, and the number of the others."""
    trace = _trace(again(), source)
    lines = 0
    for entry in trace.entries():
        redactor.learn(entry)
        lines += 1
    return (0 if source.live else trace.damage.torn), lines


def _say(report: dict[str, Any]) -> None:
    """What was replaced, as a table, on stderr."""
    from acp_trace.report.safe import safe
    from acp_trace.report.text.columns import Cell, Column, table
    from acp_trace.report.units import number

    rows = [
        [[Cell(safe(row["rule"]))], [Cell(number(row["replaced"]))], [Cell(number(row["secrets"]))]]
        for row in report["replaced"]
    ]
    if rows:
        columns = [
            Column("rule", flexible=True),
            Column("replaced", right=True),
            Column("different", right=True),
        ]
        print(table(columns, rows, 100).plain, end="", file=sys.stderr)
    frames = report["frames_changed"]
    notes = [_counted(frames, "frame", "changed") if frames else "no frame changed, but other lines"]
    if not rows:
        notes = ["nothing to replace"]
    if lost := report["lines_dropped"] + bool(report["torn_bytes"]):
        notes.append(_counted(lost, "line", "left out, unreadable"))
    notes.append("nothing written" if report["dry_run"] else f"written to {safe(report['file'])}")
    print(f"acp-trace: {'; '.join(notes)}", file=sys.stderr)


def _counted(count: int, what: str, how: str) -> str:
    from acp_trace.trace.counts import counted

    return f"{counted(count, what)} {how}"
