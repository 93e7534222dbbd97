"""Writes a recorded run as a sample trace, when nothing of this machine is in it."""

from __future__ import annotations

import getpass
import socket
import sys
from pathlib import Path

from tests.real import packages
from tests.support import REPOSITORY

_LARGEST = 150_000


def write(folder: Path, name: str, trace: bytes) -> list[str]:
    """Writes `name`.jsonl, or says why not."""
    faults = [f"{private} is in the sample" for private in _private() if private.encode() in trace]
    if len(trace) > _LARGEST:
        faults.append(f"the sample has {len(trace)} bytes")
    if not faults:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.jsonl").write_bytes(trace)
    return faults


def _private() -> list[str]:
    """What no reader of a sample has to know: where this machine keeps things, and whose it is."""
    user = getpass.getuser()
    return [
        str(Path.home()),
        str(packages.cache()),
        str(REPOSITORY),
        sys.prefix,
        socket.gethostname(),
        f"/home/{user}",
        f"/Users/{user}",
        "127.0.0.1",
    ]
