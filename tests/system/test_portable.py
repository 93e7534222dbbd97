"""The portable implementations, which Linux can be made to use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_trace.system.choice import LOOP, VARIABLE, has_poll, is_portable
from acp_trace.system.files import portable_pread, portable_pwrite, pread
from acp_trace.system.pipes import unread
from acp_trace.system.processes import KILL, apart, signal_all, status_left

SLEEP = [sys.executable, "-IS", "-c", "input()"]


def test_who_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    """One variable for everything, another for the loop alone; other values choose nothing."""
    monkeypatch.delenv(LOOP, raising=False)
    for value, is_chosen in (("portable", True), ("other", False)):
        monkeypatch.setenv(VARIABLE, value)
        assert (is_portable(), has_poll()) == (is_chosen, not is_chosen)
    monkeypatch.setenv(LOOP, "threads")
    assert (is_portable(), has_poll()) == (False, False)


@pytest.mark.parametrize("choice", ["", "portable"])
def test_the_end_of_a_process(choice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both end it at once; only POSIX knows how it ended before its number is taken."""
    monkeypatch.setenv(VARIABLE, choice)
    process = subprocess.Popen(SLEEP, stdin=subprocess.PIPE, **apart())
    signal_all(process.pid, KILL)
    assert status_left(process.pid) == (None if choice else -KILL)
    process.communicate()
    assert process.returncode == -KILL


def test_bytes_that_nobody_has_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that does not say has none."""
    reads, writes = os.pipe()
    os.write(writes, b"four")
    assert unread(reads) == 4
    monkeypatch.setenv(VARIABLE, "portable")
    assert unread(reads) == 0
    os.close(reads)
    os.close(writes)


def test_reading_and_writing_at_an_offset(tmp_path: Path) -> None:
    """As one call does it: the position stays."""
    with open(tmp_path / "file", "w+b", buffering=0) as file:
        file.write(b"0123456789")
        file.seek(3)
        assert portable_pwrite(file.fileno(), b"xy", 7) == 2
        assert portable_pread(file.fileno(), 4, 6) == pread(file.fileno(), 4, 6) == b"6xy9"
        assert file.tell() == 3
