"""Traces against what the peers noted, session by session. Pure. Each connection has one session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tests.faults.stage import must
from tests.real.network.traced import spoken

_SESSION = re.compile(rb'"sessionId": ?"(c\d+)"')
Sessions = Mapping[str, Sequence[bytes]]
#: What a peer saw, and what it said.
Sides = tuple[Sessions, Sessions]
#: What client and agent said in a session.
Spoken = tuple[list[bytes], list[bytes]]


def session_of(message: bytes) -> str:
    """Of which session a message is."""
    found = _SESSION.search(message)
    must(found, f"a message of no session: {message[:80]!r}")
    assert found is not None
    return found[1].decode()


def sessions(traces: Iterable[bytes]) -> dict[str, Spoken]:
    """The sessions of traces, given as lines. A trace in which nothing was said has none."""
    found: dict[str, Spoken] = {}
    for lines in traces:
        client, agent = spoken(lines)
        names = {session_of(message) for message in (*client, *agent)}
        must(len(names) <= 1, f"a trace with the sessions {names}")
        for name in names:
            must(name not in found, f"two traces with the session {name}")
            found[name] = client, agent
    return found


def whole(found: Mapping[str, Spoken], by_client: Sides, by_server: Sides) -> int:
    """Every message of every session of a client, in order, and none besides; how many."""
    (saw, said), (served, answered) = by_client, by_server
    must(found.keys() == said.keys(), f"{len(found)} sessions in traces, {len(said)} of the client")
    for name, (client, agent) in found.items():
        for what, traced, wanted in (
            ("sent", client, said),
            ("that reached the server", client, served),
            ("received", agent, saw),
            ("that the server sent", agent, answered),
        ):
            must(
                traced == wanted[name],
                f"{name}: the trace has {len(traced)} messages, of {len(wanted[name])} {what}",
            )
    return sum(len(client) + len(agent) for client, agent in found.values())


def kept(found: Mapping[str, Spoken], by_client: Sides, by_server: Sides) -> int:
    """After a kill: what one side has seen is in the trace, in order, and the trace has only what was said.

    Returns how many messages were seen.
    """
    count = 0
    for number, whose, (saw, said) in (
        (0, "the client", (by_server[0], by_client[1])),
        (1, "the agent", (by_client[0], by_server[1])),
    ):
        for name in saw.keys() | found.keys():
            seen, sent = saw.get(name, ()), said.get(name, ())
            traced = found[name][number] if name in found else []
            what = f"{name}: of {len(sent)} messages of {whose}, {len(seen)} were seen, {len(traced)} are in the trace"
            must(list(seen) == traced[: len(seen)], f"{what}: one that was seen is missing, or another")
            must(traced == list(sent[: len(traced)]), f"{what}: one was not said")
            count += len(seen)
    return count
