"""Help as plain text: commands under headings, arguments by their names alone, usage lines as they are typed.

typer keeps headings for its boxed help. A command's `rich_help_panel` is read here, so that the plain
help has them as well, in the order in which they are first named.
"""

from __future__ import annotations

from typing import Any


def write_commands(group: Any, ctx: Any, formatter: Any) -> None:
    """The commands of a group, each under its heading, in their order; all heads of lines in one column."""
    headings: dict[str, list[tuple[str, Any]]] = {}
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is not None and not command.hidden:
            headings.setdefault(command.rich_help_panel or "Commands", []).append((name, command))
    wide = max((len(name) for rows in headings.values() for name, _ in rows), default=0)
    room = formatter.width - wide - 6
    for heading, rows in headings.items():
        with formatter.section(heading):
            formatter.write_dl([(name.ljust(wide), one.get_short_help_str(room)) for name, one in rows])


def without_types(parameters: list[Any]) -> None:
    """Arguments without Python's names for their types: `TRACE`, where typer writes `TRACE <list[str]>`."""
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = _nothing


def _nothing(*_: Any, **__: Any) -> str:
    return ""
