"""The two pipes towards a peer: each way of waiting for them does the same."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from acp_trace.replay.drive.link import PeerLink, PeerPipes, PolledLink, ThreadedLink, link
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.timeouts import SECOND
from acp_trace.system.choice import LOOP
from tests.support import DEADLINE_S

_LONG = int(DEADLINE_S * SECOND)


class Peer:
    """The other ends of a link's pipes."""

    def __init__(self, way: str) -> None:
        self.reads, writes = os.pipe()
        reads, self.writes = os.pipe()
        self.stop = Stop()
        self.pipes = PeerPipes(reads, writes, self.stop)
        self.link: PeerLink = (ThreadedLink if way == "threads" else PolledLink)(self.pipes)

    def close(self) -> None:
        """Close what is still open."""
        self.link.close(0)
        self.stop.close()
        for fd in (self.reads, self.writes, self.pipes.reads, self.pipes.writes):
            if fd >= 0:
                os.close(fd)

    def leave(self) -> None:
        """The peer is gone."""
        os.close(self.reads)
        os.close(self.writes)
        self.reads = self.writes = -1


@pytest.fixture(params=["poll", "threads"])
def peer(request: pytest.FixtureRequest) -> Iterator[Peer]:
    """A link of each kind, and its peer."""
    with closing(Peer(request.param)) as made:
        yield made


def test_what_comes_is_read_to_its_end(peer: Peer) -> None:
    """Nothing is made up before that; the end stays the end."""
    assert not peer.link.wait(0, for_input=True, for_room=False)
    assert peer.link.read() is None
    os.write(peer.writes, b"a\nb")
    assert peer.link.wait(_LONG, for_input=True, for_room=False)
    assert peer.link.read() == b"a\nb"
    peer.leave()
    for _ in range(2):
        assert peer.link.wait(_LONG, for_input=True, for_room=False)
        assert peer.link.read() == b""


def test_a_peer_that_reads_nothing_leaves_no_room(peer: Peer) -> None:
    """A bounded number of bytes is taken; there is room again when it reads."""
    data, taken = b"x" * (1 << 16), 0
    while done := peer.link.write(data):
        taken += done
        assert taken < 8 << 20
    read = 0
    while read < taken:
        read += len(os.read(peer.reads, 1 << 16))
    peer.link.wait(_LONG, for_input=False, for_room=True)
    assert peer.link.write(b"more") == 4


def test_a_peer_that_is_gone_takes_nothing(peer: Peer) -> None:
    """That is an error at once, or as soon as a write has failed."""
    peer.leave()
    with pytest.raises(BrokenPipeError):
        _write_on(peer.link)


def test_a_wish_to_stop_ends_a_wait(peer: Peer) -> None:
    """Also one without an end."""
    threading.Timer(0.05, peer.stop.set).start()
    while not peer.stop.is_set():
        assert not peer.link.wait(None, for_input=True, for_room=False)


def test_what_was_taken_is_written_when_the_link_is_closed(peer: Peer) -> None:
    """And the peer sees the end of its input when the caller closes the descriptor."""
    assert peer.link.write(b"last\n") == 5
    peer.link.close(_LONG)
    os.close(peer.pipes.writes)
    peer.pipes = peer.pipes._replace(writes=-1)
    with open(peer.reads, "rb", closefd=False) as stream:
        assert stream.read() == b"last\n"


def test_which_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """`poll` where there is one, unless threads are asked for."""
    with closing(Peer("poll")) as peer:
        monkeypatch.delenv(LOOP, raising=False)
        assert isinstance(link(peer.pipes), PolledLink)
        monkeypatch.setenv(LOOP, "threads")
        with closing(_Closed(link(peer.pipes))) as made:
            assert isinstance(made.link, ThreadedLink)
        monkeypatch.setenv(LOOP, "os.system")
        assert isinstance(link(peer.pipes), PolledLink)
        monkeypatch.delattr("select.poll")
        with closing(_Closed(link(peer.pipes))) as made:
            assert isinstance(made.link, ThreadedLink)


def _write_on(to: PeerLink) -> None:
    for _ in range(1000):
        to.wait(_LONG, for_input=False, for_room=True)
        to.write(b"x" * (1 << 16))


class _Closed:
    def __init__(self, made: PeerLink) -> None:
        self.link = made

    def close(self) -> None:
        self.link.close(0)
