"""Whether a trace is live: a lock on a plain file."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from acp_trace.trace import lock
from tests.posix import named_pipe


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
    named_pipe(pipe)
    for path in (pipe, tmp_path, Path(os.devnull)):
        assert not lock.held(path)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_a_file_that_cannot_be_opened_now_may_have_a_recorder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """A process that has no descriptor left knows nothing of it: a loader would take a live trace away."""
    path = tmp_path / "t.capture"
    path.touch()

    def refused(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refused)
    assert lock.held(path)


def test_a_file_that_is_gone_or_of_another_user_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is nothing to wait for: whoever reads it says why that is not possible."""
    assert not lock.held(tmp_path / "none.capture")
    path = tmp_path / "t.capture"
    path.touch()

    def refused(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", refused)
    assert not lock.held(path)  # the loader says why it cannot read it
