"""`acp-trace team prune`: old traces of a place, and files that are no longer used, are removed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from acp_trace.cli import common, places, rm
from acp_trace.cli.errors import Misuse

if TYPE_CHECKING:
    from datetime import timedelta

    from acp_trace.places.place import SharedPlace


def prune(
    dest: places.Destination,
    older_than: rm.OlderThan = None,
    keep: rm.Keep = None,
    dry_run: rm.DryRun = False,
    json: common.Json = False,
) -> None:
    """Remove old traces from a place, for everyone.

    With both --older-than and --keep, removes only traces that are older than AGE and not among the newest
    N. The tables keep the rows of removed traces until the next `team build`. Also removes files that have
    been unused for a day: those of older tables, and those that a killed push or build left incomplete.
    """
    if older_than is None and keep is None:
        raise Misuse("give --older-than AGE, --keep N, or both")
    prune_at(dest, rm.age(older_than), keep, dry_run=dry_run, json=json)


def prune_at(at: str, older_than: timedelta | None, keep: int | None, *, dry_run: bool, json: bool) -> None:
    """Removes traces from a place, the oldest first: what is broken off goes on the next time."""
    from datetime import UTC, datetime

    from acp_trace.places.pull import kept_in, to_prune
    from acp_trace.team.bucket import unfinished

    with places.opened(at) as place:
        files = _unused_at(place)  # first: nothing is removed where the tables cannot be read
        every = kept_in(place)
        old = to_prune(every, older_than=older_than, keep=keep, now=datetime.now(UTC))[::-1]
        left = _unfinished_at(place)
        if not dry_run:
            place.remove([*(each.key for each in old), *files])
            unfinished.remove(place, left.values())
    if json:
        removed = {"removed": [each.id for each in old], "files": files, "unfinished": [*left]}
        common.print_json({"dry_run": dry_run, **removed, "compacted": False})
        return
    from acp_trace.trace.counts import counted

    lines = [each.id for each in old]
    if len(old) > 1:  # their number would have scrolled past
        lines.append(f"{counted(len(old), 'trace')} of {len(every)}")
    if files:
        lines.append(f"{counted(len(files), 'file')} of older tables")
    if left:
        lines.append(f"{counted(len(left), 'file')} that a push or a build was writing when it was killed")
    for line in lines:
        typer.echo(f"{'would remove' if dry_run else 'removed'} {line}")
    if not lines:
        typer.echo("nothing to remove")


def _unused_at(place: SharedPlace) -> list[str]:
    """The files of the tables of a place that are no longer used."""
    from datetime import UTC, datetime

    from acp_trace.team.lake import log, names
    from acp_trace.team.lake.unused import unused

    newest = log.newest(place)  # of number 0 before the first commit: then a killed build has left them all
    return unused(place.names(f"{names.ROOT}/"), newest, datetime.now(UTC))


def _unfinished_at(place: SharedPlace) -> dict[str, Path]:
    """The files that a killed push or build has left half-written, by their names."""
    from datetime import UTC, datetime

    from acp_trace.places import layout
    from acp_trace.team.bucket.unfinished import unfinished
    from acp_trace.team.lake import names

    now = datetime.now(UTC)
    traces = unfinished(place, layout.TRACES, lambda name: layout.kept(name) is not None, now)
    return {**unfinished(place, names.ROOT, names.is_own, now), **traces}
