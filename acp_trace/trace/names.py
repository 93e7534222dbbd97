"""Names and paths of traces, as strings: the part of `home` and `spool` that a recorder needs.

Imports nothing that takes time: neither pathlib nor dataclasses.
"""

from __future__ import annotations

import errno
import os
import sys
import time

VARIABLE = "ACP_TRACE_HOME"

#: The suffixes of trace files: of lines, and of a capture in the spool.
LINES, CAPTURE = ".jsonl", ".capture"
#: In the home directory: the file that `record --out` made last, and when that recording began.
LAST_OUT = "last-out.json"
#: In the home directory: where recordings are pushed to (`team/bucket/standing.py`).
PUSHES = "push.json"
#: The suffix of a workspace snapshot, and the directory for those of traces in the spool and the store.
SNAPSHOT, SNAPSHOTS = ".workspace.tar.gz", "workspaces"
_ID_LENGTH = len("20261120T130501Z-7f3a9c")
_UNFINISHED = ".new"


def new_id() -> str:
    """Return an id for a trace: its second in UTC, then six hex digits. Ids sort by time."""
    return f"{stamp(time.time())}-{os.urandom(3).hex()}"


def unfinished(path: str, trace_id: str) -> str:
    """Return the name beside `path` under which a recorder makes this file: `.ID.new`."""
    return os.path.join(os.path.dirname(path), f".{trace_id}{_UNFINISHED}")


def is_unfinished(name: str) -> bool:
    """Whether a file's name, without directories, is of the form that `unfinished` returns."""
    return name.startswith(".") and name.endswith(_UNFINISHED) and _is_id(name[1 : -len(_UNFINISHED)])


def stamp(moment: float) -> str:
    """Return a second since the epoch in the form of an id's beginning."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(moment))


def home_directory() -> str:
    """Return `ACP_TRACE_HOME`, or the platform's directory for user data, as an absolute path.

    Touches nothing on disk. Raises OSError if no home is known.
    """
    named = os.environ.get(VARIABLE)
    if named:
        path = os.path.expanduser(named)
    else:
        from platformdirs import user_data_dir  # only here, because it costs start-up time

        try:
            path = user_data_dir("acp-trace", appauthor=False)
        except RuntimeError:
            path = "~"
    if path.startswith("~"):  # the system does not know such a user
        raise OSError(errno.ENOENT, f"no home directory is known; set {VARIABLE}", named or "~")
    return os.path.join(os.getcwd(), path) if not os.path.isabs(path) else path


def home_note() -> str | None:
    """Return a note that the home directory is a guess, if the environment does not name it, or None.

    Without `HOME`, the system's list of users decides: services and containers then write to another place
    than people expect.
    """
    named = (VARIABLE, "HOME", *(("XDG_DATA_HOME",) if sys.platform == "linux" else ()))
    if os.name != "posix" or any(map(os.environ.get, named)):
        return None
    return f"HOME is not set, so this is the home that the system lists for the user: set HOME or {VARIABLE}"


def spool_directory() -> str:
    """Return the directory of traces that are being written or are not yet imported."""
    return os.path.join(home_directory(), "spool")


def snapshot_beside(path: str) -> str:
    """Return the workspace snapshot of a trace file: `a/NAME.workspace.tar.gz` of `a/NAME.jsonl`."""
    for suffix in (LINES, CAPTURE):
        path = path.removesuffix(suffix)
    return path + SNAPSHOT


def snapshot_at_home(home: str, trace_id: str) -> str | None:
    """Return the snapshot of a trace in the spool or the store; None for an id that no recorder made.

    The id in a file may be any text, and is never used as a file name unchecked.
    """
    return os.path.join(home, SNAPSHOTS, trace_id + SNAPSHOT) if _is_id(trace_id) else None


def _is_id(text: str) -> bool:
    return text.isascii() and text.replace("-", "").isalnum() and len(text) == _ID_LENGTH


def make_private(directory: str) -> None:
    """Make a directory and the one around it, readable by their owner only. Raises OSError.

    Those further up get the system's permissions; existing ones stay as they are.
    """
    above = os.path.dirname(directory)
    os.makedirs(os.path.dirname(above) or os.curdir, exist_ok=True)
    for path in (above, directory):
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            if not os.path.isdir(path):
                raise


def short(trace_id: str) -> str:
    """Return the end of an id that identifies it: the six digits behind its time, which `ls` shows."""
    return trace_id.rpartition("-")[2]


def may_mean(text: str, trace_id: str) -> bool:
    """Whether this is the beginning or the end of an id, or the beginning of its short form."""
    return trace_id.startswith(text) or trace_id.endswith(text) or short(trace_id).startswith(text)
