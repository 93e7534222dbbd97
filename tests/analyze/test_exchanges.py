"""Pairing of requests and responses (docs/report.md, Pairing)."""

from __future__ import annotations

from acp_trace.analyze.facts import Exchange
from acp_trace.analyze.latency import latencies, nearest_rank
from tests.support import error, facts_of, request, result


def _pairs(exchanges: list[Exchange]) -> list[tuple[int, int | None]]:
    return [(one.frame, one.response_frame) for one in exchanges]


def test_colliding_ids_of_both_sides_pair_right() -> None:
    """Both sides count from 0, so id 1 is open in both directions at once."""
    found = facts_of(
        ("client", request(1, "session/prompt", sessionId="s")),
        ("agent", request(1, "session/request_permission", sessionId="s")),
        ("client", result(1, outcome={"outcome": "selected", "optionId": "yes"})),
        ("agent", result(1, stopReason="end_turn")),
    )
    assert _pairs(found.exchanges) == [(1, 4), (2, 3)]
    assert [one.latency_ns for one in found.exchanges] == [3000, 1000]
    assert [one.sender for one in found.exchanges] == ["client", "agent"]


def test_ids_differ_by_json_type_and_value() -> None:
    """`1` and `"1"` are two ids; a number is one id with and without a fraction, a string however it is escaped."""
    found = facts_of(
        ("client", request(1, "a")),
        ("client", request("1", "b")),
        ("client", request(2.0, "c")),
        ("client", request("é", "d")),
        ("client", request(None, "e")),
        ("agent", result(None)),
        ("agent", result("é")),
        ("agent", result(2)),
        ("agent", result("1")),
        ("agent", result(1)),
    )
    assert _pairs(found.exchanges) == [(1, 10), (2, 9), (3, 8), (4, 7), (5, 6)]
    assert [one.id for one in found.exchanges] == ["1", '"1"', "2", '"é"', "null"]


def test_an_id_may_be_used_again_and_even_while_open() -> None:
    """Sequential reuse pairs anew; reuse while open is answered in the order of asking."""
    found = facts_of(
        ("client", request(1, "a")),
        ("agent", result(1)),
        ("client", request(1, "b")),
        ("client", request(1, "c")),
        ("agent", result(1)),
        ("agent", error(1, -32603, "broke")),
        ("agent", result(1)),
    )
    assert _pairs(found.exchanges) == [(1, 2), (3, 5), (4, 6)]
    assert (found.exchanges[2].outcome, found.exchanges[2].error_code) == ("error", -32603)
    assert found.exchanges[2].error_message == "broke"


def test_responses_to_nothing_are_not_exchanges() -> None:
    """Without an id, with an unknown one, or from the asking side itself."""
    found = facts_of(
        ("client", request(1, "a")),
        ("client", result(1)),
        ("agent", result(2)),
        ("agent", {"jsonrpc": "2.0", "result": {}}),
    )
    assert _pairs(found.exchanges) == [(1, None)]
    assert found.exchanges[0].outcome == "open"


def test_nearest_rank_is_always_a_real_value() -> None:
    """The definition, at its edges."""
    assert nearest_rank([], 50) is None
    assert nearest_rank([7], 95) == 7
    assert nearest_rank([1, 2, 3, 4], 50) == 2
    assert nearest_rank(list(range(1, 101)), 95) == 95
    assert nearest_rank(list(range(1, 21)), 95) == 19


def test_latency_counts_open_and_errors() -> None:
    """Percentiles over answered exchanges only; errors are answers."""
    found = facts_of(
        ("client", request(1, "a")),
        ("client", request(2, "a")),
        ("client", request(3, "a")),
        ("agent", error(2, 1)),
        ("agent", result(1)),
    )
    (row,) = latencies(found.exchanges)
    assert (row.count, row.answered, row.open, row.errors) == (3, 2, 1, 1)
    assert (row.min_ns, row.p50_ns, row.p95_ns, row.max_ns) == (2000, 2000, 4000, 4000)
