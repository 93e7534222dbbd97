"""Parameters that typer's parser reads and typer's coercion leaves alone: the one place that bends typer.

typer coerces every value through pydantic, also a string, also one that was not given. To import pydantic
takes longer than the rest of a command's start (docs/architecture.md says what that means to `record`). So
a string, a flag, a list of strings and a default pass as the parser gives them. Numbers and the like go the
usual way; nothing is parsed by our own code.

To override `process_value` and `get_help_record` in a subclass is how one makes a parameter of one's own. But
typer (0.29) chooses the classes of parameters itself: neither `typer.Option` nor `typer.Typer` takes one, and
`parser=` goes through pydantic as well. So `uncoerced` gives the parameters that typer has made our classes
afterwards. Nothing of typer is replaced, and no name of it with an underscore is used. When typer takes a
class, or imports no pydantic for a string, this module can go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_type_hints

from typer.core import TyperArgument, TyperOption

#: Types that come out of the parser as they are.
_PLAIN = (str, bool, list[str])


class UncoercedOption(TyperOption):
    """An option."""

    is_plain = False

    def process_value(self, ctx: Any, value: Any) -> Any:
        """The value for the command: as it was parsed, or what typer makes of it."""
        return _value(self, super().process_value, ctx, value)


class UncoercedArgument(TyperArgument):
    """An argument. The help has its name alone: `TRACE`, where typer writes `TRACE <list[str]>`."""

    is_plain = False

    def process_value(self, ctx: Any, value: Any) -> Any:
        """The value for the command: as it was parsed, or what typer makes of it."""
        return _value(self, super().process_value, ctx, value)

    def get_help_record(self, ctx: Any) -> tuple[str, str] | None:
        """The name, and what it is for; None if it is hidden."""
        record = super().get_help_record(ctx)
        return record and (record[0].partition(" <")[0], record[1])


def uncoerced(parameters: list[Any], callback: Any) -> list[Any]:
    """The parameters of a command, each as one of the classes above; `callback` has their types."""
    if not all(isinstance(parameter, (UncoercedOption, UncoercedArgument)) for parameter in parameters):
        hints = get_type_hints(callback) if callback else {}
        for parameter in parameters:
            argument = parameter.param_type_name == "argument"
            parameter.__class__ = UncoercedArgument if argument else UncoercedOption
            parameter.is_plain = _is_plain(hints.get(parameter.name, bool))  # typer's own are flags
    return parameters


def _is_plain(hint: Any) -> bool:
    inner = [part for part in getattr(hint, "__args__", ()) if part is not type(None)]
    return hint in _PLAIN or (len(inner) == 1 and inner[0] in _PLAIN)


def _value(
    parameter: UncoercedOption | UncoercedArgument, coerce: Callable[..., Any], ctx: Any, value: Any
) -> Any:
    if value is None and not parameter.required:
        value = () if parameter.multiple or parameter.nargs == -1 else None
    elif parameter.required and not value:
        return coerce(ctx, value)  # which names what is missing
    elif value != parameter.default and not (parameter.is_plain and value):
        return coerce(ctx, value)
    return parameter.callback(ctx, parameter, value) if parameter.callback else value
