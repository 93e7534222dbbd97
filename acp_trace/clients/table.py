"""The clients that acp-trace knows: where each keeps its agents, and in what form. Data and look-ups only.

The source of each row is above it; docs/clients.md lists what was run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

#: The form of an agent: `command` and `args`; or all words in `argv`.
Form = Literal["command", "argv"]


@dataclass(frozen=True, slots=True)
class EditableClient:
    """A client. `files`: the places of its file, by platform; empty if it has no file to edit."""

    name: str
    title: str
    #: Platform, or `*` → the places; the first whose variable is set to a directory counts.
    files: Mapping[str, tuple[tuple[str, str], ...]]
    #: The member of the file that holds the agents, by name.
    agents: str = ""
    form: Form = "command"
    #: The `type` of an entry, before its command.
    type: str | None = None
    #: Whether the client splits `command` alone into words itself.
    splits: bool = False
    #: Whether names are compared without regard to case.
    any_case: bool = False
    #: The agents without an entry in the file.
    built_in: str = ""
    #: What the user has to do for the change to take effect.
    then: str = ""


CLIENTS: dict[str, EditableClient] = {
    client.name: client
    for client in (
        # zed.dev/docs/ai/external-agents; the places: zed-industries/zed, crates/paths. Only entries of the
        # type `custom` have a command, not `registry` and `extension`.
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
        # Toad 0.6.20: its agents are data of its package; ~/.config/toad/toad.json does not name any
        EditableClient("toad", "Toad", {}),
        EditableClient("codecompanion", "Neovim: CodeCompanion", {}),
        EditableClient("avante", "Neovim: avante", {}),
    )
}


def editable() -> list[str]:
    """Return the names of the clients that have a file to edit: those of `install`."""
    return [name for name, client in CLIENTS.items() if client.files]


def config_file(client: EditableClient, platform: str, environment: Mapping[str, str]) -> PurePath | None:
    """Return where the client's file is, existing or not; None if it has no file, or no variable is set.

    `platform`: as in `sys.platform`. `HOME` means the home directory on every platform.
    """
    for variable, path in client.files.get(platform, client.files.get("*", ())):
        directory = environment.get(variable, "")
        if PurePath(directory).is_absolute():
            return PurePath(directory, path)
    return None
