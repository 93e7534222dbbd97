"""The schema for people: every word of it, at any width."""

from __future__ import annotations

import pytest

from acp_trace.report.text.schema import tables
from acp_trace.store.query import described


@pytest.mark.parametrize("width", [80, 140])
def test_nothing_is_cut_and_nothing_is_wider_than_the_terminal(width: int) -> None:
    """What a column holds goes on below itself."""
    printed = tables(described(), width).plain
    assert max(map(len, printed.splitlines())) <= width
    told = " ".join(printed.split())
    for one in described():
        assert f"{one['name']} {one['kind']}: {one['doc']}" in told
        for column in one["columns"]:
            assert f"{column['name']} {column['type']} {column['doc']}" in told


def test_in_a_pipe_a_column_is_a_line() -> None:
    """So that it can be looked for."""
    lines = tables(described(), 1000).plain.splitlines()
    assert len([line for line in lines if line]) == sum(1 + len(one["columns"]) for one in described())
