"""A client for the hermetic replays: `python chores.py DIR DIR OPTIONS AGENT ARGS…`: two sessions side by side.

In the first directory a read, a shell command, a write with a permission, a rejection, and a cancel in the middle
of a stream; then both sessions work at the same time, and each says something more. OPTIONS is JSON with
`authenticate`, a method, `mode`, in which to work, `short`, for one session that fits into a sample, and `errors`,
for one in which the provider fails now and then. Ends with the agent's exit code. It is the matrix' client (errand.py) with more sessions.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.real import errand

_BOTH_S = 90


class Client(errand.Client):
    """One connection to an agent, with several sessions. `opened` is the one that is talked to."""

    def another(self, directory: str) -> None:
        """Opens one more session, which is talked to from now on."""
        opened = self._ask("session/new", cwd=directory, mcpServers=[])
        if opened is None:
            raise SystemExit("chores: the agent opens no other session")
        self.opened = opened
        self.rest()

    def work_in(self, mode: str | None) -> None:
        """Takes this mode if the session has it."""
        modes = self.opened.get("modes") or {}
        if mode in [one["id"] for one in modes.get("availableModes") or ()]:
            self._ask("session/set_mode", sessionId=self._session, modeId=mode)
            self.rest()

    def at_once(self, prompts: Sequence[tuple[dict[str, object], str]]) -> None:
        """A turn in each of these sessions, all begun before one is over."""
        self._refuses = False
        waited = set()
        for opened, text in prompts:
            number, self._next = self._next, self._next + 1
            params = {"sessionId": opened["sessionId"], "prompt": [{"type": "text", "text": text}]}
            self._send({"jsonrpc": "2.0", "id": number, "method": "session/prompt", "params": params})
            waited.add(number)
        end = time.monotonic() + _BOTH_S
        while waited:
            message = self._hear(_BOTH_S) if time.monotonic() < end else None
            if message is None:
                raise SystemExit("chores: no answer to a prompt")
            if "method" not in message:
                waited.discard(message.get("id"))
        self.rest()


def work(client: Client, first: str, second: str, authenticate: str | None, mode: str | None) -> None:
    """Everything, in its order."""
    client.open(authenticate)
    client.work_in(mode)
    one = client.opened
    client.prompt(f"READ {first}/notes.txt")
    client.prompt("RUN touch made.txt && ls -la")
    client.prompt(f"WRITE {first}/notes.txt Eggs")
    client.prompt("RUN touch refused.txt", refuse=True)
    client.prompt("COUNT 60", cancel=True)
    client.another(second)
    client.work_in(mode)
    two = client.opened
    client.at_once([(one, "COUNT 20"), (two, "RUN ls -la && date")])
    client.at_once([(one, f"READ {first}/notes.txt"), (two, f"READ {second}/notes.txt")])
    client.prompt("PLAN the rest")


def work_with_errors(client: Client, authenticate: str | None) -> None:
    """Turns in which the provider fails once: too many requests, an error, a stream that breaks off; one more."""
    client.open(authenticate)
    for order in ("LIMIT 20", "ERROR 20", "BREAK 20", "COUNT 5"):
        client.prompt(order)


def short_work(client: Client, first: str, authenticate: str | None) -> None:
    """What fits into a sample and needs no files: a permission, and a cancel in the middle of a stream."""
    client.open(authenticate)
    client.prompt("RUN echo 'Buy milk.' > notes.txt && ls")
    client.prompt("COUNT 60", cancel=True)
    client.prompt(f"READ {first}/notes.txt")


def main(first: str, second: str, options: str, *command: str) -> int:
    """The script: the agent's exit code."""
    given = json.loads(options)
    agent = errand.started(command, first)
    client = Client(agent, first)
    try:
        if given.get("errors"):
            work_with_errors(client, given.get("authenticate"))
        elif given.get("short"):
            short_work(client, first, given.get("authenticate"))
        else:
            work(client, first, second, given.get("authenticate"), given.get("mode"))
    except BrokenPipeError:
        print("chores: the agent hung up", file=sys.stderr)
    finally:
        code = errand.ended(agent)
    return code


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
