"""The settings of a replay, each declared once: its name, type, help, choices, and where it applies.

This table defines the options of `acp-trace replay` with their groups and completion, the keys of
`NAME.replay.toml`, and the keywords of `replay_trace` and of the fixture `acp_replay`. A new setting is a row
here, and a field of `settings.Settings`, which has the meaning of the values. Light: a command's help reads
it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, Union, get_args, get_origin, get_type_hints

from acp_trace.compare.codes import Match

#: How requests of the peer are answered that the recording does not have (docs/replay.md, What is answered).
Unmatched = Literal["fail", "nearest", "workspace"]
#: The agent's model: answers from the recording, the real model (recorded again), or left alone.
ModelMode = Literal["recorded", "live", "off"]
#: Whether the most similar request answers one that differs in more than what always varies.
ModelMatch = Literal["loose", "exact"]
#: Word in place of a directory: the agent starts in the run's directory, its home is a new one.
RUN: Literal["run"] = "run"
FRESH: Literal["fresh"] = "fresh"

_Path = str | os.PathLike[str]
#: The headings of the help.
COMPARE, HOW, WHERE, MODEL = "Compare", "How it runs", "Where it runs", "Model"
URL, FAULTS = "URL", "Faults on purpose"


class Declaration(NamedTuple):
    """A setting's details beside its name and type. Without `help`, it is not on the command line.

    `group`: its heading in the help.
    """

    group: str = ""
    metavar: str = ""
    help: str = ""
    key: str = ""  #: in NAME.replay.toml and for the option, if it is not the Python keyword
    word: str = ""  #: stands for a directory
    is_file: bool = False  #: a path is that of a file


class ReplaySettings(TypedDict, total=False):
    """The Python keywords. None, or an empty list, counts as not given."""

    # fmt: off
    match: Annotated[Match | None, Declaration(COMPARE, "LEVEL",
        "How closely to compare: `outcome`, `semantic` (the default), `content` (the "
        "default if the model's answers come from the recording) or `exact`.")]
    masks: Annotated[Sequence[str], Declaration(COMPARE, "POINTER[:TYPE]",
        "Hide the value at a JSON pointer. Repeatable.", key="mask")]
    budgets: Annotated[Sequence[str], Declaration(COMPARE, "EXPR",
        "Fail unless EXPR holds: 'cancel.settle p95 < 2s', or relative to the recording: "
        "'turn.duration max <= 2x'. Repeatable.", key="budget")]
    allow: Annotated[Sequence[str], Declaration(COMPARE, "'CODE PLACE'",
        "Let this divergence pass: 'update-missing usage_update'. Repeatable.")]
    alternatives: Annotated[Sequence[_Path], Declaration(is_file=True)]
    pace: Annotated[str | None, Declaration(HOW, "PACE",
        "`causal`: as soon as possible (the default); `recorded`: with the recorded pauses; `10x`: ten "
        "times faster.")]
    timeout: Annotated[float | None, Declaration(HOW, "SECONDS",
        "Give up after SECONDS of silence. Default: 60, or twice the recording's longest silence if that is "
        "longer.")]
    retries: Annotated[int | None, Declaration(HOW, "N",
        "Retry a failed replay up to N times. A replay that then passes is flaky.")]
    unmatched: Annotated[Unmatched | None, Declaration(HOW, "WHAT",
        "What to do with a request that has no recorded answer. `fail`: answer with an error (the default). "
        "`nearest`: give the answer to the most similar request. `workspace`: read or write the files in the "
        "run's directories.")]
    allow_terminal: Annotated[bool | None, Declaration(HOW, help=
        "With `--unmatched workspace`: also run commands that were not recorded, in the run's "
        "directory.")]
    cwd: Annotated[_Path | None, Declaration(WHERE, "DIR",
        "Open sessions in this directory. Default: a new directory.")]
    workspace: Annotated[_Path | None, Declaration(WHERE, "DIR",
        "Before AGENT starts, copy DIR into the new directory of the first session.")]
    agent_cwd: Annotated[_Path | None, Declaration(WHERE, "DIR",
        "Start AGENT in DIR. `run` means the directory of the run's first session. If the recorded AGENT "
        "started in a session's directory, the default is that session's directory in the run. "
        "Otherwise, the default is `run`.", word=RUN)]
    home: Annotated[_Path | None, Declaration(WHERE, "DIR",
        "Give AGENT this home directory (HOME, XDG_…_HOME); `fresh` for a new, empty one.", word=FRESH)]
    url: Annotated[str | None, Declaration(URL, "URL",
        "Connect to the agent that serves ACP at URL, instead of starting AGENT: http(s)://…, or ws(s)://… "
        "for a WebSocket.")]
    headers: Annotated[Sequence[str], Declaration(URL, "'NAME: VALUE'",
        "With `--url`: send this header with each request. ${VARIABLE} is filled in from the environment. "
        "The header is never recorded. Repeatable.", key="header")]
    ca: Annotated[_Path | None, Declaration(URL, "FILE",
        "With `--url`: trust these certificates (PEM) instead of the system's.", is_file=True)]
    allow_remote: Annotated[bool | None, Declaration(URL, help=
        "With `--url`: allow a URL on another machine.")]
    model: Annotated[ModelMode | None, Declaration(MODEL, "MODE",
        "What answers AGENT's model requests. `recorded`: the recorded answers, without a network (the "
        "default if TRACE has them). `live`: the real model, recorded again. `off`: the "
        "model that AGENT reaches by itself, not recorded.")]
    model_match: Annotated[ModelMatch | None, Declaration(MODEL, "HOW",
        "What to do with a model request whose prompt changed. `loose`: give the answer that was recorded at "
        "the same point of the conversation (the default). `exact`: refuse the request.")]
    model_strict: Annotated[bool | None, Declaration(MODEL, help=
        "Fail if AGENT sends its model anything other than what was recorded.")]
    model_base: Annotated[Sequence[str], Declaration(MODEL, "NAME[=URL]",
        "Permit acp-trace to set the variable NAME in AGENT's environment if TRACE names NAME. By default, "
        "acp-trace sets only variables that it knows. The value is the URL of acp-trace's proxy, or a dummy "
        "key if the recorded variable was a key. With NAME=URL, acp-trace always sets NAME to the address "
        "of its proxy for URL, as `record` does. Repeatable.")]
    faults: Annotated[Sequence[str], Declaration(FAULTS, "FAULT",
        "Make a fault on purpose: 'KIND [VALUE] on METHOD [#N]', such as 'delay 5s on session/prompt #2'. "
        "After a fault, acp-trace judges the run by the protocol's rules, not by the recording. Repeatable. "
        "docs/faults.md lists the kinds.", key="fault")]
    chaos: Annotated[int | None, Declaration(FAULTS, "SEED",
        "Choose faults at random from SEED, a number. The same SEED chooses the same faults.")]
    # fmt: on


class Setting(NamedTuple):
    """A setting as the table's readers see it. `kind`: of its value."""

    keyword: str  #: in Python
    key: str  #: in NAME.replay.toml; the option is `--key`
    kind: Literal["text", "flag", "list"]
    choices: tuple[str, ...]  #: all possible values; empty if others are allowed
    is_path: bool
    option: Declaration


