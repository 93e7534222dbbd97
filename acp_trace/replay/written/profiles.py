"""What a written client says of itself: what it can do, or what a recording of another client says.

Agents look at these: at the name of a client, at what it announces, at the form of its ids. There is a row
only for a client of which there is a recording, which the row names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from acp_trace import __version__
from acp_trace.replay.written.steps import WrittenConversation

VERSION = 1  #: of the protocol, the only one that a written client speaks
_FILES = {"readTextFile": True, "writeTextFile": True}


class ClientProfile(NamedTuple):
    """One client. `initialize`: its parameters; `first_id`: of its first request; the others count on."""

    recording: str
    initialize: Mapping[str, Any]
    first_id: int = 0


def _says(name: str | None, version: str = "", title: str = "", **can: Any) -> dict[str, Any]:
    """The parameters of `initialize`. Without a name, a client says none."""
    said: dict[str, Any] = {"protocolVersion": VERSION, **({"clientCapabilities": can} if can else {})}
    if name is not None:
        said["clientInfo"] = {"name": name, **({"title": title} if title else {}), "version": version}
    return said


PROFILES: dict[str, ClientProfile] = {
    "acpx": ClientProfile(
        "acpx 0.19.1 with OpenCode 1.18.33 (sample_traces/opencode-acpx.jsonl)",
        _says("acpx", "0.19.1", fs=_FILES, terminal=True),
    ),
    "jetbrains": ClientProfile(
        "a JetBrains IDE of November 2025 (anna239/acp-replay, examples/example.log)",
        _says(None, fs=_FILES, terminal=False),
        first_id=1,
    ),
    "python-sdk": ClientProfile(
        "the example client of the Python SDK 0.12.1 with OpenCode 1.18.33",
        _says("example-client", "0.1.0", "Example Client"),
    ),
    "toad": ClientProfile(
        "Toad 0.6.20 with OpenCode 1.18.33",
        _says("toad", "0.6.20", "Toad", fs=_FILES, terminal=True),
        first_id=1,
    ),
}


def acting_as(written: WrittenConversation, name: str) -> WrittenConversation:
    """The conversation as this client has it, which can do what the client announces, and nothing else."""
    can = PROFILES[name].initialize.get("clientCapabilities", {})
    files, terminals = "fs" in can, bool(can.get("terminal"))
    return replace(
        written,
        profile=name,
        files=files,
        terminals=terminals,
        elicitation=None,
        booleans=False,
        mixed_ids=False,
    )


def introduction(written: WrittenConversation) -> dict[str, Any]:
    """The parameters of `initialize`: the client can do what the conversation answers, and nothing else."""
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
