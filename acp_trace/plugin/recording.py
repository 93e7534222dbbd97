"""A missing recording, made from the written conversation of its test. Nothing else is replaced."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import chdir, closing
from dataclasses import dataclass
from pathlib import Path

from acp_trace.plugin.agents import Agents
from acp_trace.plugin.modes import OPTION
from acp_trace.plugin.result import Refused
from acp_trace.redact.watch import Watch
from acp_trace.replay.drive.record_written import NotRecorded, WrittenTrace, record_written
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.settings import Settings
from acp_trace.report.safe import safe
from acp_trace.report.text.last_output import last_output
from acp_trace.trace.counts import counted
from acp_trace.trace.os_errors import file_and_reason
from acp_trace.trace.parse import Parser, stderr_lines
from acp_trace.trace.whole_files import put


@dataclass(frozen=True, slots=True)
class RecordMode:
    """What is recorded in this run of pytest. `note` gets a line for people about each recording."""

    mode: str
    note: Callable[[str], None]


def ensure(trace: Path, name: str, settings: Settings, agents: Agents, record: RecordMode) -> None:
    """Record the trace if it is wanted. Raises Refused if it is missing and is not made."""
    is_there = trace.is_file()
    if settings.record is None or (is_there and record.mode != "all"):
        return
    if record.mode == "none":
        if is_there:
            return
        raise Refused(f"{name} does not exist: `pytest {OPTION}=once` records it")
    argv, directory = agents.chosen(settings.agent)
    if not argv:
        raise Refused(f"{name} was not recorded: an agent at a url cannot be recorded: give `agent = […]`")
    try:
        with closing(Stop()) as stop, chdir(directory):
            made = record_written(settings.record, argv, settings, stop=stop)
        trace.parent.mkdir(parents=True, exist_ok=True)
        put(trace, [made.lines], private=False, new=record.mode == "once")
    except FileExistsError:
        return  # another worker was faster: its recording is replayed
    except NotRecorded as error:
        raise Refused(f"{name} was not recorded: {safe(str(error))}{_last_words(error.lines)}") from None
    except OSError as error:
        raise Refused(file_and_reason(error)) from None
    record.note(_summary(name, made))


def _summary(name: str, made: WrittenTrace) -> str:
    """Return what was recorded, and whether it may be shared."""
    turns = f"{counted(len(made.stops), 'turn')} ({', '.join(made.stops)})"
    watch = Watch()
    watch.feed(made.lines)
    found = watch.words()
    warning = f". It contains {found}: `acp-trace redact` removes that" if found else ""
    return safe(f"recorded {name}: {turns}{warning}")


def _last_words(lines: bytes) -> str:
    """Return the end of the agent's stderr, for the lines below the message."""
    logs = stderr_lines(Parser().feed(lines))
    if not logs:
        return ""
    return "\n" + last_output(logs, len(logs), shutil.get_terminal_size((100, 24)).columns).plain.rstrip()
