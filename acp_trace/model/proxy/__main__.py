"""The process: `python -m acp_trace.model.proxy`. Only a recorder or a replay starts it.

Standard input begins with the settings, in one line of JSON: they may contain keys, and other users of the
machine can read arguments. After that line, a byte says that a record was lost or that the client has sent a
cancel (`capture_layout.LOST`, `CANCELLED`), and the end of the input ends the process.

Standard output has records in the form of `capture_layout.beside`. The first one (stream 0) is the change of
the agent's environment, `NAME=value` with NULs between, and lines for people (`capture_layout.WARNING`); or
`!` and the reason why the process cannot begin.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from typing import NoReturn

from acp_trace.gate.crowds import allow_many_files
from acp_trace.system.pipes import set_blocking
from acp_trace.trace.capture_layout import RECORDER, beside

#: Of what cannot be said otherwise: an exit code.
_FAILED = 1
_READ = 1 << 16


def main() -> None:
    """Serves until standard input ends."""
    allow_many_files()
    settings = _settings()
    try:
        from acp_trace.model.proxy.process import run
    except ImportError as error:
        _fail(f"!missing {error.name}")
    try:
        asyncio.run(run(json.loads(settings), time.monotonic_ns))
    except OSError as error:
        _fail(f"!failed {error.strerror or error}{f': {error.filename}' if error.filename else ''}")


def _settings() -> bytes:
    """The first line of standard input. Nothing follows it before this process has answered."""
    line = b""
    while not line.endswith(b"\n") and (more := os.read(0, _READ)):
        line += more
    return line


def _fail(why: str) -> NoReturn:
    set_blocking(1, True)
    os.write(1, beside(0, RECORDER, 0, why.encode("utf-8", "surrogateescape")))
    sys.exit(_FAILED)


if __name__ == "__main__":
    main()
