"""`acp-trace rm`: traces are removed by name, or by age and number; and `prune`, its older name for that."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, completion, places
from acp_trace.cli.errors import UNREADABLE, USAGE, Misuse, fail

if TYPE_CHECKING:
    from datetime import timedelta

    from acp_trace.store.compact import Compacted

_STAYS = "the removed text can still be read in the store's file, until you run"
_LATER = "acp-trace rm --compact"
_WHAT = Path("the store")

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")]
OlderThan = Annotated[
    str | None,
    typer.Option(metavar="AGE", help="Remove traces that began longer than AGE ago: 90m, 12h, 30d, 2w."),
]
Keep = Annotated[int | None, typer.Option(metavar="N", min=0, help="Remove all but the newest N.")]
_Compact = Annotated[
    bool | None,
    typer.Option(
        "--compact/--no-compact",
        help="Rewrite the store's file, even if nothing is removed; or leave removed text in it for now.",
    ),
]


def rm(
    traces: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TRACE",
            help=f"Traces of the store. Each is {common.IDS}.",
            autocompletion=completion.traces,
        ),
    ] = None,
    older_than: OlderThan = None,
    keep: Keep = None,
    dry_run: DryRun = False,
    compact: _Compact = None,
    at: places.OlderAt = None,
    json: common.Json = False,
) -> None:
    """Remove traces from the store, by name or by age.

    With both --older-than and --keep, removes only traces that are older than AGE and not among the newest
    N. A live trace is not removed. The store's file is rewritten, so that no text of removed traces stays in
    it; --compact alone only rewrites the file.
    """
    if not traces:
        _prune(older_than, keep, dry_run=dry_run, compact=compact, at=at, json=json, what="TRACE, ")
        return
    if older_than is not None or keep is not None or at is not None:
        raise Misuse("give either TRACE or --older-than, --keep or --at, not both")
    from acp_trace.store.catalog import UnknownTrace, is_path, named
    from acp_trace.store.sources import StoredSource

    for text in traces:
        places.not_an_address(text, "team prune {place}")
    home = common.home()
    common.swept(home)
    ids = []
    for text in traces:
        try:
            source = named(home, text)
        except UnknownTrace:
            if is_path(text):
                fail(f"{text} is a file: remove it with `rm`", USAGE)
            raise
        source.close()
        if source.live:
            fail(f"{Path(source.name).stem} is being recorded: end its agent first", USAGE)
        if not isinstance(source, StoredSource):
            fail(f"{text} is a file: remove it with `rm`", USAGE)
        ids.append(source.name)
    _remove(list(dict.fromkeys(ids)), dry_run, json, compact)


def prune(
    older_than: OlderThan = None,
    keep: Keep = None,
    dry_run: DryRun = False,
    compact: _Compact = None,
    at: places.OlderAt = None,
    json: common.Json = False,
) -> None:
    """Remove old traces from the store: an older name of `rm --older-than`.

    It has the options of `rm`, and takes no TRACE.
    """
    _prune(older_than, keep, dry_run=dry_run, compact=compact, at=at, json=json)


def _prune(
    older_than: str | None,
    keep: int | None,
    *,
    dry_run: bool,
    compact: bool | None,
    at: str | None,
    json: bool,
    what: str = "",
) -> None:
    """Removes traces by age and number. `what` could have been given in their place."""
    from datetime import UTC, datetime

    from acp_trace.store.remove import to_prune

    if older_than is None and keep is None and not compact:
        raise Misuse(f"give {what}--older-than AGE, --keep N, or both; or --compact")
    limit = age(older_than)
    if at is not None:
        if compact is not None:
            raise Misuse("a place has no store to compact: leave out --compact, or --at")
        from acp_trace.places.door import team

        team("commands.prune").prune_at(at, limit, keep, dry_run=dry_run, json=json)
        return
    home = common.home()
    common.swept(home)
    ids: list[str] = []
    if not (older_than is None and keep is None):
        ids = to_prune(home.store, older_than=limit, keep=keep, now=datetime.now(UTC))
    _remove(ids, dry_run, json, compact)


def age(older_than: str | None) -> timedelta | None:
    """The age that --older-than names. Ends with exit code 2 for what names none."""
    from acp_trace.store import remove

    try:
        return None if older_than is None else remove.age(older_than)
    except remove.BadAge as error:
        raise typer.BadParameter(str(error), param_hint="--older-than") from None


def _remove(ids: list[str], dry_run: bool, json: bool, wanted: bool | None) -> None:
    """Removes the traces, and then their text: the one is not undone where the other fails."""
    from acp_trace.report.safe import safe
    from acp_trace.store.compact import is_due
    from acp_trace.store.remove import remove

    compact = is_due(len(ids), wanted)
    if ids and not dry_run:
        remove(common.home().store, ids)
    if not json:
        for trace_id in ids:
            typer.echo(f"{'would remove' if dry_run else 'removed'} {safe(trace_id)}")
        if not ids and not compact:
            typer.echo("nothing to remove")
        sys.stdout.flush()
    done, why = (None, "") if dry_run or not compact else _compacted(ids)
    if json:
        common.print_json({"dry_run": dry_run, "removed": ids, "compacted": done is not None})
    elif done is not None and not ids:
        from acp_trace.report import units

        typer.echo(
            f"the store now takes {units.size(done.after_bytes)}; before: {units.size(done.before_bytes)}"
        )
    elif ids and not dry_run and not compact:
        print(f"acp-trace: {_STAYS} `{_LATER}`", file=sys.stderr)
    if why:
        fail(why, UNREADABLE)


def _compacted(ids: list[str]) -> tuple[Compacted | None, str]:
    """The result, or the line that says why nothing was removed."""
    from acp_trace.store.compact import NotCompacted, compact

    left = _STAYS if ids else "the store is unchanged; try again:"
    try:
        with _progress() as tick:
            return compact(common.home().store, tick), ""
    except NotCompacted as error:
        return None, f"{error}: {left} `{_LATER}`"
    except KeyboardInterrupt:
        print(f"acp-trace: {left} `{_LATER}`", file=sys.stderr)
        raise


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """A function to call with the bytes written and those that there will be; draws a bar on a terminal."""
    with common.progress("writing") as tick:
        yield None if tick is None else lambda done, total: tick(_WHAT, done, total)
