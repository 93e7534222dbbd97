"""Every file that a command writes: never over an input, never through a link, whole or not at all.

What an option is called and what goes into its file is the commands' concern; how a file comes to be whole,
that of `trace/whole_files.py`. The recorder and the database write their own files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

import typer

from acp_trace.cli import common
from acp_trace.cli.errors import USAGE, fail

#: More than any header: a line that is longer begins no trace.
_LONGEST_HEADER = 1 << 20


def check(option: str, file: str | None, inputs: Iterable[str] = ()) -> None:
    """Ends with exit code 2 if nothing can or should be written there; None and `-` pass.

    `inputs`: what the command reads, as it was named; names that are not files are passed over.
    """
    from acp_trace.trace.whole_files import is_special

    if file is None or file == "-":
        return
    if not file or os.path.isdir(file):
        raise typer.BadParameter(f"{file!r} is not a file", param_hint=option)
    if not os.path.isdir(os.path.dirname(file) or os.curdir):
        raise typer.BadParameter(f"there is no directory {os.path.dirname(file)}", param_hint=option)
    if what := _no_place(file):
        raise typer.BadParameter(f"{file} is {what}: name another file", param_hint=option)
    if any(_same(file, one) for one in inputs):
        raise typer.BadParameter(f"{file} is an input of this command: name another file", param_hint=option)
    if os.path.islink(file) and not is_special(file):
        raise typer.BadParameter(f"{file} is a link: name the file itself", param_hint=option)


def check_report(option: str, file: str | None, inputs: Iterable[str] = ()) -> None:
    """The same for a report, which replaces an earlier report, and never a trace."""
    check(option, file, inputs)
    if file not in (None, "-") and header_of(file) is not None:
        raise typer.BadParameter(f"{file} is a trace: name another file", param_hint=option)


def check_distinct(files: Iterable[tuple[str, str | None]]) -> None:
    """Ends with exit code 2 if two of these options name one file."""
    seen: dict[str, str] = {}
    for option, file in files:
        if file is None:
            continue
        place = file if file == "-" else os.path.realpath(file)
        if place in seen:
            raise typer.BadParameter(f"{file} is already used by {seen[place]}", param_hint=option)
        seen[place] = option


def must_be_new(option: str, file: Path) -> None:
    """Ends with exit code 2 if there is such a file, or if it cannot be written."""
    check(option, str(file))
    if os.path.lexists(file):
        raise typer.BadParameter(f"{file} already exists", param_hint=option)


def write(file: str, content: bytes, *, private: bool = False) -> None:
    """Write a file that was checked, or standard output for `-`. Ends with exit code 2 if that fails."""
    if file == "-":
        common.write(content)
        return
    from acp_trace.trace.whole_files import put

    try:
        put(Path(file), [content], private=private)
    except OSError as error:
        from acp_trace.trace.os_errors import reason

        fail(f"{file} cannot be written: {reason(error)}", USAGE)


def _no_place(file: str) -> str | None:
    """The kind of a thing that no file can replace: a socket, a disk."""
    try:
        mode = os.stat(file).st_mode
    except OSError:
        return None
    return "a socket" if stat.S_ISSOCK(mode) else "a disk" if stat.S_ISBLK(mode) else None


def header_of(file: str | Path) -> dict[str, object] | None:
    """The header of a trace file; None for any other file, and for none."""
    from acp_trace.trace import jsontext
    from acp_trace.trace.files import open_trace
    from acp_trace.trace.parse import NewerFormat

    if not os.path.isfile(file):
        return None
    try:
        with open_trace(file)[1] as lines:
            first = lines.read(_LONGEST_HEADER).partition(b"\n")[0]
            is_capture = lines.is_capture
    except OSError:
        return None
    except NewerFormat as error:
        return {"acp_trace": str(error)}
    header = jsontext.object_in(first.strip())
    if "acp_trace" in header:
        return header
    return {"acp_trace": None} if is_capture else None


def _same(file: str, other: str) -> bool:
    try:
        return os.path.samefile(file, other)
    except (OSError, ValueError):  # one is not there, or its name is none
        return False
