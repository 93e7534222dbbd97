"""Whether the recorder that a client's configuration names can be started, and passes on what it gets.

It is started as a client would start it that a desktop has started: with few variables, and with a small
agent of our own in place of the client's. What it records goes to a directory that is removed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acp_trace.cli.client_files import place_of

if TYPE_CHECKING:
    from acp_trace.clients.table import EditableClient

#: Starting Python on a busy machine takes less than this (s).
_PATIENCE_S = 30
#: What the recorder has to pass on, to an agent that sends it back.
_LINE = b'{"jsonrpc":"2.0","id":0,"method":"acp-trace/doctor"}\n'
_AGENT = [sys.executable, "-I", "-c", "import sys; sys.stdout.write(sys.stdin.readline())"]
#: What of the environment a desktop hands on; on Windows no process starts without some of it.
_KEPT = ("HOME", "USER", "USERPROFILE", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG")
_PATH = os.defpath


@dataclass(frozen=True, slots=True)
class RecordedAgent:
    """An agent of a client that the recorder runs; or a file that cannot be read, without `agent`.

    `problem`: why nothing of it would be recorded; None if the recorder answered.
    """

    client: str
    file: Path
    agent: str
    problem: str | None


def checked_entries() -> list[RecordedAgent]:
    """Return the agents of all clients on this machine that a recorder runs, each after a test."""
    from acp_trace.clients.table import CLIENTS

    return [entry for client in CLIENTS.values() for entry in _of(client)]


def _of(client: EditableClient) -> Iterator[RecordedAgent]:
    from acp_trace.clients.configuration import Configuration
    from acp_trace.clients.edits import CannotEdit
    from acp_trace.clients.jsonc import BadJson
    from acp_trace.trace.os_errors import reason

    file = place_of(client)
    if file is None or not file.is_file():
        return
    try:
        recorded = Configuration(client, file.read_text("utf-8")).recorded
    except OSError as error:
        yield RecordedAgent(client.name, file, "", f"cannot be read: {reason(error)}")
    except (BadJson, CannotEdit, UnicodeDecodeError) as error:
        yield RecordedAgent(client.name, file, "", f"cannot be read: {error}")
    else:
        for agent, command in recorded.items():
            yield RecordedAgent(client.name, file, agent, problem_of(command))


def problem_of(command: Sequence[str]) -> str | None:
    """Return why the recorder in front of an agent does not work, in one phrase; None if it does.

    `command`: all words, the agent's too. The agent is not started.
    """
    from acp_trace.clients import recorder
    from acp_trace.trace.names import VARIABLE
    from acp_trace.trace.os_errors import reason
    from acp_trace.trace.scratch import scratch

    own = list(command[: recorder.end(command)])
    agent = command[command.index("--") + 1 :] if "--" in command else command[len(own) :]
    if agent and os.path.isabs(agent[0]) and not os.path.exists(agent[0]):
        return f"its agent {agent[0]} does not exist"
    with scratch() as directory:
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        environment |= {"PATH": _PATH, VARIABLE: str(directory / "home")}
        try:
            done = subprocess.run(
                [*own, "--no-load", "--", *_AGENT],
                input=_LINE,
                capture_output=True,
                env=environment,
                cwd=directory,
                timeout=_PATIENCE_S,
                check=False,
            )
        except OSError as error:
            return f"{own[0]} cannot be started: {reason(error)}"
        except subprocess.TimeoutExpired:
            return f"the recorder did not answer in {_PATIENCE_S} s"
    if done.stdout == _LINE:
        return None
    said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return f"the recorder does not work: {said or f'it ended with {done.returncode}'}"
