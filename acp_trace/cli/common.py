"""What the commands share: the TRACE argument, `--json`, opening a trace, printing, progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acp_trace.cli import completion
from acp_trace.cli.errors import USAGE, fail

if TYPE_CHECKING:
    from rich.console import Console

    from acp_trace.store.sources import Source
    from acp_trace.trace.home import Home

#: How a trace is named, in the one phrase that every help uses.
IDS = "an id or its unique beginning or end, `last`, `last~2`, `last-run`"
NAMED = f"a file, `-` for standard input, {IDS}, or an address such as s3://BUCKET/PREFIX/ID"
TRACE_HELP = f"A trace: {NAMED}."
Trace = Annotated[str, typer.Argument(metavar="TRACE", help=TRACE_HELP, autocompletion=completion.traces)]
TraceOrSession = Annotated[
    str, typer.Argument(metavar="TRACE", help=TRACE_HELP, autocompletion=completion.traces_and_sessions)
]
Recordings = Annotated[
    list[str],
    typer.Argument(
        metavar="TRACE",
        help=f"Recordings, or directories with them. Each is {NAMED}.",
        autocompletion=completion.traces,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def console(*, stderr: bool = False) -> Console:
    """Standard output for people, or stderr: as wide as the terminal, 100 columns in a pipe.

    In a pipe no line is cut: what is too long for it goes over its end.
    """
    from rich.console import Console
    from rich.segment import Segment
    from rich.text import Text

    from acp_trace.report.safe import HARMFUL, safe_lines

    class Output(Console):
        """Leaves a reader that has gone (`| head`) to the caller, and prints nothing that a terminal obeys.

        Every string of the traffic is made harmless where it is put into a report. Strings that were
        forgotten there still do not get through: colours are not text here (docs/security.md, What a hostile
        trace can do).
        """

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

        def render(self, *args: Any, **more: Any) -> Iterator[Segment]:
            for segment in super().render(*args, **more):
                text, style, control = segment
                harmful = HARMFUL.search(text) if control is None else None
                yield segment if harmful is None or text == "\n" else Segment(safe_lines(text), style)

        def print(self, *objects: Any, **more: Any) -> None:
            """Writes a line that needs neither colours nor breaks as it is: rich takes ten times as long."""
            plain = str(objects[0]) if len(objects) == 1 and isinstance(objects[0], str | Text) else None
            is_plain = self.color_system is None and more.get("soft_wrap", self.soft_wrap)
            if plain is None or not is_plain or HARMFUL.search(plain.replace("\n", "")) or "\t" in plain:
                super().print(*objects, **more)
                return
            self.file.write(plain + more.get("end", "\n"))
            self.file.flush()

    file = sys.stderr if stderr else sys.stdout
    width = None if file.isatty() or "COLUMNS" in _environment() else 100
    out = Output(highlight=False, markup=False, emoji=False, width=width, stderr=stderr)
    out.soft_wrap = not out.is_terminal
    return out


@contextmanager
def paged(wanted: bool = True) -> Iterator[Console]:
    """A console like `console()`; output longer than the terminal goes through a pager, if wanted."""
    out = console()
    if not (wanted and sys.stdout.isatty()):
        yield out
        return
    with out.capture() as printed:
        yield out
    text = printed.get()
    if text.count("\n") < out.height:
        sys.stdout.write(text)
        return
    import os

    from rich.pager import SystemPager

    os.environ.setdefault("LESS", "-FRX")  # colours as they are, and the text stays when it is left
    SystemPager().show(text)


def print_json(value: Any) -> None:
    """One JSON document on standard output, indented."""
    write(json_document(value))


def json_document(value: Any) -> bytes:
    """The JSON document of a value, indented."""
    import msgspec

    from acp_trace.report.json.encoding import as_json

    text = as_json(value)
    try:
        text = msgspec.json.format(text, indent=2)
    except (msgspec.DecodeError, RecursionError):
        pass  # a frame in it that msgspec will not read (a lone surrogate): right all the same
    return text + b"\n"


def write(data: bytes) -> None:
    """Bytes to standard output; to a terminal only after control characters were made visible."""
    if sys.stdout.isatty():
        from acp_trace.report.safe import safe_lines

        sys.stdout.write(safe_lines(data.decode("utf-8", "backslashreplace")))
    else:
        sys.stdout.buffer.write(data)
    sys.stdout.flush()


def home() -> Home:
    """The home directory; nothing is made yet."""
    from acp_trace.trace.home import Home

    return Home.find()


@contextmanager
def opened(trace: str) -> Iterator[Source]:
    """The trace that was asked for. What waits in the spool is loaded first, when ids are meant."""
    from contextlib import closing

    from acp_trace.api.log_source import LogSource, trace_or_log
    from acp_trace.cli.places import fetched
    from acp_trace.store.catalog import NoTrace, is_path

    if (of_place := fetched(trace)) is not None:
        with closing(of_place):
            yield of_place
        return
    trace_home = home()
    if not (trace == "-" or is_path(trace)):
        swept(trace_home)
    try:
        source = trace_or_log(trace_home, trace)
    except NoTrace:
        if trace == "last":
            _point_at_file(trace_home, "")
        raise
    try:
        if trace == "last":
            _point_at_file(trace_home, source.name)
            _name_taken(trace_home, source)
        if isinstance(source, LogSource) and source.doubts:
            print(f"acp-trace: {failure(source.name, f'unlikely: {source.doubts}')}", file=sys.stderr)
        yield source
    finally:
        source.close()


#: Commands that need no more than a trace: advice on what to type contains their own name.
_WITH_ONE_TRACE = ("show", "check", "frames", "follow", "export", "model")


def _point_at_file(trace_home: Home, newest: str) -> None:
    """Says where the last trace is, if `--out` made it. `newest`: the one of the store, or ""."""
    import os
    import shlex

    from acp_trace.report.safe import safe
    from acp_trace.trace.last_out import last_out

    note = last_out(trace_home)
    if note is not None and note.started > os.path.basename(newest):
        name = next((word for word in sys.argv[1:2] if word in _WITH_ONE_TRACE), "show")
        file = safe(str(note.file))
        hint = f"the newest trace is {file} (record --out). To see it: acp-trace {name} {shlex.quote(file)}"
        print(f"note: {hint}", file=sys.stderr)


#: Whether the command that runs says which trace it takes.
names_last: ContextVar[bool] = ContextVar("names_last", default=False)
_PROMPT = 40  #: characters of a first prompt


def _name_taken(trace_home: Home, source: Source) -> None:
    """Say which trace is taken if none was given, so that users do not show or share the wrong one."""
    from acp_trace.report.safe import safe, shorten
    from acp_trace.report.statements import phrases
    from acp_trace.store.listings import agent_and_prompt
    from acp_trace.trace.names import short

    if not names_last.get():
        return
    agent, prompt = agent_and_prompt(trace_home.store, source.name)
    said = shorten(phrases.prompt(prompt, is_cut=False, blanks=True), _PROMPT)
    words = [safe(agent) if agent != "?" else "", said and f"“{said}”"]
    print(f"using the last trace, {short(source.name)}{''.join(f', {word}' for word in words if word)}",
          file=sys.stderr)  # fmt: skip


def warn_of_secrets(source: Source) -> None:
    """Say on stderr what a redactor would replace in a trace, before the user shares what was made of it."""
    from acp_trace.api.exporting import secrets_in

    say_secrets(secrets_in(source))


def say_secrets(found: str | None) -> None:
    """Says on stderr that a trace contains these, in words; nothing of None."""
    if found:
        print(f"acp-trace: this trace contains {found}: `acp-trace redact` removes that", file=sys.stderr)


def failure(name: str | Path, why: str) -> str:
    """The problem of a file, an object or a trace: `F is not a trace`, `F: No such file or directory`.

    It is named once, also if `why` begins with its name.
    """
    from acp_trace.report.safe import safe

    why = why.removeprefix(f"{name} ").removeprefix(f"{name}: ")
    return f"{safe(str(name))}{' ' if why.startswith('is ') else ': '}{safe(why)}"


def swept(trace_home: Home) -> None:
    """Loads what waits in the spool, with a progress bar when it takes long."""
    from acp_trace.report.safe import safe
    from acp_trace.store.sweep import sweep

    with progress() as tick:
        result = sweep(trace_home, tick=tick)
    for path, why in result.failed:
        print(f"acp-trace: {safe(path.name)} in the spool cannot be imported: {safe(why)}", file=sys.stderr)


@contextmanager
def progress(doing: str = "loading") -> Iterator[Any]:
    """A function to call with a file and its bytes so far; draws a bar on stderr after a second.

    What is not a file needs the number of all its bytes as well.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from acp_trace.report.safe import safe, shorten

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    began = time.monotonic()
    tasks: dict[Path, Any] = {}

    def tick(path: Path, done: int, total: int | None = None) -> None:
        if path not in tasks:
            tasks[path] = bar.add_task(
                f"{doing} {shorten(safe(path.name), 40)}",
                total=path.stat().st_size if path.is_file() else total,
            )
        bar.update(tasks[path], completed=done)
        if time.monotonic() - began > 1:
            bar.start()

    try:
        yield tick
    finally:
        bar.stop()


def one_of(option: str, value: str | None, choices: tuple[str, ...]) -> str | None:
    """The value of an option that takes one of a few words. Ends with exit code 2 for another."""
    if value is not None and value not in choices:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(choices)}", param_hint=option)
    return value


def note(text: str) -> None:
    """Show the progress of long work on stderr. `text`: safe. A reader that has gone is not a failure."""
    try:
        print(f"acp-trace: {text}", file=sys.stderr, flush=True)
    except OSError:
        pass


def needs_pipe(what: str) -> None:
    """Refuse to write raw traffic to a terminal, which would obey control sequences in it."""
    if sys.stdout.isatty():
        fail(f"{what} is not written to a terminal: use --out FILE, or redirect the output", USAGE)


def _environment() -> Any:
    import os

    return os.environ
