"""`acp-trace export --to`: which writer, and where its bytes go."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from acp_trace.cli import common, completion, outputs
from acp_trace.cli.errors import UNREADABLE, USAGE, Misuse, fail

if TYPE_CHECKING:
    from acp_trace.formats.writing.writer import ExportedTrace


class ExportOptions(NamedTuple):
    """The request: the options of the command."""

    format: str
    out: Path | None
    content: bool
    unredacted: bool
    json: bool
    endpoint: str | None = None  #: where spans are sent, in place of a file


def checked(
    to: str | None,
    out: Path | None,
    raw: str | None,
    endpoint: str | None,
    *,
    content: bool,
    unredacted: bool,
    json: bool,
) -> ExportOptions:
    """The options, if they can be combined. Ends with exit code 2 if not."""
    if endpoint is not None:
        if to not in (None, "otlp") or out is not None:
            raise Misuse("--otlp-endpoint cannot be combined with --out or another format")
        to = "otlp"
    if to is None or raw is not None:
        option = "--unredacted" if unredacted else "--content" if content else "--to"
        raise Misuse(f"{option} cannot be combined with --raw" if raw else f"{option} needs --to")
    if content and to != "otlp":
        raise Misuse("--content needs --to otlp: the content of other formats is fixed")
    if out is not None:
        outputs.must_be_new("--out", out)
    elif to == completion.PARQUET:
        raise typer.BadParameter("parquet needs --out DIRECTORY", param_hint="--to")
    elif json and endpoint is None:
        raise typer.BadParameter("needs --out FILE", param_hint="--json")
    return ExportOptions(to, out, content, unredacted, json, endpoint)


def export_to(trace: str, options: ExportOptions) -> None:
    """Writes a trace in another format. Ends with exit code 2 if it has secrets that must not be in there."""
    from acp_trace.api.exporting import HasSecrets, given_trace, refuse_secrets
    from acp_trace.formats.writing.formats import PUBLIC, writer
    from acp_trace.trace import whole_files

    if options.format == completion.PARQUET:
        _export_tables(trace, options)
        return
    with common.opened(trace) as source:
        given = given_trace(source, content=options.content)
        if options.format in PUBLIC and not options.unredacted:
            try:
                refuse_secrets(source, "--unredacted")
            except HasSecrets as error:
                fail(str(error), USAGE)
        if options.endpoint is not None:
            _send(source.name, given, options)
            return
        pieces = writer(options.format)(given)
        if options.out is None:
            _print(pieces)
        else:
            written = whole_files.put(options.out, pieces, private=True, new=True)
        _say(given.notes)
        if options.json:
            about = {"trace": source.name, "file": str(options.out), "bytes": written}
            common.print_json({**about, "format": options.format, "notes": given.notes})
        if not options.unredacted:
            common.warn_of_secrets(source)


def _export_tables(trace: str, options: ExportOptions) -> None:
    """Writes the tables of a trace into a directory."""
    from acp_trace.cli.signals import Deferred, Interruptible
    from acp_trace.store.parquet import write
    from acp_trace.trace.scratch import scratch

    assert options.out is not None
    with common.opened(trace) as source, Deferred(), scratch() as directory, Interruptible():
        written = write(source.file(), options.out, directory)
        if options.json:
            about = {"trace": source.name, "file": str(options.out), "bytes": written}
            common.print_json({**about, "format": options.format, "notes": []})
        if not options.unredacted:
            common.warn_of_secrets(source)


def _send(name: str, given: ExportedTrace, options: ExportOptions) -> None:
    """Sends spans to a collector. Ends with exit code 2 without the extra, 3 if it does not take them."""
    from acp_trace.cli.otlp_sender import NotSent, send, shown

    assert options.endpoint is not None
    try:
        count = send(given, options.endpoint)
    except NotSent as error:
        fail(str(error), UNREADABLE)
    except ImportError:
        fail("--otlp-endpoint needs more packages: pip install 'acp-trace[otlp]'", USAGE)
    _say(given.notes)
    if options.json:
        about = {"trace": name, "endpoint": shown(options.endpoint), "spans": count}
        common.print_json({**about, "format": options.format, "notes": given.notes})


def _say(notes: list[str]) -> None:
    for note in notes:
        print(f"acp-trace: {note}", file=sys.stderr)


def _print(pieces: Iterable[bytes]) -> None:
    """To standard output: a terminal gets whole lines, made harmless."""
    if not sys.stdout.isatty():
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    for line in _lines(pieces):
        common.write(line)


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest
