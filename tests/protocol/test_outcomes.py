"""The tables of stop reasons and error codes (npm `@agentclientprotocol/sdk` 2.4.0)."""

from __future__ import annotations

from collections import Counter

from acp_trace.protocol import methods
from acp_trace.protocol.outcomes import (
    CANCELLED,
    ERROR_CODES,
    REQUEST_CANCELLED,
    STOP_REASONS,
    STOP_REASONS_1,
    UNREADABLE,
)

_IN_BOTH = {-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002}


def test_no_row_stands_twice() -> None:
    """A reason and a code have one meaning each."""
    for rows in (STOP_REASONS, ERROR_CODES):
        counted = Counter(row[0] for row in rows)
        assert [key for key, count in counted.items() if count > 1] == []


def test_stop_reasons() -> None:
    """Five in protocol 1, one more in draft 2, which leaves the list open."""
    five = {"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"}
    assert five == STOP_REASONS_1
    assert {row.reason for row in STOP_REASONS if "2" in row.stages} == {*five, "error"}
    assert CANCELLED in STOP_REASONS_1


def test_error_codes() -> None:
    """Those of JSON-RPC, -32800, and the protocol's own; draft 2 has one more."""
    assert {row.code for row in ERROR_CODES if "1" in row.stages} == _IN_BOTH
    assert {row.code for row in ERROR_CODES if "2" in row.stages} == {*_IN_BOTH, -32022}
    assert REQUEST_CANCELLED == -32800
    assert {-32700, -32600} == UNREADABLE


def test_every_row_is_whole() -> None:
    """Each says what it means and where it stands; what is stable is unstable too."""
    for row in (*STOP_REASONS, *ERROR_CODES):
        assert row.meaning
        assert row.stages
        assert row.stages <= set(methods.STAGES)
        assert all(f"{stage}u" in row.stages for stage in ("1", "2") if stage in row.stages)
