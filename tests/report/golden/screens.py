"""The screens, made now: name -> text. Without colour, which means nothing that the text does not say."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

from rich.console import Console

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.report import eventlist, framelist
from acp_trace.report.selection import select
from acp_trace.report.show import Page, show
from acp_trace.trace.parse import Parser
from tests.report.story import frames, story
from tests.support import trace

FOLDER = Path(__file__).resolve().parent


def _console(width: int) -> tuple[Console, StringIO]:
    out = StringIO()
    console = Console(file=out, width=width, color_system=None, highlight=False, markup=False, emoji=False)
    return console, out


def _show(width: int, *sections: str, since: int = 0) -> str:
    console, out = _console(width)
    show(console, Page(select(story(), since_frame=since), [], False, width, False), sections)
    return out.getvalue()


def _follow(*, alone: bool) -> str:
    console, out = _console(120)
    parser, analyzer = Parser(), Analyzer()
    for entry in parser.feed(trace(*frames(), step=40_000_000)):
        if (frame := analyzer.feed(entry)) is not None:
            fresh = analyzer.fresh(frame.session_id)
            if not alone:
                console.print(framelist.line(frame, 120), soft_wrap=True)
            for line in eventlist.lines(frame, fresh, alone=alone):
                console.print(line, soft_wrap=True)
    return out.getvalue()


SCREENS: dict[str, Callable[[], str]] = {
    "show-80": lambda: _show(80),
    "show-140": lambda: _show(140),
    "show-since": lambda: _show(100, "timeline", "findings", since=18),
    "follow": lambda: _follow(alone=False),
    "follow-events": lambda: _follow(alone=True),
}
