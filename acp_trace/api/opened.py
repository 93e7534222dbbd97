"""One open trace: its report and its frames."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any, Self

from acp_trace.analyze.frame import Frame
from acp_trace.analyze.merge import Rule
from acp_trace.report.json.report import document
from acp_trace.report.model import Report
from acp_trace.report.selection import select
from acp_trace.store.catalog import is_path, resolve
from acp_trace.store.sources import Source
from acp_trace.store.sweep import sweep
from acp_trace.trace import jsontext
from acp_trace.trace.home import Home

_HTML_WIDTH = 120


def open_trace(trace: str = "last", home: Home | str | PathLike[str] | None = None) -> OpenTrace:
    """Opens a trace: a path, `-` for standard input, an id or how it begins, `last`, `last~2`.

    Ids are looked up in the directory `home` (by default as the commands find it), after what waits in its
    spool was
    loaded. Raises UnknownTrace, NoTrace, OSError and StoreError.
    """
    if home is None:
        trace_home = Home.find()
    else:
        trace_home = home if isinstance(home, Home) else Home(Path(home).expanduser().absolute())
    if not (trace == "-" or is_path(trace)):
        sweep(trace_home)
    return OpenTrace(resolve(trace_home, trace))


class OpenTrace:
    """A trace to look at; a live one may say more each time. Close it, or use it in a `with`.

    In a notebook it shows itself as `acp-trace show` does.
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
        return document(trace_facts, live=self.live, decode=_value)

    def frames(self) -> Iterator[Frame]:
        """Its frames, in order, verbatim in `data`. Raises like `analyze`."""
        return self._source.frames()

    def close(self) -> None:
        """Lets go of the file, where there is one."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<trace {self.name}{' live' if self.live else ''}>"

    def _repr_html_(self) -> str:
        from rich.console import Console

        from acp_trace.report.text.show import Page, show

        console = Console(record=True, file=StringIO(), width=_HTML_WIDTH, markup=False, highlight=False)
        trace_facts = self._source.facts()
        show(console, Page(trace_facts, self._source.damage(), self.live, _HTML_WIDTH, all_=False))
        return console.export_html(
            inline_styles=True, code_format='<pre style="line-height:1.3">{code}</pre>'
        )


def _value(text: str) -> Any:
    return jsontext.value(text.encode())
