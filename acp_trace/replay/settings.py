"""How to replay: the options, and `NAME.replay.toml` beside `NAME.jsonl`, read and checked.

Paths in a file are relative to the file. The settings are read here, and used elsewhere.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from acp_trace.analyze.budgets import grammar as budgets
from acp_trace.analyze.budgets.grammar import Budget
from acp_trace.compare.codes import Match
from acp_trace.model.proxy.settings import BadSetting, check_name
from acp_trace.model.proxy.settings import base as model_base
from acp_trace.normalize import masks
from acp_trace.normalize.masks import Mask
from acp_trace.replay.declared import BY_KEY, ModelMatch, ModelMode, Setting, Unmatched
from acp_trace.replay.faults import declaration as faults
from acp_trace.replay.faults.declaration import PlannedFault
from acp_trace.replay.left_files import LeftDirectory
from acp_trace.replay.timeouts import SECOND, SILENCE_TIMES, TIMEOUT_NS
from acp_trace.replay.verdict import allowances
from acp_trace.replay.verdict.allowances import Allowance
from acp_trace.replay.written import WrittenConversation, WrittenError, conversation
from acp_trace.trace import near_misses
from acp_trace.trace.carets import CaretError
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.transport.remote import BadHeader, GivenHeader, given_header

_TIMES = re.compile(r"(\d+(?:\.\d+)?)x", re.ASCII)
_MOST_RETRIES = 100
_MOST_SEED = 10**9
_SLOWEST = 1e-6  #: times as fast
_TRACE = ".jsonl"
#: The end of a settings file's name.
SUFFIX = ".replay.toml"


class SettingError(ValueError):
    """An invalid word. The message is one line; the word, and a caret, may follow below it."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files that were kept with a recording, packed. `left_out`: how many were too much.

    `secrets`, `changed`: files that are missing because they may hold secrets, or were changed too early.
    `is_of_several`: of several directories, in the order in which sessions were opened in them. `end`: their
    content when the agent had ended, by number, without texts; None if not kept.
    """

    path: Path
    left_out: int
    secrets: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    is_of_several: bool = False
    trace_id: str = ""  #: of the recording that they belong to
    end: Mapping[int, LeftDirectory] | None = None
    is_end_valid: bool = True  #: whether a recorder may have written the list of the end


@dataclass(frozen=True, slots=True)
class Settings:
    """How to replay. `pace_factor`: the share of the recorded pauses to keep; 0 for none."""

    match: Match | None = None  #: None: `content` if the recording answers as the model, else `semantic`
    masks: tuple[Mask, ...] = ()
    budgets: tuple[Budget, ...] = ()
    pace_factor: float = 0.0
    timeout_ns: int | None = None  #: None: a minute, or longer if the recording was silent for longer
    unmatched: Unmatched = "fail"
    allow_terminal: bool = False  #: `unmatched` "workspace" also runs commands
    cwd: Path | None = None
    workspace: Path | None = None
    snapshot: Snapshot | None = None  #: in place of a workspace; found, never given
    agent_cwd: Path | Literal["run"] | None = None  #: None: where it was recorded
    home: Path | Literal["fresh"] | None = None  #: None: the user's own
    agent: tuple[str, ...] = ()
    allowances: tuple[Allowance, ...] = ()
    alternatives: tuple[Path, ...] = ()  #: other recordings of the same session; one of them has to pass
    retries: int = 0  #: how often a replay that failed is tried again
    model_mode: ModelMode | None = None  #: None: recorded if the recording has a model's side, else off
    model_match: ModelMatch = "loose"
    model_strict: bool = False  #: requests to the model must be as recorded
    model_bases: tuple[str, ...] = ()  #: `NAME`: a recording may set it (`recorded_variables`); or `NAME=URL`
    record: WrittenConversation | None = None  #: what a missing recording is made from
    url: str | None = None  #: in place of `agent`: the address of one (`remote_agent`)
    headers: tuple[GivenHeader, ...] = ()  #: sent there with each request
    ca: Path | None = None  #: trusted certificates for it, in PEM
    allow_remote: bool = False  #: it may be on another machine
    faults: tuple[PlannedFault, ...] = ()  #: deliberate faults of the player
    chaos: int | None = None  #: more of them, which this seed chooses

    @property
    def is_faulty(self) -> bool:
        """Whether the player makes deliberate faults."""
        return bool(self.faults) or self.chaos is not None


def timeout(settings: Settings, silence_ns: int) -> int:
    """Return the longest inactivity, in ns. `silence_ns`: the longest silence of the recorded peer."""
    return settings.timeout_ns or max(TIMEOUT_NS, SILENCE_TIMES * silence_ns)


def model_mode(settings: Settings, *, is_recorded: bool) -> ModelMode:
    """Return the mode of the agent's model in a replay. `is_recorded`: the recording has a model's side.

    The model of an agent that is not started here is left as it is.
    """
    if settings.url is not None:
        return "off"
    return settings.model_mode or ("recorded" if is_recorded else "off")


def without_model(settings: Settings, entries: Iterable[Entry]) -> str | None:
    """Return why a recording cannot answer as the agent's model, if that is wanted; None if it can."""
    if settings.model_mode != "recorded" or any(entry.kind is EntryKind.MODEL for entry in entries):
        return None
    return "does not have the model's side: record it with `record --model`"


