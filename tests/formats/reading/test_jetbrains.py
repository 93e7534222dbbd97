"""JetBrains' acp-transport.log: a sample written after published logs, and what is special about it."""

from __future__ import annotations

import pytest

from acp_trace.formats.reading import jetbrains
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent
from tests.formats.reading.comparing import sample

SAMPLE = sample("jetbrains/acp-transport.log")
OUT = b'{"type":"com.agentclientprotocol.rpc.JsonRpcRequest","id":%d,"method":"initialize","jsonrpc":"2.0"}'


def line(ms: int, way: str, message: bytes, logger: str = "AcpTransport") -> bytes:
    head = f"2025-11-14 19:57:{ms // 1000 % 60:02},{ms % 1000:03} [{ms:7}]   FINE - {logger} - {way}: "
    return head.encode() + message + b"\n"


def read(data: bytes) -> list[Log]:
    return jetbrains.read([File("acp-transport.log", data)])


def test_the_sample() -> None:
    """Times from the first line on, the clock as a label, and a line that is no message counted."""
    (log,) = read(SAMPLE)
    assert (len(log.messages), log.started_ns) == (14, None)
    assert log.labels == {"logged_at": "2025-11-14 19:57:00,276"}
    assert [(one.where, one.why) for one in log.unused] == [
        ("line 15", "is not a line of AcpTransport with a message")
    ]
    first, second = log.messages[:2]
    assert (first.t, second.t) == (0, 1_762_000_000)
    assert isinstance(first, Sent)
    assert first.sender == "client"
    assert first.data.startswith(b'{"type":"com.agentclientprotocol.rpc.JsonRpcRequest"')


def test_out_is_the_client() -> None:
    """And messages stay as they are, whatever their members; so does the logger's longer name."""
    data = line(34, "OUT", OUT % 1) + line(460, "IN", b'{"id": 1,"result":{}}', "#c.a.AcpTransport")
    (log,) = read(data)
    assert log.messages == [
        Sent(OUT % 1, "client", 0),
        Sent(b'{"id": 1,"result":{}}', "agent", 426_000_000),
    ]


def test_a_restarted_ide_is_another_connection() -> None:
    """Its count of milliseconds begins anew; a line that is only a little early is not."""
    data = (
        line(5000, "OUT", OUT % 1)
        + line(4990, "IN", b"{}")
        + line(40, "OUT", OUT % 2)
        + line(50, "IN", b"{}")
    )
    first, second = read(data)
    assert [one.t for one in first.messages] == [0, 0]
    assert [one.t for one in second.messages] == [0, 10_000_000]
    assert [log.labels["logged_at"][-6:] for log in (first, second)] == ["05,000", "00,040"]


def test_another_initialize_is_another_connection() -> None:
    """An agent that is started anew while the IDE runs on."""
    first, second = read(line(10, "OUT", OUT % 1) + line(20, "IN", b"{}") + line(30, "OUT", OUT % 1))
    assert ([one.t for one in first.messages], [one.t for one in second.messages]) == ([0, 10_000_000], [0])


def test_damaged_lines_are_counted() -> None:
    """A torn line, and a line of something else."""
    torn = line(40, "IN", b'{"id":1,"res')
    (log,) = read(line(10, "OUT", OUT % 1) + torn + b"java.lang.Error\n\tat x\n\n")
    assert [(one.where, one.why) for one in log.unused] == [
        ("line 2", "is not JSON"),
        ("line 3", "is not a line of AcpTransport with a message"),
        ("line 4", "is not a line of AcpTransport with a message"),
    ]


@pytest.mark.parametrize("data", [b"", b"2025-11-14 19:57:12,975 [ 34] INFO - Other - OUT: {}\n", b"OUT: {}"])
def test_other_files_are_refused(data: bytes) -> None:
    """Without a message there is no log."""
    with pytest.raises(NotThisFormat):
        read(data)
