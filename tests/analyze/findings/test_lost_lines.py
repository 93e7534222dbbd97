"""What a lost line names: ids as JSON texts, strings as values, in whatever encoding it came."""

from __future__ import annotations

import pytest

from acp_trace.analyze.findings.lost_lines import LostLines


@pytest.mark.parametrize(
    ("text", "id_", "is_named"),
    [
        (b'{"id": 1, "x', "1", True),
        (b"{'id': 1}", "1", True),
        (b'{"id":12}', "1", False),
        (b'{"id":1.5}', "1", False),
        (b'{"id":"1"}', "1", False),
        (b'{"id":"a"}', '"a"', True),
        (b'{"id":"ab"}', '"a"', False),
        ('{"id":7}'.encode("utf-16"), "7", True),
        (b'{"grid":1}', "1", False),
    ],
)
def test_ids(text: bytes, id_: str, is_named: bool) -> None:
    """Whole, and of the right type."""
    lines = LostLines()
    lines.add(3, "agent", text)
    assert lines.with_id("agent", id_) == (3 if is_named else None)
    assert lines.with_id("client", id_) is None
    assert lines.with_id("agent", id_, since=3) is None


def test_strings() -> None:
    """A session, or a tool call: a whole value, in a line of the method if one is given."""
    lines = LostLines()
    lines.add(3, "client", b'{"method":"session/prompt","params":{"sessionId":"s.1"}} x')
    assert lines.naming("client", "s.1") == 3
    assert lines.naming("client", "s-1") is None
    assert lines.naming("client", ".1") is None
    assert lines.naming("client", "s.1", "session/prompt") == 3
    assert lines.naming("client", "s.1", "session/load") is None


def test_a_flood_keeps_the_latest() -> None:
    """A hostile trace fills no memory."""
    lines = LostLines()
    for number in range(1, 1000):
        lines.add(number, "agent", b'{"id":%d}' % number + b" " * 100_000)
    assert lines.with_id("agent", "1") is None
    assert lines.with_id("agent", "999") == 999
