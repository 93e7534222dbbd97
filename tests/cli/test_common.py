"""What the commands share: JSON of any names, and the progress bar."""

from __future__ import annotations

import io
import json
import os
import sys
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from rich.console import Console
from rich.text import Text

from acp_trace.cli import common
from acp_trace.report.json.encoding import as_json
from acp_trace.report.json.report import document
from acp_trace.report.safe import HARMFUL
from acp_trace.store.load import Loaded
from tests.commands import Commands
from tests.support import TRACES, Home, analyzed


def test_a_home_that_is_no_utf8(tmp_path: Path) -> None:
    """Its bytes are shown as escapes, for people and in JSON."""
    home = Home(tmp_path / os.fsdecode(b"h\xff"))
    assert home.json("where")["home"] == str(tmp_path / "h\\udcff")
    assert "h\\udcff" in home.run("where", COLUMNS="400")
    assert "h\\udcff" in home.outcome("ls", "--json").stderr.decode()


def test_json_of_what_is_no_utf8() -> None:
    """Whatever holds the name: only its bytes change, and half characters."""
    name = os.fsdecode(b"a\xff\xc3\xa9")
    value: dict[str, Any] = {
        name: (name, 1, None, True, 2.5),
        "loaded": [Loaded(name, "loaded", 1, True, 0, 0)],
        "raw": msgspec.Raw(b'{"n": 1.0}'),
        "half": "\ud800",
    }
    found = as_json(value)
    assert b'{"n": 1.0}' in found
    as_read = json.loads(found)
    assert as_read["a\\udcff\xe9"] == ["a\\udcff\xe9", 1, None, True, 2.5]
    assert (as_read["loaded"][0]["trace_id"], as_read["loaded"][0]["frames"]) == ("a\\udcff\xe9", 1)
    assert as_read["half"] == "\\ud800"


def test_the_page_of_a_file_whose_name_is_not_utf8(commands: Commands, tmp_path: Path) -> None:
    """Its name is the title, and in the documents of the page."""
    one, other = (tmp_path / os.fsdecode(name) for name in (b"a\xff.jsonl", b"b.jsonl"))
    for path in (one, other):
        path.write_bytes(TRACES[0].read_bytes())
    for words in (("diff", one, other), ("check", one)):
        assert commands(*words, "--html", tmp_path / "page.html").code in (0, 1)
        assert b"a\\udcff" in (tmp_path / "page.html").read_bytes()


def test_a_report_beside_such_a_name_is_the_same() -> None:
    """What a report leaves out where it is not known stays out."""
    report = document(analyzed(TRACES[0].read_bytes())[0])
    alone = json.loads(as_json(report))
    assert json.loads(as_json([report, "\udcff"])) == [alone, "\\udcff"]


def test_the_progress_bar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The name of a file is no markup, and drives no terminal."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal, clock = Terminal(), count()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(common, "time", SimpleNamespace(monotonic=lambda: next(clock) * 2.0))
    with common.progress() as tick:
        tick(tmp_path / "a\x1b]0;owned\x07\u202e[bold]b.jsonl", 1)
    said = terminal.getvalue()
    assert "loading a\\e]0;owned\\x07\\u202e[bold]b.jsonl" in said
    assert not set(said) & set("\x07\u202e")


@pytest.mark.parametrize(
    "told", ["", "plain", "two\nlines\n", "a\ttab", "\x1b[31mred", "wide 語 \u202e", "x" * 300]
)
@pytest.mark.parametrize("end", ["\n", ""])
def test_a_line_in_a_pipe_is_what_rich_would_print(told: str, end: str) -> None:
    """With a style that a pipe does not show, or as a string; nothing harmful gets through."""
    printed = []
    for made in (told, Text(told, "red"), Text.assemble((told, "bold"))):
        for of_rich in (False, True):
            out = common.console()
            out.file = io.StringIO()
            write = partial(Console.print, out) if of_rich else out.print
            write(made, soft_wrap=True, end=end)
            printed.append(out.file.getvalue())
    assert len({*printed}) == 1, printed
    assert not HARMFUL.search(printed[0].replace("\n", "").replace("\t", ""))
