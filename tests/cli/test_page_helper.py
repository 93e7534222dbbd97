"""A page of which another process makes parts: the same bytes, whatever happens to that process."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_trace.cli import page_helper, page_output
from acp_trace.store import read_once
from acp_trace.store.sources import FileSource
from acp_trace.trace import helper
from tests.faults.stage import belonging
from tests.support import DEADLINE_S, KILLED, KILLED_BY_POPEN, PYTHON, SAMPLES, until

_SAMPLE = next(path for path in SAMPLES if path.name == "opencode-story.jsonl")


@pytest.fixture(autouse=True)
def helpers(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Every trace is large enough for a process, and has several batches; the processes that were started."""
    monkeypatch.setattr(page_helper, "LARGE", 0)
    monkeypatch.setattr(read_once, "_MOST", 7)
    monkeypatch.setattr(helper, "cores", lambda: 2)
    made: list[subprocess.Popen[bytes]] = []
    started = helper.started

    def noted(*args: Any, **options: Any) -> subprocess.Popen[bytes]:
        made.append(started(*args, **options))
        return made[-1]

    monkeypatch.setattr(helper, "started", noted)
    return made


def _page(trace: Path, file: Path, *, alone: bool = False) -> bytes:
    with closing(FileSource(trace)) as source, page_helper.PageHelper("a") as helping:
        facts = source.facts(frames_follow=(lambda _: None) if alone else helping.follow)
        page_output.write_trace(str(file), source, facts, helping)
    return file.read_bytes()


@pytest.mark.parametrize(
    "sample",
    [
        _SAMPLE,
        *(pytest.param(path, marks=pytest.mark.slow) for path in SAMPLES if path != _SAMPLE),
    ],
    ids=lambda path: path.stem,
)
def test_the_page_is_the_same(sample: Path, tmp_path: Path, helpers: list[subprocess.Popen[bytes]]) -> None:
    """Byte for byte, and the process has ended well."""
    page = _page(sample, tmp_path / "a.html")
    assert [process.returncode for process in helpers] == [0]
    assert page == _page(sample, tmp_path / "b.html", alone=True)
    assert len(helpers) == 1


_KILLED = (
    "import os\n"
    "from acp_trace.trace import helper\n"
    "plain, count = helper.send, 0\n"
    "def send(*args):\n"
    "    global count\n"
    "    count += 1\n"
    "    if count == {}: os.kill(os.getpid(), 9)\n"
    "    plain(*args)\n"
    "helper.send = send\n"
)
_OTHER_VERSION = "import acp_trace; acp_trace.__version__ = '0.0.1'\n"
#: What `python -EP -m MODULE WORDS` runs in place of the module.
_MAIN = "import sys; from acp_trace.cli import page_process; page_process.main(sys.argv[4:])"


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        pytest.param("raise SystemExit(1)\n", 1, id="it ends at once"),
        pytest.param("print('hello' * 100); raise SystemExit\n", 0, id="it says something else"),
        pytest.param(_OTHER_VERSION, 0, id="it is another version", marks=pytest.mark.slow),
        pytest.param(_KILLED.format(2), KILLED, id="killed first", marks=pytest.mark.slow),
        pytest.param(_KILLED.format(8), KILLED, id="killed in the conversation"),
    ],
)
def test_what_the_other_process_does_not_make_is_made_here(
    code: str,
    ended: int,
    tmp_path: Path,
    helpers: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All parts are there, and nobody hears of it."""
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -EP -c {shlex.quote(code + _MAIN)} "$@"\n')
    program.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(program))
        page = _page(_SAMPLE, tmp_path / "a.html")
    assert [process.returncode for process in helpers] == [ended]
    assert page == _page(_SAMPLE, tmp_path / "b.html", alone=True)


def test_a_process_that_cannot_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is made without it."""
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(tmp_path / "nothing"))
        page = _page(_SAMPLE, tmp_path / "a.html")
    assert page == _page(_SAMPLE, tmp_path / "b.html", alone=True)


def test_facts_that_cannot_be_sent(tmp_path: Path, helpers: list[subprocess.Popen[bytes]]) -> None:
    """A text that is not Unicode: the process ends without the facts, and its work is done here."""
    with closing(FileSource(_SAMPLE)) as source, page_helper.PageHelper("a") as helping:
        facts = source.facts(frames_follow=helping.follow)
        made = helping.finish(replace(facts, trace=replace(facts.trace, agent_cwd="\udcff")))
        assert made is not None
        assert made() is None
    assert [process.returncode for process in helpers] == [1]


def test_an_interrupted_page_leaves_no_process(helpers: list[subprocess.Popen[bytes]]) -> None:
    """Ctrl-C while the trace is analysed: the process is over before anything else happens."""

    def follow(kept: read_once.ReadOnce) -> None:
        helping.follow(kept)
        if len(kept.sizes) == 3:
            raise KeyboardInterrupt

    with closing(FileSource(_SAMPLE)) as source:
        with suppress(KeyboardInterrupt), page_helper.PageHelper("a") as helping:
            source.facts(frames_follow=follow)
        assert [process.returncode for process in helpers] == [KILLED_BY_POPEN]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc says which processes there are")
def test_the_other_process_does_not_outlive_a_killed_one(tmp_path: Path) -> None:
    """Kill -9 while the trace is analysed: nobody says that all frames are there, so it ends."""
    code = (
        "import os, sys\n"
        "from acp_trace.cli import page_helper\n"
        "from acp_trace.store import read_once\n"
        "from acp_trace.store.sources import FileSource\n"
        "from acp_trace.trace import helper\n"
        "page_helper.LARGE, read_once._MOST, helper.cores = 0, 7, lambda: 2\n"
        "def follow(kept):\n"
        "    helping.follow(kept)\n"
        "    if len(kept.sizes) == 3: os.kill(os.getpid(), 9)\n"
        "with page_helper.PageHelper('a') as helping: FileSource(sys.argv[1]).facts(frames_follow=follow)\n"
    )
    environment = {**os.environ, "MARK": str(tmp_path)}
    argv = [*PYTHON, "-c", code, str(_SAMPLE)]
    ended = subprocess.run(argv, check=False, timeout=DEADLINE_S, env=environment)
    assert ended.returncode == KILLED
    until(lambda: not belonging(f"MARK={tmp_path}".encode()), "the end of the other process")


def test_small_traces_and_one_processor(
    tmp_path: Path, helpers: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process is started only if it pays."""
    monkeypatch.setattr(helper, "cores", lambda: 1)
    _page(_SAMPLE, tmp_path / "a.html")
    monkeypatch.setattr(helper, "cores", lambda: 2)
    monkeypatch.setattr(page_helper, "LARGE", 1 << 20)
    _page(_SAMPLE, tmp_path / "a.html")
    assert helpers == []
