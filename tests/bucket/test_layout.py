"""Under which name a trace is kept, and what a name says."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.places import layout

_ID = "20261120T130501Z-7f3a9c"


def test_a_name_has_day_agent_and_id() -> None:
    """As docs/team.md shows it."""
    key = layout.key(_ID, "OpenCode")
    assert key == f"traces/day=2026-11-20/agent=opencode/{_ID}.jsonl.zst"
    assert layout.kept(key, 9) == layout.Kept(_ID, "2026-11-20", "opencode", key, 9)
    assert layout.began(_ID) == datetime(2026, 11, 20, 13, 5, 1, tzinfo=UTC)


def test_a_trace_without_a_date() -> None:
    """As one that was imported from a log without times."""
    key = layout.key("imported-addc68502050", "")
    assert key == "traces/day=unknown/agent=unknown/imported-addc68502050.jsonl.zst"
    assert layout.began("imported-addc68502050") is None


@pytest.mark.parametrize("id_", ["", ".", "..", "../x", "a/b", "a\nb", "ä", "x" * 201])
def test_ids_that_are_no_names(id_: str) -> None:
    """Nothing leads out of the place."""
    with pytest.raises(ValueError, match="cannot be the name"):
        layout.key(id_, "x")


@pytest.mark.parametrize(
    "name",
    [
        "acp-trace.json",
        "traces/readme.txt",
        f"traces/day=2026-11-20/{_ID}.jsonl.zst",
        f"traces/day=2026-11-20/agent=x/{_ID}.jsonl",
        f"x/traces/day=2026-11-20/agent=x/{_ID}.jsonl.zst",
    ],
)
def test_foreign_names(name: str) -> None:
    """Are no traces."""
    assert layout.kept(name) is None


@given(st.text(max_size=80))
def test_any_agent_has_a_name(agent: str) -> None:
    """Which is safe in a path, in a URL and in SQL, and can be read back."""
    kept = layout.kept(layout.key(_ID, agent))
    assert kept is not None
    assert kept.agent == layout.slug(agent) == layout.slug(kept.agent)
