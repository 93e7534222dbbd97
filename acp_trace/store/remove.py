"""Removing traces from the store: by id, by age, by number."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from acp_trace.store.connect import reading, writing
from acp_trace.store.rows import delete
from acp_trace.store.schema import TRACES_BY_AGE
from acp_trace.store.transactions import transaction
from acp_trace.trace.names import snapshot_at_home
from acp_trace.trace.note_files import notes_at_home

T = TypeVar("T")

_AGE = re.compile(r"(\d{1,6})\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class BadAge(ValueError):
    """An age cannot be understood."""


def age(text: str) -> timedelta:
    """The time that `30d`, `12h`, `2w` or `90m` says. Raises BadAge."""
    match = _AGE.fullmatch(text.strip())
    if not match:
        raise BadAge(f"{text!r} is not an age: write 90m, 12h, 30d or 2w")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def to_prune(store: Path, *, older_than: timedelta | None, keep: int | None, now: datetime) -> list[str]:
    """The ids of the traces that are too old, or beyond the newest `keep`; oldest first."""
    with reading(store) as connection:
        rows = connection.execute(
            f"SELECT trace_id, started_at FROM {TRACES_BY_AGE} ORDER BY began DESC, trace_id DESC"
        ).fetchall()
    traces = [(trace_id, _moment(started_at)) for trace_id, started_at in rows]
    return outdated(traces, older_than=older_than, keep=keep, now=now)[::-1]


def outdated(
    traces: Sequence[tuple[T, datetime | None]],
    *,
    older_than: timedelta | None,
    keep: int | None,
    now: datetime,
) -> list[T]:
    """The traces that began too long ago, or are beyond the newest `keep`; with both, those that are both.

    `traces`: the newest first, with when they began. A trace without that time is never too old.
    """
    if older_than is None and keep is None:
        return []
    beyond = traces[keep or 0 :]
    return [one for one, at in beyond if older_than is None or (at is not None and now - at > older_than)]


def remove(store: Path, ids: list[str]) -> None:
    """Removes traces, all or none of them, then their workspace snapshots and notes. Raises StoreError."""
    with writing(store) as connection, transaction(connection):
        delete(connection, ids)
    for trace_id in ids:
        if (snapshot := snapshot_at_home(str(store.parent), trace_id)) is not None:
            with suppress(OSError):  # there is none
                os.unlink(snapshot)
        with suppress(OSError):  # there are none
            notes_at_home(store.parent, trace_id).unlink()


def _moment(rfc3339: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(rfc3339 or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
