"""Pages as files."""

import io
import sys
from contextlib import closing
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.cli import common, page_output
from acp_trace.cli.page_helper import PageHelper
from acp_trace.store.sources import FileSource
from tests.commands import Commands
from tests.support import REPOSITORY

_SAMPLES = REPOSITORY / "sample_traces"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _written(file: Path, patch: pytest.MonkeyPatch, stream: io.StringIO) -> bytes:
    clock = count()
    patch.setattr(sys, "stderr", stream)
    patch.setenv("TERM", "xterm")
    patch.setattr(common, "time", SimpleNamespace(monotonic=lambda: next(clock) * 2.0))
    patch.setattr(page_output, "_TOLD", 1)
    with closing(FileSource(_SAMPLES / "opencode-story.jsonl")) as source, PageHelper("a") as helper:
        page_output.write_trace(str(file), source, source.facts(), helper)
    return file.read_bytes()


def test_a_bar_says_how_far_a_page_has_come(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On a terminal, after a second; anything else gets nothing. The page is the same."""
    terminal, pipe = _Terminal(), io.StringIO()
    pages = [
        _written(tmp_path / f"{number}.html", monkeypatch, stream)
        for number, stream in enumerate((terminal, pipe))
    ]
    assert "writing 0.html" in terminal.getvalue()
    assert pipe.getvalue() == ""
    assert pages[0] == pages[1]


def test_a_check_analyses_each_trace_once(
    monkeypatch: pytest.MonkeyPatch, commands: Commands, tmp_path: Path
) -> None:
    """For its verdict and for its page."""
    made = Analyzer.facts
    times: list[int] = []

    def facts(self: Analyzer, *, over: bool = True) -> object:
        times.append(1)
        return made(self, over=over)

    monkeypatch.setattr(Analyzer, "facts", facts)
    traces = [_SAMPLES / f"{name}.jsonl" for name in ("gemini-model", "opencode-story")]
    commands("check", *traces, "--html", tmp_path / "check.html")
    assert len(times) == 2
