"""`acp-trace view`: what it refuses, as `show` does, and what it says."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from pathlib import Path

import pytest

from acp_trace.view.server import Server
from tests.commands import Commands
from tests.posix import named_pipe
from tests.support import header, request, trace


@pytest.fixture(autouse=True)
def ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would serve is ended at once, as by Ctrl-C."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Server, "serve_forever", interrupted)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"hello\n", b"\xff\xfe\x00" * 100, b'{"some":"json"}\n', b'{"t":1,"from":"agent","fra',
        header(acp_trace=7), None,
    ],
)  # fmt: skip
def test_what_show_refuses_is_refused(commands: Commands, tmp_path: Path, content: bytes | None) -> None:
    """A file of which nothing can be read, and one that is missing: no address, the same line, the same code."""
    path = tmp_path / "x.jsonl"
    if content is not None:
        path.write_bytes(content)
    shown = commands("show", path)
    assert shown.code == 3
    assert commands("view", path, "--no-open") == shown


@pytest.mark.parametrize("name", ["", "unknown", "last", "last~3"])
def test_an_unknown_trace_is_refused(commands: Commands, name: str) -> None:
    """Also one that a directory has the name of."""
    shown = commands("show", name)
    assert shown.code in (3, 4)
    assert commands("view", name, "--no-open") == shown


def test_a_directory_is_refused(commands: Commands, tmp_path: Path) -> None:
    """By its path."""
    shown = commands("show", tmp_path)
    assert shown.code == 3
    assert commands("view", tmp_path, "--no-open") == shown


def test_a_torn_file_is_served(commands: Commands, tmp_path: Path) -> None:
    """As far as it goes, as `show` shows it."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(trace(("client", request(1, "initialize")), end=False) + b"garbage\n" + b'{"t":5,"torn')
    assert commands("show", path).code == 0
    said = commands("view", path, "--no-open")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("http://127.0.0.1:")
    assert said.out.endswith("/1/\n")


def test_a_pipe_is_refused(commands: Commands, tmp_path: Path) -> None:
    """It can be read once, and the page is made whenever somebody asks."""
    pipe = tmp_path / "pipe"
    named_pipe(pipe)
    said = commands("view", pipe, "--no-open")
    assert said.code == 2
    assert "can be read once: use `show" in said.err


@pytest.mark.skipif(os.name == "nt", reason="Windows has a browser")
@pytest.mark.parametrize("name", [None, "DISPLAY", "WAYLAND_DISPLAY", "BROWSER"])
def test_no_browser_for_the_terminal_is_opened(
    commands: Commands, monkeypatch: pytest.MonkeyPatch, name: str | None
) -> None:
    """Where nothing says that there is a screen, the address is printed, and that no browser could be opened."""
    opened: list[str] = []

    def open_(url: str) -> bool:
        opened.append(url)
        return True

    class Thread(threading.Thread):
        """Ends before who starts it goes on."""

        def start(self) -> None:
            super().start()
            self.join()

    monkeypatch.setattr(threading, "Thread", Thread)
    monkeypatch.setattr(webbrowser, "open", open_)
    monkeypatch.setattr(sys, "platform", "linux")
    for each in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(each, raising=False)
    if name is not None:
        monkeypatch.setenv(name, ":0")
    said = commands("view")
    assert said.code == 0
    assert opened == ([said.out.strip()] if name else [])
    assert ("no browser could be opened" in said.err) == (name is None)
