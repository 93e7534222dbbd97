"""Why the commands start fast: typer's parser without typer's coercion where nothing is coerced.

typer coerces every value through pydantic, whose import alone takes longer than the rest of the
start (measured: 210 ms against 80 ms for the whole parse of `record`). Flags, strings, lists of
strings, and what was not given at all come out of the parser as they are, so these skip the
coercion. Numbers and paths go the usual way; nothing is parsed by our own code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from acp_trace.cli import plain
from acp_trace.cli.errors import Misuse, unread

_PLAIN = (str, bool, list[str])
_AGENT = "acp_trace.agent"
#: What a line without `--` is told when it makes no sense.
FORGOTTEN = "an agent's command goes behind `--`"
#: What the parser raises, and what it prints; typer exports only what is derived from them.
_UsageError: type[Any] = typer.BadParameter.__mro__[1]
_ClickException: type[Any] = typer.BadParameter.__mro__[2]


class LeanCommand(TyperCommand):
    """A command that coerces only what is no flag, string or list of strings."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does, with plain values and those that were not given left as they are."""
        _lighten(self, self.get_params(ctx))
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Runs the command. That nobody reads on is no failure; typer would end with 1."""
        with unread():
            super().invoke(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments and options of the help; see `plain`."""
        plain.without_types(self.get_params(ctx))
        super().format_options(ctx, formatter)


class RecordCommand(LeanCommand):
    """A command that is all agent from the first word on that is no option; with `--` nobody has to think."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The usage line as it is typed."""
        return ["[OPTIONS]", "-- AGENT [ARGS]..."]


class AgentCommand(LeanCommand):
    """A command whose line ends with `-- AGENT ARGS…`: `agent_of` has what stands behind the `--`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Takes the agent's command off, so that none of its words is taken for one of ours."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[_AGENT] = args[at + 1 :]
        try:
            return super().parse_args(ctx, args[:at])
        except _UsageError as error:
            if at < len(args):
                raise
            raise Misuse(f"{error.format_message().rstrip('.')}; {FORGOTTEN}", ctx) from None

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The usage line, with the agent's command in it."""
        return [*super().collect_usage_pieces(ctx), "[-- AGENT [ARGS]...]"]


def agent_of(ctx: Any) -> list[str]:
    """The agent's command, as it stood behind the `--`; empty where there was none."""
    return list(ctx.meta.get(_AGENT, ()))


class LeanGroup(TyperGroup):
    """The same for the root command. What any command says of a wrong line is made harmless here."""

    def make_context(self, *args: Any, **more: Any) -> Any:
        """As typer does."""
        with _harmless():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        """As typer does, for the command's own parsing too."""
        with _harmless():
            return super().invoke(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """See `LeanCommand.parse_args`."""
        _lighten(self, self.get_params(ctx))
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands of the help under their headings; see `plain`."""
        plain.write_commands(self, ctx, formatter)


@contextmanager
def _harmless() -> Iterator[None]:
    """Words and names of files come from a shell's `*` as well as from a person: no terminal obeys them."""
    try:
        yield
    except _ClickException as error:
        from acp_trace.report.safe import safe_lines

        error.message = safe_lines(str(error.message))
        raise


def _lighten(command: Any, parameters: list[Any]) -> None:
    hints = get_type_hints(command.callback) if command.callback else {}
    for parameter in parameters:
        hint = hints.get(parameter.name, bool)  # those that typer adds by itself are flags
        inner = [one for one in getattr(hint, "__args__", ()) if one is not type(None)]
        plain = hint in _PLAIN or (len(inner) == 1 and inner[0] in _PLAIN)
        _leave_as_it_is(parameter, given=plain)


def _leave_as_it_is(parameter: Any, *, given: bool) -> None:
    """Lets the value through where it was not given, and where it is plain anyway."""
    coerce = parameter.process_value
    many = parameter.multiple or parameter.nargs == -1

    def process_value(ctx: Any, value: Any) -> Any:
        if value is None and not parameter.required:
            value = () if many else None
        elif (not (given and value) and value != parameter.default) or (parameter.required and not value):
            return coerce(ctx, value)
        return parameter.callback(ctx, parameter, value) if parameter.callback else value

    parameter.process_value = process_value
