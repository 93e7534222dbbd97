"""`acp-trace rm` and `acp-trace prune`: the two ways to remove traces."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acp_trace.cli import common
from acp_trace.cli.errors import USAGE, Misuse, fail

_DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")]


def rm(
    traces: Annotated[
        list[str],
        typer.Argument(metavar="TRACE", help="Ids or their beginnings, `last`, `last~2`."),
    ],
    dry_run: _DryRun = False,
    json: common.Json = False,
) -> None:
    """Remove traces from the store. A live trace is not removed."""
    from acp_trace.store.catalog import resolve
    from acp_trace.store.sources import StoredSource

    home = common.home()
    common.swept(home)
    ids = []
    for text in traces:
        source = resolve(home, text)
        source.close()
        if source.live:
            fail(f"{Path(source.name).stem} is being recorded: end its agent first", USAGE)
        if not isinstance(source, StoredSource):
            fail(f"{text} is a file: remove it as one", USAGE)
        ids.append(source.name)
    _remove(list(dict.fromkeys(ids)), dry_run, json)


def prune(
    older_than: Annotated[
        str | None,
        typer.Option(metavar="AGE", help="Remove what began longer ago: 90m, 12h, 30d, 2w."),
    ] = None,
    keep: Annotated[int | None, typer.Option(metavar="N", min=0, help="Remove all but the newest N.")] = None,
    dry_run: _DryRun = False,
    json: common.Json = False,
) -> None:
    """Remove old traces from the store.

    With both options, what is older and not among the newest.
    """
    from datetime import UTC, datetime

    from acp_trace.store.remove import BadAge, age, to_prune

    if older_than is None and keep is None:
        raise Misuse("say --older-than AGE, --keep N, or both")
    try:
        limit = None if older_than is None else age(older_than)
    except BadAge as error:
        raise typer.BadParameter(str(error), param_hint="--older-than") from None
    home = common.home()
    common.swept(home)
    ids = to_prune(home.store, older_than=limit, keep=keep, now=datetime.now(UTC))
    _remove(ids, dry_run, json)


def _remove(ids: list[str], dry_run: bool, json: bool) -> None:
    from acp_trace.report.safe import safe
    from acp_trace.store.remove import remove

    if ids and not dry_run:
        remove(common.home().store, ids)
    if json:
        common.print_json({"dry_run": dry_run, "removed": ids})
        return
    for trace_id in ids:
        typer.echo(f"{'would remove' if dry_run else 'removed'} {safe(trace_id)}")
    if not ids:
        typer.echo("nothing to remove")
