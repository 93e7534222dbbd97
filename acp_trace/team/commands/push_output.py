"""What `acp-trace team push` says of the traces that it pushed, and of a new place. No options here."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from acp_trace.cli import common
from acp_trace.cli.errors import DIFFERS, UNREADABLE

if TYPE_CHECKING:
    from acp_trace.team.bucket.push import Pushed


def say_new(url: str) -> None:
    """That this was no place until now: an address may be mistyped, or a share not mounted."""
    from acp_trace.report.safe import safe

    print(f"acp-trace: {safe(url)} is a new place for traces", file=sys.stderr)


def print_pushed(url: str, done: Sequence[Pushed], *, json: bool) -> None:
    """Prints what became of each trace. Ends with exit code 3 if one failed, and 1 if one was refused."""
    by_state: dict[str, list[Pushed]] = {}
    for one in done:
        by_state.setdefault(one.state, []).append(one)
    if json:
        common.print_json({"place": url, "traces": [_as_json(one) for one in done]})
    else:
        _say_done(url, by_state)
    for one in by_state.get("failed", ()):
        print(f"acp-trace: {common.failure(one.id, one.why or '')}", file=sys.stderr)
    if refused := by_state.get("refused"):
        _say_refused(refused)
    if "failed" in by_state:
        raise typer.Exit(UNREADABLE)
    if "refused" in by_state:
        raise typer.Exit(DIFFERS)


def _as_json(one: Pushed) -> dict[str, Any]:
    return {**one._asdict(), "rules": list(one.rules)}


def _say_done(url: str, by_state: dict[str, list[Pushed]]) -> None:
    """One line: what was sent, and what was there."""
    from acp_trace.report import units
    from acp_trace.report.safe import safe
    from acp_trace.trace.counts import counted

    pushed, there = by_state.get("pushed", []), by_state.get("there", [])
    parts = [f"{counted(len(pushed), 'trace')} pushed"]
    if pushed:
        size, packed = sum(one.bytes for one in pushed), sum(one.packed_bytes for one in pushed)
        parts[0] += f" ({units.size(packed)}; {units.size(size)} unpacked)"
    if there:
        parts.append(f"{len(there)} there already")
    if live := by_state.get("live"):
        parts.append(f"{len(live)} still being recorded")
    typer.echo(f"{safe(url)}: {', '.join(parts)}")


def _say_refused(refused: Sequence[Pushed]) -> None:
    """Which traces contain secrets, the first ones by name; and what to do."""
    from acp_trace.report.safe import safe
    from acp_trace.trace.counts import counted

    for one in refused[:5]:
        print(
            f"acp-trace: {safe(one.id)} contains {counted(one.secrets, 'secret')} ({', '.join(one.rules)})",
            file=sys.stderr,
        )
    text = f"{counted(len(refused), 'trace')} refused: --redact pushes without secrets, --as-is with them"
    print(f"acp-trace: {text}", file=sys.stderr)