def pace(text: str) -> float:
    """Return the share of recorded pauses: `causal` 0, `recorded` 1, `10x` 0.1. Raises SettingError."""
    if text in ("causal", "recorded"):
        return float(text == "recorded")
    match = _TIMES.fullmatch(text)
    if match is None or not float(match[1]) > _SLOWEST:
        raise SettingError(f"{text!r} is not a pace: use causal, recorded, or a factor such as 10x")
    return 1 / float(match[1])


def seconds(value: Any) -> int:
    """Return a number of seconds, from a file or an option, in ns. Raises SettingError."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if isinstance(value, bool) or not 0 < number < 10**6:
        raise SettingError(f"{value!r} is not a number of seconds above 0")
    return int(number * SECOND)


def changed(settings: Settings, given: Mapping[str, Any], directory: Path) -> Settings:
    """Return the settings, changed by the given ones. Raises SettingError.

    Masks, budgets, allowances, model bases and faults are added to the existing ones, and headers to those
    with other names; an agent replaces a URL, and a URL an agent. `directory`: the base of relative paths.
    """
    if "agent" in given and "url" in given:
        raise SettingError("give either agent or url, not both")
    values: dict[str, Any] = {}
    if "agent" in given:
        values |= {"url": None, "headers": (), "ca": None, "allow_remote": False}
    elif "url" in given:
        values["agent"] = ()
    for key, value in given.items():
        if key not in KEYS:
            hint = near_misses.suggestion(key, KEYS, most=1) or f": it is not one of {', '.join(KEYS)}"
            raise SettingError(f"{key!r} is not a setting{hint}")
        name, parsed = KEYS[key](value, directory)
        values[name] = parsed
    for name in ("masks", "budgets", "allowances", "model_bases", "faults"):
        if name in values:
            values[name] = (*getattr(settings, name), *values[name])
    if headers := values.get("headers"):
        names = {header.name.lower() for header in headers}
        values["headers"] = (*(own for own in settings.headers if own.name.lower() not in names), *headers)
    return replace(settings, **values)


def _one_of(choices: Sequence[str], key: str, name: str | None = None) -> Any:
    def parse(value: Any, _: Path) -> tuple[str, Any]:
        if value not in choices:
            raise SettingError(f"{key} is {value!r}: it must be one of {', '.join(choices)}")
        return name or key, value

    return parse


def _directory(name: str, word: str | None = None) -> Any:
    """Return the reader of an existing directory, or of the one word that replaces a directory."""

    def parse(value: Any, directory: Path) -> tuple[str, Any]:
        if word is not None and value == word:
            return name, word
        if not isinstance(value, str) or not value:
            raise SettingError(f"{name} is {value!r}: it must be a directory")
        path = directory / value
        try:
            exists = path.is_dir()
        except (OSError, ValueError):  # an invalid name for a directory
            exists = False
        if not exists:
            raise SettingError(f"{name}: there is no directory {value}")
        return name, path

    return parse


def _strings(value: Any, name: str) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise SettingError(f"{name} is {value!r}: it must be a list of strings")
    return value


def _expressions(name: str, key: str, parse: Callable[[str], Any]) -> Any:
    """Return the reader of a list of expressions, each of which raises CaretError if it is invalid."""

    def parsed(value: Any, _: Path) -> tuple[str, Any]:
        try:
            return name, tuple(parse(text) for text in _strings(value, key))
        except CaretError as error:
            raise SettingError(f"{key}: {error}") from None

    return parsed


def _file(name: str) -> Any:
    def parse(value: Any, directory: Path) -> tuple[str, Any]:
        if not isinstance(value, str) or not value or "\0" in value:
            raise SettingError(f"{name} is {value!r}: it must be a file")
        return name, directory / value

    return parse


def _url(value: Any, _: Path) -> tuple[str, Any]:
    if not isinstance(value, str):
        raise SettingError(f"url is {value!r}: it must be a string")
    return "url", value


def _headers(value: Any, _: Path) -> tuple[str, Any]:
    if not isinstance(value, (str, list)) or not all(isinstance(each, str) for each in value):
        raise SettingError("header must be a list of strings")  # they may be secrets, so they are not shown
    try:
        return "headers", tuple(given_header(text) for text in _strings(value, "header"))
    except BadHeader as error:
        raise SettingError(str(error)) from None


def _model_bases(value: Any, _: Path) -> tuple[str, Any]:
    try:
        return "model_bases", tuple(_model_base(text) for text in _strings(value, "model_base"))
    except BadSetting as error:
        raise SettingError(f"model_base: {error}") from None


def _model_base(text: str) -> str:
    """Return a name with an optional URL, checked. Raises BadSetting."""
    if "=" in text or "://" in text:
        base = model_base(text)
        return f"{base.variable}={base.url}"
    check_name(text)
    return text


def _alternatives(value: Any, directory: Path) -> tuple[str, Any]:
    named = _strings(value, "alternatives")
    paths = [directory / text for text in named]
    for text, path in zip(named, paths, strict=True):
        try:
            exists = path.is_file()
        except (OSError, ValueError):  # an invalid name for a file
            exists = False
        if not exists:
            raise SettingError(f"alternatives: there is no file {text}")
    return "alternatives", tuple(paths)


def _number(name: str, most: int) -> Any:
    def parse(value: Any, _: Path) -> tuple[str, Any]:
        text = str(value)
        if isinstance(value, bool) or not text.isascii() or not text.isdigit() or int(text) > most:
            raise SettingError(f"{name} is {value!r}: it must be a number from 0 to {most}")
        return name, int(text)

    return parse


def _pace(value: Any, _: Path) -> tuple[str, Any]:
    return "pace_factor", pace(value if isinstance(value, str) else repr(value))


def _flag(name: str) -> Any:
    def parse(value: Any, _: Path) -> tuple[str, Any]:
        if not isinstance(value, bool):
            raise SettingError(f"{name} is {value!r}: it must be true or false")
        return name, value

    return parse


def _timeout(value: Any, _: Path) -> tuple[str, Any]:
    return "timeout_ns", seconds(value)


def _record(value: Any, _: Path) -> tuple[str, Any]:
    try:
        return "record", conversation(value)
    except WrittenError as error:
        raise SettingError(f"record: {error}") from None


def _agent(value: Any, _: Path) -> tuple[str, Any]:
    words = _strings(value, "agent")
    if not words or not words[0]:
        raise SettingError("agent is empty: it is the agent's command, a list of strings")
    return "agent", tuple(words)


#: Readers of values for which the declaration is not enough.
_READ: dict[str, Any] = {
    "mask": _expressions("masks", "mask", masks.parse),
    "budget": _expressions("budgets", "budget", partial(budgets.parse, in_replay=True)),
    "allow": _expressions("allowances", "allow", allowances.parse),
    "alternatives": _alternatives,
    "retries": _number("retries", _MOST_RETRIES),
    "fault": _expressions("faults", "fault", faults.parse),
    "chaos": _number("chaos", _MOST_SEED),
    "pace": _pace,
    "timeout": _timeout,
    "model_base": _model_bases,
    "url": _url,
    "header": _headers,
}
#: Fields of Settings with another name.
_FIELDS = {"model": "model_mode"}


def _reader(setting: Setting) -> Any:
    key, field = setting.key, _FIELDS.get(setting.key, setting.key)
    if key in _READ:
        return _READ[key]
    if setting.choices:
        return _one_of(setting.choices, key, field)
    if setting.kind == "flag":
        return _flag(field)
    return _file(field) if setting.option.is_file else _directory(field, setting.option.word or None)


#: The keys of NAME.replay.toml, with the reader of each value.
KEYS: dict[str, Any] = {
    "agent": _agent,
    **{key: _reader(setting) for key, setting in BY_KEY.items()},
    "record": _record,
}


def settings_path(trace: Path) -> Path:
    """Return the path of a trace's settings file, existing or not."""
    return trace.with_name(trace.name.removesuffix(_TRACE) + SUFFIX)


def trace_path(settings: Path) -> Path:
    """Return the trace file that settings are for."""
    return settings.with_name(settings.name.removesuffix(SUFFIX) + _TRACE)


def settings_in(path: Path) -> Settings:
    """Return the settings in a file. Raises SettingError, which does not name the file, and OSError."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # editors on Windows begin a file with a BOM
    except UnicodeDecodeError:
        raise SettingError("it is not UTF-8") from None
    return settings_of(text, path.parent)


def settings_of(text: str, directory: Path) -> Settings:
    """Return the settings in a document. `directory`: the base of relative paths. Raises SettingError."""
    try:
        given = tomllib.loads(text)
    except RecursionError:
        raise SettingError("it is nested too deeply") from None
    except ValueError as error:  # invalid TOML; or a number of thousands of digits
        raise SettingError(str(error).partition(";")[0]) from None
    return changed(Settings(), given, directory)
