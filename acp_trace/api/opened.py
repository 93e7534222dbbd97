"""One open trace: its report and its frames."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any, Literal, Self

from acp_trace.analyze.frame import Frame
from acp_trace.analyze.merge import Rule
from acp_trace.api.data_table import DataTable
from acp_trace.api.exporting import TraceExport, export_source
from acp_trace.api.fact_tables import table_of
from acp_trace.api.homes import HomePath, home_of, swept_home
from acp_trace.api.log_source import trace_or_log
from acp_trace.places.address import address_of
from acp_trace.report import filters
from acp_trace.report.frame_filter.grammar import FilterError, parse
from acp_trace.report.frame_filter.rows import KnownFacts, Where
from acp_trace.report.frame_rows import FrameRow, Timer
from acp_trace.report.json.report import document
from acp_trace.report.model import Report
from acp_trace.report.selection import part_of_id, select, turn_span
from acp_trace.report.statements import stderr
from acp_trace.store.catalog import is_path
from acp_trace.store.sources import Source
from acp_trace.trace import jsontext
from acp_trace.trace.entries import Entry


def open_trace(trace: str | PathLike[str] = "last", home: HomePath = None) -> OpenTrace:
    """Opens a trace: a path, `-` for standard input, an id or how it begins or ends, `last`, `last~2`.

    Or its address in a place (docs/team.md): `s3://traces/team/7f3a9c`, as a string; it is fetched now, and
    removed when it is closed. `home`: the directory in which ids are looked up, after what waits in its
    spool was loaded; by default that of the commands (`ACP_TRACE_HOME`). Raises UnknownTrace, NoTrace,
    OSError and StoreError; for an address BadAddress, NotInPlace and PlaceError.
    """
    name = fspath(trace)
    if (address := address_of(name)) is not None:
        from acp_trace.places.fetched import FetchedSource  # which others need not

        return OpenTrace(FetchedSource(address))
    is_file = name == "-" or is_path(name)
    return OpenTrace(trace_or_log(home_of(home) if is_file else swept_home(home), name))


class OpenTrace:
    """A trace to look at; a live trace may have more each time. Close it, or use it in a `with`.

    In a notebook it shows who talked to whom, the findings and the turns.
    """

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def name(self) -> str:
        """Its id, or its file."""
        return self._source.name

    @property
    def live(self) -> bool:
        """Whether its recorder was alive when it was opened."""
        return self._source.live

    def analyze(
        self, *, meta_merge: Rule | None = None, session: str | None = None, since_frame: int = 0
    ) -> Report:
        """The report: what `acp-trace show --json` prints, as data. Times are ns.

        `meta_merge`: how _meta is merged, if not by the protocol's version (docs/report.md, Merging
        metadata). `session`, `since_frame`: a part of it. Raises Unreadable, NewerFormat, NoSuchSession,
        OSError and StoreError.
        """
        trace_facts = select(self._source.facts(meta_merge), session=session, since_frame=since_frame)
        logs = stderr.lines(trace_facts, self._source.logs)
        return document(trace_facts, live=self.live, decode=_value, logs=logs)

    def frames(
        self,
        *numbers: int | str,
        sender: Literal["client", "agent"] | None = None,
        method: str | None = None,
        update: str | None = None,
        session: str | None = None,
        turn: int | str | None = None,
        since: str | None = None,
        until: str | None = None,
        grep: str | None = None,
        stream: int | None = None,
        where: str | None = None,
    ) -> Iterator[Frame]:
        """Its frames, in order, verbatim in `data`; all filters must hold, as in `acp-trace frames`.

        `numbers`: 12, "10-20", "10-". `method` and `update` are globs, `session` is a name ("S2") or a part
        of an id, `turn` counts from 0 in its session or is a name ("S2.0"), `since` and `until` are times in
        the trace ("1.5s"), `grep` is a regular expression, `stream` is the number of a stream of HTTP or of
        a WebSocket (docs/transports.md), `where` a filter such as "is:error took>1s" (docs/filter.md).
        Raises BadFilter and NoSuchTurn, both at once, and like `analyze`.
        """
        if sender not in (None, "client", "agent"):
            raise filters.BadFilter(f"sender: {sender!r} is not one of client, agent")
        asked = None if where is None else _where(where)
        session = None if session is None else part_of_id(session, self._source.facts)
        span = None if turn is None else turn_span(self._source.facts(), turn, session)
        wanted = filters.Filter(
            sender,
            method,
            update,
            session,
            grep,
            numbers=filters.ranges(map(str, numbers)),
            since_ns=None if since is None else filters.time_ns(since),
            until_ns=None if until is None else filters.time_ns(until),
            turn=span,
            stream=stream,
            where=asked,
            known=KnownFacts.of(self._source.facts()) if asked is not None and asked.needs_facts else None,
        )
        read = self._source.frames()
        rows = wanted.of(map(FrameRow, read) if asked is None else Timer().rows(read))
        return (row.frame for row in rows if isinstance(row, FrameRow))

    def entries(self) -> Iterator[Entry]:
        """Its entries, in order: header, frames, stderr, gaps, end. Raises like `analyze`."""
        return self._source.entries()

    def table(self, name: str) -> DataTable:
        """A table of the store for this trace alone, such as `turns`, `findings`, `exchanges` or `frames`.

        Names and columns are in docs/store.md, but for `trace_id`. Raises ValueError for another name, and
        like `analyze`.
        """
        return table_of(self._source, name)

    def export(
        self,
        file: str | PathLike[str] | None = None,
        to: str = "lines",
        *,
        side: Literal["client", "agent"] | None = None,
        content: bool = False,
        unredacted: bool = False,
    ) -> TraceExport:
        """Writes it to a new file, or without `file` into `data`; as `acp-trace export` does.

        `to`: lines (the trace itself, byte for byte), perfetto, mermaid, markdown, jsons, har, otlp, or
        parquet, for which `file` is a new directory. `side`: the bytes that one side sent instead. `content`:
        prompts and answers go into otlp as well. `unredacted`: markdown of a trace with secrets, too.
        Raises HasSecrets, ValueError for words that mean nothing or cannot be combined, FileExistsError,
        and like `analyze`.
        """
        return export_source(self._source, file, to, side, content=content, unredacted=unredacted)

    def close(self) -> None:
        """Let go of the file, if there is one."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<trace {self.name}{' live' if self.live else ''}>"

    def _repr_html_(self) -> str:
        from acp_trace.report.notebook.traces import trace

        return trace(self._source.facts(), live=self.live)


def _where(text: str) -> Where:
    try:
        return Where(parse(text))
    except FilterError as error:
        raise filters.BadFilter(f"where: {error}") from None


def _value(text: str) -> Any:
    return jsontext.value(text.encode())
