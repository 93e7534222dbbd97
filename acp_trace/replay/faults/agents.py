"""How real agents went wrong, for acting as one: `mock --as` and `conform --client --as`. Pure.

A row exists only for an agent with a recording, or with an issue that shows its frames; the row names it. The
agent's mistakes are faults like any other. `mock` puts them into the recording that it plays, `conform` into
its scripted agent's messages.
"""

from __future__ import annotations

from typing import NamedTuple

from acp_trace.replay.faults.declaration import PlannedFault, parse
from acp_trace.trace import near_misses

#: Prefix of agents' names, to distinguish them from clients' names.
PREFIX = "agent:"


class AgentProfile(NamedTuple):
    """One kind of agent. `behaviour`: what `conform`'s agent does in a turn to show its faults.

    `faults`: its faults, as texts. `has_uuids`: the ids of its requests are UUIDs. `in_mock`: whether `mock`
    can act as it: its faults fit any recording.
    """

    about: str
    recording: str
    behaviour: str = "normal"
    faults: tuple[str, ...] = ()
    has_uuids: bool = False
    in_mock: bool = True

    @property
    def planned(self) -> list[PlannedFault]:
        """Its faults, parsed."""
        return [parse(text) for text in self.faults]

    @property
    def excused(self) -> frozenset[str]:
        """Codes of findings that are not the fault of a client that talks to it."""
        return frozenset().union(*(fault.kind.excused for fault in self.planned))


_NOTICE = "noise on initialize #1"
AGENTS: dict[str, AgentProfile] = {
    "agent:ignores-cancel": AgentProfile(
        "It continues after a cancel, and ends with `end_turn`.",
        "OpenCode of May 2026 (anomalyco/opencode#30146)",
        "cancel",
        ("ignore-cancel on session/prompt",),
    ),
    "agent:answers-after-cancel": AgentProfile(
        "It stops at a cancel, but says `end_turn`.",
        "Copilot 1.0.85 (github/copilot-cli#4561), OpenCode 1.2.27 ([real builds](evidence/real-matrix.md))",
        "cancel",
        ("end-turn on session/prompt",),
    ),
    "agent:fails-cancel": AgentProfile(
        "It answers a cancelled prompt with an error.",
        "nanocoder before 1.30 ([real builds](evidence/real-matrix.md))",
        "cancel",
        ("error on session/prompt #1",),
        in_mock=False,  # there, the first prompt need not be the one that is cancelled
    ),
    "agent:silent": AgentProfile(
        "It never answers `session/new`.",
        "pi-acp 0.0.34 without a login",
        faults=("never on session/new",),
    ),
    "agent:updates-before-session": AgentProfile(
        "It sends an update of a session before the client knows the session's id.",
        "OpenCode 1.18.33, copilot 1.0.102 and nanocoder 1.30.0",
        "commands",
        ("reorder on session/new",),
    ),
    "agent:string-ids": AgentProfile(
        "The ids of its requests are UUIDs.",
        "Zed's codex-acp 0.16.0",
        "permission",
        has_uuids=True,
        in_mock=False,  # there, the ids are those of the recording
    ),
    "agent:noisy": AgentProfile(
        "It prints a line that is not a message.",
        "nanocoder 1.30.0 in a directory that it does not trust",
        faults=(_NOTICE,),
    ),
    "agent:ends-at-once": AgentProfile(
        "It prints a notice and ends, without an answer to `initialize`.",
        "kimi-cli 1.52",
        faults=(_NOTICE, "kill on initialize #1"),
    ),
}


def agent(name: str, *, in_mock: bool = False) -> AgentProfile:
    """Return the agent of this name. Raises ValueError with one line. `in_mock`: one that `mock` can be."""
    names = [each for each, row in AGENTS.items() if row.in_mock or not in_mock]
    if name in names:
        return AGENTS[name]
    if name in AGENTS:
        raise ValueError(f"{name} is for `conform --client`: `mock` plays what its recording has")
    hint = near_misses.suggestion(name, names) or f": it is not one of {', '.join(names)}"
    raise ValueError(f"there is no agent {name!r}{hint}")
