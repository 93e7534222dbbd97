"""Which traces figures are about: those of an agent, those that began since a moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from acp_trace.store.remove import BadAge
from acp_trace.store.stats import methods, stats
from acp_trace.store.wanted import TraceFilter, moment
from tests.handmade import exchange, stored, trace
from tests.support import Home

NOW = datetime(2026, 11, 20, 14, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("OpenCode", ["OpenCode"]),
        ("opencode", ["OpenCode"]),
        ("OPEN*", ["OpenCode"]),
        ("*o*", ["odd [1]", "OpenCode"]),
        ("odd [1]", ["odd [1]"]),
        ("[", []),
        ("open", []),
        ("", []),
        ("?", [None]),
        ("*", ["odd [1]", "OpenCode", None]),
        ("' OR 1=1 --", []),
        ("{picked}", []),
        ("\udcff", []),
    ],
)
def test_agents_are_asked_for_by_name_or_glob(home: Home, asked: str, found: list[str | None]) -> None:
    """In any case; a name that looks like a glob is a name all the same."""
    names = ["OpenCode", "odd [1]", None]
    stored(home.store, *(trace(f"t{at}", agent_name=name) for at, name in enumerate(names)))
    assert [one.name for one in stats(home.store, "agent", TraceFilter(asked))] == found


def test_only_traces_that_began_since_then(home: Home) -> None:
    """Also where the time has a zone of its own; one without a time, or with nonsense, began never."""
    times = ["2026-11-20T12:59:59Z", "2026-11-20T13:00:00Z", "2026-11-20T13:30:00+02:00", None, "nonsense"]
    stored(
        home.store,
        *(
            trace(f"t{at}", exchange("m", at), agent_name=f"a{at}", started_at=one)
            for at, one in enumerate(times)
        ),
    )
    wanted = TraceFilter(since=datetime(2026, 11, 20, 13, 0, tzinfo=UTC))
    assert [one.name for one in stats(home.store, "agent", wanted)] == ["a1"]
    assert [(one.count, one.max_ns) for one in methods(home.store, wanted)] == [(1, 1)]
    assert stats(home.store, "agent", TraceFilter("a0", since=wanted.since)) == []
    assert len(stats(home.store, "agent", TraceFilter(since=datetime.min.replace(tzinfo=UTC)))) == 3
    assert stats(home.store, "agent", TraceFilter(since=datetime.max.replace(tzinfo=UTC))) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30d", NOW - timedelta(days=30)),
        ("90m", NOW - timedelta(minutes=90)),
        ("2026-11-01T00:00Z", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-01T02:00+02:00", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-01", datetime(2026, 11, 1).astimezone()),  # a day of this machine's zone
        ("999999w", datetime.min.replace(tzinfo=UTC)),
    ],
)
def test_since(text: str, expected: datetime) -> None:
    """An age as `prune` takes it, or a date."""
    assert moment(text, NOW) == expected


@pytest.mark.parametrize(
    "text", ["", "soon", "30", "-3d", "2026-13-01", "0001-01-01x", "9999-12-31T23:59-01:00"]
)
def test_since_when(text: str) -> None:
    """What is neither is said to be neither."""
    with pytest.raises(BadAge, match="is neither an age nor a date: write 12h, 30d, 2w or 2026-11-20"):
        moment(text, NOW)
