"""Options and arguments that several commands take, each declared once: its name, its metavar, its help.

The code that reads an option explains it. Options of a single command are in that command's module, and those
that are settings of a replay in `replay.declared`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from inspect import Parameter, Signature, signature
from typing import Annotated, Any

import typer

from acp_trace.cli import common, completion
from acp_trace.replay.declared import SETTINGS

_NO_HELPS: Mapping[str, str] = {}
_TYPES: dict[str, Any] = {"text": str | None, "flag": bool, "list": list[str] | None}

Expected = Annotated[
    str,
    typer.Argument(
        metavar="A",
        help=f"The expected trace: the recording. It is {common.NAMED}.",
        autocompletion=completion.traces,
    ),
]
Actual = Annotated[
    str,
    typer.Argument(
        metavar="B", help="The actual trace; the same forms as A.", autocompletion=completion.traces
    ),
]


def _option(keyword: str, *, group: str | None = None, help_: str | None = None) -> Any:
    """The option of a setting of a replay, as it is declared.

    `help_`: replaces the help, for a command that has no recording.
    """
    setting = SETTINGS[keyword]
    said, choices = setting.option, setting.choices
    return typer.Option(
        f"--{setting.key.replace('_', '-')}",
        metavar=said.metavar or None,
        help=help_ or said.help,
        autocompletion=completion.words(lambda: choices) if choices else None,
        rich_help_panel=group,
    )


Match = Annotated[str | None, _option("match")]
Masks = Annotated[list[str] | None, _option("masks")]
Budgets = Annotated[
    list[str] | None,
    _option("budgets", help_="Fail unless EXPR holds: 'cancel.settle p95 < 2s'. Repeatable."),
]
Pace = Annotated[str | None, _option("pace")]
Faults = Annotated[list[str] | None, _option("faults")]
Chaos = Annotated[str | None, _option("chaos")]


def agents(names: Sequence[str], *, in_mock: bool = False) -> list[str]:
    """Return the agents that `--as` names, each once. Raises BadParameter.

    `in_mock`: only those that `mock` can act as.
    """
    from acp_trace.replay.faults.agents import PREFIX, agent
    from acp_trace.replay.written.profiles import PROFILES

    found: dict[str, None] = {}
    for name in names:
        if name in PROFILES:
            raise typer.BadParameter(f"{name} is a client: only `drive` can act as it", param_hint="--as")
        whole = name if name.startswith(PREFIX) else f"{PREFIX}{name}"
        try:
            agent(whole, in_mock=in_mock)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--as") from None
        found[whole] = None
    return list(found)


#: Settings of an agent that is reached, not started.
OF_URL = ("url", "headers", "ca", "allow_remote")


def with_agent_settings(command: Callable[..., None]) -> Callable[..., None]:
    """The same as `with_settings`, for a command that starts its agents: none is reached at a URL."""
    return with_settings(command, [keyword for keyword in SETTINGS if keyword not in OF_URL])


def with_settings(
    command: Callable[..., None], keywords: Collection[str] = SETTINGS, helps: Mapping[str, str] = _NO_HELPS
) -> Callable[..., None]:
    """A command with an option for each setting of a replay that the command line has, or for these.

    `helps`: replaces the help of some settings, for a command that has no recording.

    The command takes them as keywords: a text or None, a flag, a list or None. Its own options follow theirs,
    under a heading of their own.
    """
    own = [
        parameter
        for parameter in signature(command, eval_str=True).parameters.values()
        if parameter.kind is not Parameter.VAR_KEYWORD
    ]
    settings = [
        Parameter(
            keyword,
            Parameter.KEYWORD_ONLY,
            default=False if setting.kind == "flag" else None,
            annotation=Annotated[
                _TYPES[setting.kind], _option(keyword, group=setting.option.group, help_=helps.get(keyword))
            ],
        )
        for keyword, setting in SETTINGS.items()
        if setting.option.help and keyword in keywords
    ]
    every = [
        *(each for each in own if each.default is Parameter.empty),
        *settings,
        *(each.replace(kind=Parameter.KEYWORD_ONLY) for each in own if each.default is not Parameter.empty),
    ]
    command.__signature__ = Signature(every)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in every}
    return command


Html = Annotated[
    str | None,
    typer.Option("--html", metavar="FILE", help="Write a page for a browser: one self-contained file."),
]
Junit = Annotated[
    str | None,
    typer.Option("--junit", metavar="FILE", help="Write JUnit XML to FILE; `-` is standard output."),
]
JsonFile = Annotated[
    str | None,
    typer.Option("--json-file", metavar="FILE", help="Also write the document of `--json` to FILE."),
]
Github = Annotated[bool, typer.Option("--github", help="Print GitHub workflow annotations.")]
AllDivergences = Annotated[bool, typer.Option("--all", help="List every divergence.")]
