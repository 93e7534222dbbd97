"""Builds that are made ready in the background: whether any is now, and how a run is left alone by them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from acp_trace.builds.ahead import Ahead
from acp_trace.builds.sources import Ready, Say
from acp_trace.builds.tools import Cancelled
from tests.support import DEADLINE_S


@dataclass
class Slow:
    """Builds that take time, but for `there`: each is ready once `may_end` is set."""

    names: Sequence[str] = ("there", "a", "b", "c")
    question: str = ""
    is_fixed: bool = True
    begun: list[str] = field(default_factory=list)
    begins: threading.Event = field(default_factory=threading.Event)
    may_end: threading.Event = field(default_factory=threading.Event)

    def identity(self, name: str) -> str:
        return name

    def ready(self, name: str, stop: threading.Event, say: Say) -> Ready:
        if name != "there":
            say(name)
            self.begun.append(name)
            self.begins.set()
            assert self.may_end.wait(DEADLINE_S)
        if stop.is_set():
            raise Cancelled
        return Ready((name,))


@pytest.fixture
def source() -> Slow:
    return Slow()


@pytest.fixture
def ahead(source: Slow) -> Iterator[Ahead]:
    made = Ahead(source, lambda _: None)
    yield made
    source.may_end.set()
    made.close()


def test_whether_anything_was_installed_meanwhile(source: Slow, ahead: Ahead) -> None:
    """What is there already takes no time; an install counts from its begin to its end."""
    since = ahead.mark()
    ahead.get("there")
    assert not ahead.was_busy(since)
    ahead.want(["a"])
    assert source.begins.wait(DEADLINE_S)
    assert ahead.was_busy(since)
    beside = ahead.mark()
    source.may_end.set()
    ahead.get("a")
    assert ahead.was_busy(beside)
    while ahead.was_busy(ahead.mark()):  # it is over a moment after its result is there
        pass


def test_alone_all_installs_wait(source: Slow, ahead: Ahead) -> None:
    """Those that go on come to their end first; no other one begins before it is over."""
    ahead.want(["a"])
    assert source.begins.wait(DEADLINE_S)
    threading.Timer(0.05, source.may_end.set).start()
    with ahead.alone():
        since = ahead.mark()
        ahead.want(["b", "c"])
        assert not ahead.was_busy(since)
        assert source.begun == ["a"]
    assert ahead.get("b").argv == ("b",)


def test_it_can_be_closed_while_an_install_waits(source: Slow) -> None:
    """Nothing hangs."""
    made = Ahead(source, lambda _: None)
    source.may_end.set()
    with made.alone():
        made.want(["a", "b"])
        made.close()
