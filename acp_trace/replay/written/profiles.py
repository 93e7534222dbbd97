"""A written client's description of itself: its abilities, or the description in another client's recording.

Agents look at the name of a client, at what it announces, at the form of its ids. Its tempo decides which of
two things happens first. A row exists only for a client with a recording, which the row names. In all of
these recordings the client opens its session right after `initialize`, and prompts right after that; a row
has only the times of these. The pauses of a person at the keyboard are left out.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from acp_trace import __version__
from acp_trace.protocol import methods
from acp_trace.replay.written.steps import WrittenConversation

VERSION = 1  #: of the protocol, the only one that a written client speaks
_FILES = {"readTextFile": True, "writeTextFile": True}
_MS = 1_000_000


class ClientProfile(NamedTuple):
    """One client. `initialize`: its parameters.

    `first_id`: of its first request, from which the others count on; None: each id is a UUID. `pauses_ns`: by
    method, the pause before a request after the previous answer; for `session/prompt`, before the first one.
    `answers_ns`: by method, how long an answer to the agent takes.
    """

    recording: str
    initialize: Mapping[str, Any]
    first_id: int | None = 0
    pauses_ns: Mapping[str, int] = {}
    answers_ns: Mapping[str, int] = {}

    def id(self, number: int) -> int | str:
        """Return the id of a request, by its number from 0."""
        return uuid_of(number) if self.first_id is None else self.first_id + number


def uuid_of(number: int) -> str:
    """Return a UUID of the random kind. The same number gives the same one, so that a run can be repeated."""
    return str(uuid.UUID(int=random.Random(number).getrandbits(128), version=4))


def _says(name: str | None, version: str = "", title: str = "", **can: Any) -> dict[str, Any]:
    """Return the parameters of `initialize`. Without a name, the client does not send any."""
    said: dict[str, Any] = {"protocolVersion": VERSION, **({"clientCapabilities": can} if can else {})}
    if name is not None:
        said["clientInfo"] = {"name": name, **({"title": title} if title else {}), "version": version}
    return said


PROFILES: dict[str, ClientProfile] = {
    "acpx": ClientProfile(
        "acpx 0.19.1 (sample_traces/opencode-acpx.jsonl; the tempo is the median of all samples of acpx)",
        _says("acpx", "0.19.1", fs=_FILES, terminal=True),
        pauses_ns={methods.NEW: 60 * _MS, methods.PROMPT: 52 * _MS},
        answers_ns={methods.PERMISSION: int(3.5 * _MS)},
    ),
    "jetbrains": ClientProfile(
        "a JetBrains IDE of November 2025 (anna239/acp-replay, examples/example.log)",
        _says(None, fs=_FILES, terminal=False),
        first_id=1,
        pauses_ns={methods.NEW: 9 * _MS, methods.PROMPT: 13 * _MS},
    ),
    "python-sdk": ClientProfile(
        "the example client of the Python SDK 0.12.1 with OpenCode 1.18.33",
        _says("example-client", "0.1.0", "Example Client"),
        pauses_ns={methods.NEW: 6 * _MS},
        answers_ns={methods.PERMISSION: int(0.6 * _MS)},
    ),
    "toad": ClientProfile(
        "Toad 0.6.20 with OpenCode 1.18.33",
        _says("toad", "0.6.20", "Toad", fs=_FILES, terminal=True),
        first_id=1,
        pauses_ns={methods.NEW: int(1.3 * _MS)},
    ),
    "zed": ClientProfile(
        "Zed 1.20.2 with pursers-acp (swisspra/Pursers, the transcript of an acceptance test in Zed)",
        _says(
            "zed",
            "1.20.2+stable.360.7c451e694f3c52ee0aeb01d7e28b5fa18cd0ad2f",
            "Zed",
            fs=_FILES,
            terminal=True,
            session={"configOptions": {"boolean": {}}},
            auth={"terminal": True},
            elicitation={"form": {}, "url": {}},
            _meta={"terminal_output": True, "terminal-auth": True},
        ),
        first_id=None,
    ),
}


def acting_as(written: WrittenConversation, name: str) -> WrittenConversation:
    """Return the conversation with this client's abilities: what it announces, and nothing else.

    It declines requests for input, if it announces them, unless the conversation has an answer.
    """
    can = PROFILES[name].initialize.get("clientCapabilities", {})
    return replace(
        written,
        profile=name,
        files="fs" in can,
        terminals=bool(can.get("terminal")),
        elicitation=(written.elicitation or "decline") if "elicitation" in can else None,
        booleans="session" in can,
        mixed_ids=False,
    )


def introduction(written: WrittenConversation) -> dict[str, Any]:
    """Return the parameters of `initialize`: the client can do only what the conversation answers."""
    if written.profile is not None:
        return dict(PROFILES[written.profile].initialize)
    fs = {"readTextFile": written.files, "writeTextFile": written.files}
    can: dict[str, Any] = {"fs": fs, "terminal": written.terminals}
    if written.elicitation is not None:
        can["elicitation"] = {"form": {}}
    if written.booleans:
        can["session"] = {"configOptions": {"boolean": {}}}
    return {
        "protocolVersion": VERSION,
        "clientCapabilities": can,
        "clientInfo": {"name": "acp-trace", "title": "acp-trace", "version": __version__},
    }
