"""`NAME.replay.toml` beside `NAME.jsonl`: the settings that a trace is always replayed with."""

from __future__ import annotations

import tomllib
from pathlib import Path

from acp_trace.replay.settings import SUFFIX, SettingError, Settings, changed

_TRACE = ".jsonl"


def beside_of(trace: Path) -> Path:
    """Where the settings of a trace file stand."""
    return trace.with_name(trace.name.removesuffix(_TRACE) + SUFFIX)


def trace_of(settings: Path) -> Path:
    """The trace file that settings are for."""
    return settings.with_name(settings.name.removesuffix(SUFFIX) + _TRACE)


def settings_in(path: Path) -> Settings:
    """The settings in a file. Raises SettingError, which does not name the file, and OSError."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SettingError("it is no UTF-8") from None
    return settings_of(text, path.parent)


def settings_of(text: str, folder: Path) -> Settings:
    """The settings that a document says, whose folders are seen from `folder`. Raises SettingError."""
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise SettingError("it is nested too deep") from None
    except ValueError as error:  # no TOML; or a number of thousands of digits
        raise SettingError(str(error).partition(";")[0]) from None
    return changed(Settings(), found, folder)
