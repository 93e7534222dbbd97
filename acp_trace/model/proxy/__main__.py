"""The process: `python -m acp_trace.model.proxy SETTINGS`, started by a recorder and by nobody else.

It says on standard output, in the form of `capture_layout.beside`, first what the agent's environment is to
be (stream 0: `NAME=value`, with a NUL between), then what it records. On standard input it is told when
something of that was lost (any byte), and that it is to end (the end). With what it lacks, or cannot do, it
says `!` and why.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time

from acp_trace.trace.capture_layout import RECORDER, beside

#: Of what cannot be said otherwise: an exit code.
_FAILED = 1


def main() -> None:
    """Serves until standard input ends."""
    try:
        from acp_trace.model.proxy.process import run
    except ImportError as error:
        _say(f"!missing {error.name}")
        sys.exit(_FAILED)
    try:
        asyncio.run(run(json.loads(sys.argv[1]), _say, time.monotonic_ns))
    except OSError as error:
        _say(f"!failed {error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        sys.exit(_FAILED)


def _say(words: str) -> None:
    os.set_blocking(1, True)
    os.write(1, beside(0, RECORDER, 0, words.encode("utf-8", "surrogateescape")))


if __name__ == "__main__":
    main()
