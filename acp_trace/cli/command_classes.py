"""The classes of the root command and of the others: where they depart from typer's own.

Everything goes through what typer offers for it: `cls=`, and methods without an underscore. Plain help, usage
lines as they are typed, an agent's command behind `--`, messages that no terminal obeys. Why values are
not coerced, and how, is in `uncoerced`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from acp_trace.cli import common
from acp_trace.cli.errors import USAGE, Misuse, fail, unread
from acp_trace.cli.uncoerced import uncoerced

_AGENT = "acp_trace.agent"
#: What commands call a TRACE that need not be given.
_TRACES = ("trace", "traces", "actual")
#: The widest first column of a help; a longer name has a line of its own. The same as click's `write_dl`.
_WIDEST = 30
#: What `acp-trace` alone prints.
BRIEF = """\
acp-trace records, replays and explains the traffic between ACP clients and coding agents.
  acp-trace record -- AGENT      record AGENT: put this where your client starts AGENT
  acp-trace show                 show what happened in the last trace
  acp-trace replay -- AGENT      play the recorded client to AGENT again
  acp-trace --help               list all commands; `acp-trace demo` shows how it works"""
#: The message for a line without `--` that makes no sense.
FORGOTTEN = "put the agent's command after `--`"


class Command(TyperCommand):
    """A command; a reader of its output that goes is not a failure."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Arguments and options; see `uncoerced`."""
        return uncoerced(super().get_params(ctx), self.callback)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments and options; if there are headings (`cli/headings.py`), under these, in one column."""
        from acp_trace.cli import headings  # with the settings of a replay, which `record` does not need

        command = self.name or ""
        params = self.get_params(ctx)
        if not any(headings.heading_of(command, param) for param in params):
            super().format_options(ctx, formatter)
            return
        groups: dict[str, list[tuple[int, tuple[str, str]]]] = {}
        for param in params:
            if (record := param.get_help_record(ctx)) is not None:
                plain = headings.ARGUMENTS if param.param_type_name == "argument" else headings.REST
                heading = headings.heading_of(command, param) or plain
                row = headings.rank(command, heading, param), record
                groups.setdefault(heading, []).append(row)
        ordered = headings.in_order(command, list(groups))
        rows = {heading: sorted(groups[heading], key=lambda row: row[0]) for heading in ordered}
        _write_headings(formatter, {heading: [record for _, record in rows[heading]] for heading in rows})

    def invoke(self, ctx: Any) -> Any:
        """Run the command. A reader of its output that goes is not a failure; typer would end with 1."""
        ways = [ctx.get_parameter_source(name) for name in _TRACES if name in ctx.params]
        is_given = all(way.name != "DEFAULT" for way in ways)
        common.names_last.set(not is_given and not ctx.params.get("json"))
        with unread():
            super().invoke(ctx)


class RecordCommand(Command):
    """A command whose agent begins at the first word that is not an option; `--` makes that explicit."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The usage line as it is typed."""
        return ["[OPTIONS]", "-- AGENT [ARGS]..."]


class AgentCommand(Command):
    """A command whose line ends with `-- AGENT ARGS…`: `agent_of` returns the words behind the `--`."""

    forgotten = FORGOTTEN
    behind = "AGENT [ARGS]..."

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Takes the agent's command off, so that none of its words is taken for one of ours."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[_AGENT] = args[at + 1 :]
        try:
            return super().parse_args(ctx, args[:at])
        except typer.TyperException as error:
            if at < len(args):
                raise
            raise Misuse(f"{error.format_message().rstrip('.')}; {self.forgotten}", ctx) from None

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The usage line, with the agent's command in it."""
        return [*super().collect_usage_pieces(ctx), f"[-- {self.behind}]"]


class ArgumentsCommand(AgentCommand):
    """A command whose line ends with `-- ARGS…`: the arguments of the agents that its options name."""

    forgotten = "put the agent's arguments after `--`"
    behind = "ARGS..."


