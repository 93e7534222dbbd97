"""Toad, and whoever types in it: `python toad_pilot.py LOG PROJECT AGENT`, in Toad's own environment.

Toad is its own class, unchanged, without a screen. What happens is seen in its log, LOG.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from toad.app import ToadApp

#: What is typed; the key that is pressed then, and at what in the log; what has to be there after it.
_STEPS = (
    ("READ notes.txt", "", b"", b""),
    ("WRITE list.txt Eggs", "a", b"session/request_permission", b""),
    ("HOLD on", "escape", b"Let me think", b"session/cancel"),
    ("Good bye", "", b"", b""),
)
_KEYS = {" ": "space", ".": "full_stop"}
_LOOK_S = 0.02
_AGAIN_S = 0.5  #: Toad cancels at the second Escape in three seconds
_DATA = dict.fromkeys(
    ("url", "author_name", "author_url", "publisher_name", "publisher_url", "description", "help"), ""
)


def main(log: Path, project: str, agent: str) -> None:
    """One session: four prompts, a permission, a cancel."""
    data = {
        **_DATA,
        **dict.fromkeys(("identity", "name", "short_name"), "agent"),
        "protocol": "acp",
        "type": "coding",
        "tags": [],
        "run_command": {"*": agent},
        "actions": {},
    }

    async def work(pilot: Any) -> None:
        try:
            await _until(log, b'"sessionId"')
            for number, (text, key, at, then) in enumerate(_STEPS, 1):
                await pilot.press(*(_KEYS.get(letter, letter) for letter in text), "enter")
                if key:
                    await _until(log, at)
                    await _pressed(pilot, key, log, then)
                await _until(log, b'"stopReason"', number)
        finally:
            pilot.app.exit()

    ToadApp(agent_data=data, project_dir=project).run(headless=True, size=(120, 40), auto_pilot=work)


async def _pressed(pilot: Any, key: str, log: Path, then: bytes) -> None:
    """Presses a key until it has done something."""
    while True:
        await pilot.press(key)
        try:
            return await asyncio.wait_for(_until(log, then), _AGAIN_S)
        except TimeoutError:
            pass


async def _until(log: Path, piece: bytes, times: int = 1) -> None:
    while True:
        if _count(log, piece) >= times:
            return
        await asyncio.sleep(_LOOK_S)


def _count(log: Path, piece: bytes) -> int:
    """In how many lines it is; a message that was sent twice counts once."""
    return sum(piece in line for line in set(log.read_bytes().splitlines())) if log.exists() else 0


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
