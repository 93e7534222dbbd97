"""Runs a command to its end, or ends it: of cells of the matrix, and of hermetic replays."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_RUN_S = 300  #: for a session, or a replay


def run_to_end(
    argv: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    log: Path,
    stdout: Path | None = None,
) -> int | None:
    """The exit code; None if it had to be ended. `log` gets its stderr."""
    with log.open("wb") as errors, (stdout or log.with_suffix(".out")).open("wb") as output:
        process = subprocess.Popen(
            argv, env=environment, cwd=directory, stdin=subprocess.DEVNULL, stdout=output, stderr=errors
        )
        try:
            return process.wait(_RUN_S)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            return None


def last_line(log: Path) -> str:
    """What a command said last."""
    return log.read_text(errors="replace").strip().rpartition("\n")[2]
