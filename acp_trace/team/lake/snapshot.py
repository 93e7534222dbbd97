"""Which files are the tables of a place, at one commit: groups of files, and their JSON. Pure.

A *group* has the rows of some traces of one day: a file for each table that has rows. Groups are the smallest
thing that a commit adds or takes away, and they never change. Each trace is in one group.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated

import msgspec

from acp_trace.places.layout import UNKNOWN
from acp_trace.team.lake import names

#: The layout of commits. A place with a higher number was built by a newer acp-trace.
VERSION = 1
_MARK_BITS = 128
_DAY = timedelta(days=1)
#: After the names of all days.
_LAST = "A"


#: Anyone may have written a commit, so it is damaged if a name leads elsewhere, or a number is none of SQL.
_Count = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
_Table = Annotated[str, msgspec.Meta(pattern=rf"\A{names.TABLE}\Z")]
_Day = Annotated[str, msgspec.Meta(pattern=rf"\A{names.DAY}\Z")]
_Group = Annotated[str, msgspec.Meta(pattern=rf"\A{names.GROUP}\Z")]
_Mark = Annotated[str, msgspec.Meta(pattern=rf"\A[0-9a-f]{{{_MARK_BITS // 4}}}\Z")]


class BadCommit(Exception):
    """A commit that cannot be used: one line, with what to do if that is known."""


class TableFile(msgspec.Struct, frozen=True):
    """A file of a group."""

    rows: _Count
    bytes: _Count


class TableGroup(msgspec.Struct, frozen=True):
    """The files of some traces of one day.

    `rules`: the version of the analyser's rules; `layout`: that of the store's tables. `mark`: see `mark_of`.
    """

    name: _Group
    day: _Day
    rules: _Count
    layout: _Count
    traces: _Count
    mark: _Mark
    files: dict[_Table, TableFile]  #: by table

    @property
    def bytes(self) -> int:
        """The size of all its files."""
        return sum(file.bytes for file in self.files.values())

    def object(self, table: str) -> str | None:
        """The name of its file of a table; None if it has no row of that."""
        return names.data(table, self.day, self.name) if table in self.files else None


class _Document(msgspec.Struct, frozen=True):
    acp_trace_lake: int
    made_by: str
    groups: list[TableGroup]


class _Version(msgspec.Struct):
    acp_trace_lake: int
    made_by: str = "?"


@dataclass(frozen=True, slots=True)
class LakeSnapshot:
    """All groups at a commit. `number`: 0 before the first one."""

    number: int = 0
    groups: Mapping[str, TableGroup] = field(default_factory=dict)  #: by name

    def by_day(self) -> dict[str, list[TableGroup]]:
        """The groups of each day, those of the earliest commit first."""
        days: dict[str, list[TableGroup]] = {}
        for group in self.groups.values():
            days.setdefault(group.day, []).append(group)
        return days

    def between(self, since: datetime | None, until: datetime | None) -> LakeSnapshot:
        """The groups that may contain traces which began in this time.

        The day comes from the id, but the time from the trace: to be sure, one more day on both sides counts.
        Traces of an unknown day may have begun at any time.
        """
        first = "" if since is None else _moved(since, -_DAY)
        last = _LAST if until is None else _moved(until, _DAY)

        def may_have(day: str) -> bool:
            return day == UNKNOWN or first <= day <= last

        return self.of_days(set(filter(may_have, self.by_day())))

    def of_days(self, days: Collection[str]) -> LakeSnapshot:
        """The groups of these days alone."""
        return LakeSnapshot(
            self.number, {name: group for name, group in self.groups.items() if group.day in days}
        )

    def replaced(self, removed: Iterable[str], added: Iterable[TableGroup]) -> LakeSnapshot:
        """The snapshot after this one, without some groups and with others."""
        gone = set(removed)
        groups = {name: group for name, group in self.groups.items() if name not in gone}
        return LakeSnapshot(self.number + 1, groups | {group.name: group for group in added})

    def encoded(self, made_by: str) -> bytes:
        """Its JSON. `made_by`: the version of acp-trace."""
        return msgspec.json.encode(_Document(VERSION, made_by, list(self.groups.values())))


def decoded(number: int, text: bytes) -> LakeSnapshot:
    """The snapshot that a commit names. Raises BadCommit for a newer layout, and for what is not a commit."""
    try:
        version = msgspec.json.decode(text, type=_Version)
        if version.acp_trace_lake > VERSION:
            raise BadCommit(
                f"its tables were built by acp-trace {version.made_by} (commits: {version.acp_trace_lake}), "
                f"and this one knows {VERSION}: update acp-trace"
            )
        document = msgspec.json.decode(text, type=_Document)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        why = f"{names.commit(number)} is damaged or not acp-trace's: {names.MENDED}"
        raise BadCommit(why) from None
    return LakeSnapshot(number, {group.name: group for group in document.groups})


def _moved(time: datetime, by: timedelta) -> str:
    """The day in UTC of a time earlier or later; a bound before or after all days if there is no such day."""
    try:
        return (time.astimezone(UTC) + by).date().isoformat()
    except OverflowError:
        return "" if by < timedelta() else _LAST


def mark_of(ids: Iterable[str]) -> str:
    """A sum of the digests of ids: the same for the same ids, in any order; sums of groups can be added."""
    total = sum(int.from_bytes(hashlib.sha256(id_.encode()).digest()[: _MARK_BITS // 8]) for id_ in ids)
    return f"{total % (1 << _MARK_BITS):032x}"


def mark_of_groups(groups: Iterable[TableGroup]) -> str:
    """The mark of the traces of several groups."""
    return f"{sum(int(group.mark, 16) for group in groups) % (1 << _MARK_BITS):032x}"
