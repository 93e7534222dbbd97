"""Whether a trace is live: a lock on a plain file."""

from __future__ import annotations

import os
from pathlib import Path

from acp_trace.trace import lock


def test_held(tmp_path: Path) -> None:
    """By the lock alone, as long as the file is open."""
    path = tmp_path / "t.jsonl"
    assert not lock.held(path)
    with open(path, "w") as stream:
        assert not lock.held(path)
        lock.hold(stream.fileno())
        assert lock.held(path)
    assert not lock.held(path)


def test_what_is_no_plain_file_is_not_opened(tmp_path: Path) -> None:
    """A pipe would wait for a writer, and then lose it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path(os.devnull)):
        assert not lock.held(path)