def _setting(keyword: str, hint: Any) -> Setting:
    declared, option = get_args(hint)
    types = [each for each in _of_union(declared) if each is not type(None)]
    is_list = get_origin(types[0]) is Sequence
    inner = _of_union(get_args(types[0])[0]) if is_list else types
    choices = tuple(get_args(types[0])) if get_origin(types[0]) is Literal else ()
    return Setting(
        keyword,
        option.key or keyword,
        "list" if is_list else "flag" if types == [bool] else "text",
        choices,
        any(get_origin(each) is os.PathLike for each in inner),
        option,
    )


def _of_union(hint: Any) -> list[Any]:
    return [*get_args(hint)] if get_origin(hint) in (Union, UnionType) else [hint]


#: By their keywords, in the order of the help.
SETTINGS = {
    keyword: _setting(keyword, hint)
    for keyword, hint in get_type_hints(ReplaySettings, include_extras=True).items()
}
BY_KEY = {each.key: each for each in SETTINGS.values()}


def given(keywords: Mapping[str, Any], path: Callable[[Any], str] = os.fspath) -> dict[str, Any]:
    """Return what is given to Python, as `NAME.replay.toml` would have it. `path`: converts a path.

    Raises TypeError for an unknown keyword, as Python does.
    """
    if unknown := keywords.keys() - SETTINGS.keys():
        raise TypeError(f"{min(unknown)!r} is not a setting: it is not one of {', '.join(SETTINGS)}")
    return {
        SETTINGS[keyword].key: _seen(SETTINGS[keyword], value, path)
        for keyword, value in keywords.items()
        if value is not None and not (SETTINGS[keyword].kind == "list" and not value)
    }


def _seen(setting: Setting, value: Any, path: Callable[[Any], str]) -> Any:
    if setting.kind == "list":
        return [path(each) for each in value] if setting.is_path else list(value)
    return path(value) if setting.is_path and value != setting.option.word else value
