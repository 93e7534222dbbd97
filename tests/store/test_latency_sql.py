"""Percentiles in SQL are those of the report."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.analyze.latency import nearest_rank
from acp_trace.store import latency_sql

_CONNECTION = duckdb.connect()


def _in_sql(values: list[int | None], percent: int) -> int | None:
    rows = "SELECT unnest(?::BIGINT[]) AS x"
    sql = f"SELECT {latency_sql.nearest_rank('x', percent)} FROM ({rows})"
    found = _CONNECTION.execute(sql, [values]).fetchone()
    assert found is not None
    value: int | None = found[0]
    return value


@given(st.lists(st.one_of(st.none(), st.integers(0, 2**62)), max_size=45), st.sampled_from([1, 50, 95, 100]))
def test_both_ways_give_the_same(values: list[int | None], percent: int) -> None:
    """Whatever was measured, and however much never ended."""
    assert _in_sql(values, percent) == nearest_rank(sorted(one for one in values if one is not None), percent)


@pytest.mark.parametrize("count", [1, 2, 19, 20, 21, 40, 100])
def test_ranks_at_whole_numbers(count: int) -> None:
    """95 % of 20 are 19, and not the 20th by a rounding."""
    assert _in_sql(list(range(1, count + 1)), 95) == -(-95 * count // 100)
