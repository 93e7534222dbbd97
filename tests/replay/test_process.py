"""An agent's process group, and the end of it."""

from __future__ import annotations

import os

import pytest

from acp_trace.replay.drive.process import Process
from acp_trace.replay.patience import SECOND
from tests.support import agent


def test_a_number_that_is_free_again_is_not_signalled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the agent's end is taken, the system may give its number to others: their group is left alone."""
    told, plain = list[int](), os.killpg

    def killpg(group: int, number: int) -> None:
        told.append(number)
        plain(group, number)

    monkeypatch.setattr(os, "killpg", killpg)
    process = Process(agent("sys.exit(3)"))
    assert process.end(30 * SECOND)
    assert [process.finish(), process.finish()] == [3, 3]
    assert len(told) == 1
    for fd in (process.stdin, process.stdout, process.stderr):
        os.close(fd)