def agent_of(ctx: Any) -> list[str]:
    """The agent's command, as given behind the `--`; empty if there was none."""
    return list(ctx.meta.get(_AGENT, ()))


class CommandGroup(TyperGroup):
    """Commands, each under its heading in the help; groups come last."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names, in the order in which they are needed."""
        return sorted(
            super().list_commands(ctx), key=lambda name: isinstance(self.commands[name], CommandGroup)
        )

    def flat(self) -> dict[str, Any]:
        """The commands by their words, and behind each group its own: `team`, `team push`."""
        found: dict[str, Any] = {}
        for name in self.list_commands(None):
            found[name] = self.commands[name]
            if isinstance(found[name], CommandGroup):
                found |= {f"{name} {word}": command for word, command in found[name].flat().items()}
        return found

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands of the help, each under its heading, in their order; all in one column.

        typer keeps headings (`rich_help_panel`) for its boxed help.
        """
        headings: dict[str, list[tuple[str, Any]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                headings.setdefault(command.rich_help_panel or "Commands", []).append((name, command))
        width = max((len(name) for rows in headings.values() for name, _ in rows), default=0)
        room = formatter.width - width - 6
        _write_headings(
            formatter,
            {
                heading: [(name, command.get_short_help_str(room)) for name, command in rows]
                for heading, rows in headings.items()
            },
        )


class Team(CommandGroup):
    """`acp-trace team`: the commands of the extra of this name."""

    @staticmethod
    def is_installed() -> bool:
        """Whether its packages are there; looking for them takes a tenth of a millisecond."""
        from acp_trace.places import door

        return not door.lacking()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does. Without the extra, a line says how to get it, also in place of the help."""
        if not ctx.resilient_parsing and not self.is_installed():
            from acp_trace.places.place import INSTALL

            fail(INSTALL, USAGE)
        return super().parse_args(ctx, args)


class Root(CommandGroup):
    """The root command. It makes each command's message about a wrong line harmless."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does; a line without words gets a few lines, not the whole help, on stderr and with 2."""
        if not args and not ctx.resilient_parsing:
            typer.echo(BRIEF, err=True)
            ctx.exit(USAGE)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """The root's own options; see `uncoerced`."""
        return uncoerced(super().get_params(ctx), self.callback)

    def make_context(self, *args: Any, **more: Any) -> Any:
        """As typer does."""
        with _harmless():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        """As typer does, for the command's own parsing too."""
        with _harmless():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As typer does, but two words can name a command, too: `model diff`, although `model` is one.

        `lake --help` is that of the only command that begins with `lake`.
        """
        two = " ".join(args[:2])
        if two in self.commands:
            return super().resolve_command(ctx, [two, *args[2:]])
        longer = [name for name in self.commands if name.startswith(f"{args[0]} ")]
        if longer and args[0] not in self.commands and not ctx.resilient_parsing:
            if len(longer) == 1 and {*args[1:2]} & {*ctx.help_option_names}:
                return super().resolve_command(ctx, [longer[0], *args[1:]])
            ctx.fail(f"`{args[0]}` is the first word of a command: {', '.join(longer)}")
        return super().resolve_command(ctx, args)


def _write_headings(formatter: Any, headings: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    """Rows under their headings, all names in one column."""
    width = max((len(name) for rows in headings.values() for name, _ in rows), default=0)
    width = min(width, _WIDEST)
    for heading, rows in headings.items():
        with formatter.section(heading):
            formatter.write_dl([(name.ljust(width), said) for name, said in rows])


@contextmanager
def _harmless() -> Iterator[None]:
    """Words and names of files come from a shell's `*` as well as from a person: no terminal obeys them."""
    try:
        yield
    except typer.TyperException as error:
        from acp_trace.report.safe import safe_lines

        error.message = safe_lines(str(error.message))
        raise
