"""Why `acp-trace record` starts fast: typer's parser without typer's coercion of values.

typer coerces every value through pydantic, whose import alone takes longer than the rest of the
start (measured: 210 ms against 80 ms for the whole parse). The parameters of the root and of
`record` are flags, strings and lists of strings, which the parser yields as they are, so these two
skip the coercion. Anything else goes the usual way; nothing is parsed by our own code.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class LeanCommand(TyperCommand):
    """A command whose parameters are flags, strings and lists of strings."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does, with the values of strings and of what was not given left as they are."""
        for parameter in self.get_params(ctx):
            _lighten(parameter)
        return super().parse_args(ctx, args)


class LeanGroup(TyperGroup):
    """The same for the root command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """See `LeanCommand.parse_args`."""
        for parameter in self.get_params(ctx):
            _lighten(parameter)
        return super().parse_args(ctx, args)


def _lighten(parameter: Any) -> None:
    coerce = parameter.process_value
    many = parameter.multiple or parameter.nargs == -1

    def process_value(ctx: Any, value: Any) -> Any:
        if value is None and not parameter.required:
            value = () if many else None
        elif not value or not _is_plain(value, many):
            return coerce(ctx, value)
        return parameter.callback(ctx, parameter, value) if parameter.callback else value

    parameter.process_value = process_value


def _is_plain(value: Any, many: bool) -> bool:
    if many:
        return isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value)
    return isinstance(value, str)
