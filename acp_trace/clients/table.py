"""The clients that acp-trace knows: where each keeps its agents, and in which form. Data and look-ups only.

Where a row comes from stands above it; docs/clients.md says what was run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

#: How an agent is written: `command` and `args`; or all words in `argv`.
Form = Literal["command", "argv"]


@dataclass(frozen=True, slots=True)
class EditableClient:
    """A client: `files` are the places of its file, by platform; none if it has none to edit."""

    name: str
    title: str
    #: Platform, or `*` → the places, the first of which counts whose variable is set to a directory.
    files: Mapping[str, tuple[tuple[str, str], ...]]
    #: The member of the file that has the agents, by name.
    agents: str = ""
    form: Form = "command"
    #: What an entry has before its command.
    type: str | None = None
    #: Whether `command` alone is a line that the client splits into words itself.
    splits: bool = False
    #: Whether names are compared without case.
    any_case: bool = False
    #: Which agents have no entry in the file.
    built_in: str = ""
    #: What to do for the change to count.
    then: str = ""


CLIENTS: dict[str, EditableClient] = {
    client.name: client
    for client in (
        # zed.dev/docs/ai/external-agents; the places: zed-industries/zed, crates/paths. Only an entry of the
        # type `custom` has a command, not `registry` and `extension`.
        EditableClient(
            "zed",
            "Zed",
            {
                "linux": (
                    ("FLATPAK_XDG_CONFIG_HOME", "zed/settings.json"),
                    ("XDG_CONFIG_HOME", "zed/settings.json"),
                    ("HOME", ".config/zed/settings.json"),
                ),
                "win32": (("APPDATA", "Zed/settings.json"),),
                "*": (("HOME", ".config/zed/settings.json"),),
            },
            agents="agent_servers",
            type="custom",
            built_in="agents of its registry and of extensions",
            then="start a new thread with the agent",
        ),
        # jetbrains.com/help/ai-assistant/acp.html
        EditableClient(
            "jetbrains",
            "JetBrains",
            {"*": (("HOME", ".jetbrains/acp.json"),)},
            agents="agent_servers",
            built_in="bundled agents and those of its registry",
            then="start a new chat with the agent",
        ),
        # acpx 0.19.1, installed: it reads argv; command and args; or command alone, which it splits
        EditableClient(
            "acpx",
            "acpx",
            {"*": (("HOME", ".acpx/config.json"),)},
            agents="agents",
            form="argv",
            splits=True,
            any_case=True,
            built_in="the agents that `acpx --help` lists",
            then="close sessions that are open: acpx AGENT sessions close",
        ),
        # Toad 0.6.20: its agents are data of its package; ~/.config/toad/toad.json names none
        EditableClient("toad", "Toad", {}),
        EditableClient("codecompanion", "Neovim: CodeCompanion", {}),
        EditableClient("avante", "Neovim: avante", {}),
    )
}


def editable() -> list[str]:
    """Return the names of the clients that have a file to edit: those of `install`."""
    return [name for name, client in CLIENTS.items() if client.files]


def config_file(client: EditableClient, platform: str, environment: Mapping[str, str]) -> PurePath | None:
    """Where the client's file is, there or not; None if it has none, or if no variable says where.

    `platform` as `sys.platform` has it. `HOME` stands for the home directory on every platform.
    """
    for variable, path in client.files.get(platform, client.files.get("*", ())):
        directory = environment.get(variable, "")
        if PurePath(directory).is_absolute():
            return PurePath(directory, path)
    return None
