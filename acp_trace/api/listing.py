"""`list_traces`: the traces that there are, as `acp-trace ls` lists them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from acp_trace.analyze.listing import Listing
from acp_trace.api.homes import HomePath, swept_home
from acp_trace.store.listings import listings
from acp_trace.store.wanted import ORIGINS, TraceFilter, moment
from acp_trace.trace.entries import ORIGINAL


def list_traces(
    *,
    agent: str | None = None,
    client: str | None = None,
    labels: Mapping[str, str] | None = None,
    since: str | datetime | None = None,
    until: str | datetime | None = None,
    origin: str | None = None,
    runs: bool = False,
    limit: int | None = None,
    home: HomePath = None,
) -> list[Listing]:
    """The traces of the store and the live ones, newest first; all filters must hold. None: no filter.

    `agent`, `client`: a name in any case, or a glob; `?` is one that gave no name. `labels`: values that
    labels have. `since`, `until`: when the trace began: `"12h"`, `"30d"`, `"2026-11-20"`, or a datetime.
    `origin`: recorded, imported, replay or mock. `runs`: replay's and mock's runs, too. `limit`: at most so
    many. `home`: the directory to look in. Raises ValueError for a filter that means nothing, StoreError
    and OSError.
    """
    if origin is not None and origin not in ORIGINS:
        raise ValueError(f"origin: {origin!r} is not one of {', '.join(ORIGINS)}")
    if limit is not None and limit < 0:
        raise ValueError(f"limit: {limit} is below 0")
    wanted = TraceFilter(
        agent=agent,
        client=client,
        labels=labels or {},
        since=_moment(since),
        until=_moment(until),
        origins=(origin,) if origin is not None else ORIGINS if runs else ORIGINAL,
    )
    return [row for row in listings(swept_home(home)) if wanted.wants(row.trace)][:limit]


def _moment(when: str | datetime | None) -> datetime | None:
    """Raises BadAge, which is a ValueError. A datetime without a zone is local time, as a date is."""
    if isinstance(when, datetime):
        return when if when.tzinfo else when.astimezone()
    return None if when is None else moment(when, datetime.now(UTC))
