"""The JSON report: `acp-trace show --json`, a public interface (docs/report.md). Keys are only added.

Assembles the flat facts into the nested document; says nothing that the facts do not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import asdict
from typing import Any, TypeVar

import msgspec

from acp_trace.analyze import facts
from acp_trace.analyze.latency import latencies

VERSION = 1

_T = TypeVar("_T")
_K = TypeVar("_K", bound=Hashable)


def document(found: facts.Facts, *, live: bool = False) -> dict[str, Any]:
    """The report of one trace, ready for msgspec.json.encode."""
    parts = _Parts(found)
    return {
        "acp_trace_report": VERSION,
        "trace": _trace(found.trace, live),
        "sessions": [_session(one, parts) for one in found.sessions],
        "exchanges": [{**asdict(one), "id": _json(one.id)} for one in found.exchanges],
        "latency": [asdict(one) for one in latencies(found.exchanges)],
    }


def _trace(trace: facts.Trace, live: bool) -> dict[str, Any]:
    end = {"exit_code": trace.exit_code, "signal": trace.signal, "error": trace.error}
    return {
        "id": trace.id,
        "started_at": trace.started_at,
        "duration_ns": trace.duration_ns,
        "protocol_version": trace.protocol_version,
        "complete": trace.complete,
        "live": live,
        "lost": {"frames": trace.lost_frames, "bytes": trace.lost_bytes},
        "damaged": trace.damaged,
        "torn_bytes": trace.torn_bytes,
        "agent": {
            "name": trace.agent_name,
            "title": trace.agent_title,
            "version": trace.agent_version,
            "argv": _json(trace.agent_argv),
            "cwd": trace.agent_cwd,
        },
        "client": {
            "name": trace.client_name,
            "title": trace.client_title,
            "version": trace.client_version,
        },
        "frames": {"client": trace.frames_client, "agent": trace.frames_agent},
        "bytes": {"client": trace.bytes_client, "agent": trace.bytes_agent},
        "odd_frames": {"client": trace.odd_client, "agent": trace.odd_agent},
        "logs": trace.logs,
        "last_log": trace.last_log,
        "labels": _json(trace.labels),
        "end": end if trace.complete else None,
    }


class _Parts:
    """The facts of each session and each turn at hand, so that many sessions cost no more than one."""

    def __init__(self, found: facts.Facts) -> None:
        self.turns = group(found.turns, lambda one: one.session_id)
        self.updates = group(found.updates, lambda one: one.session_id)
        self.tool_calls = group(found.tool_calls, lambda one: (one.session_id, one.turn))
        self.permissions = group(found.permissions, lambda one: (one.session_id, one.turn))


def group(facts_: Iterable[_T], key: Callable[[_T], _K]) -> dict[_K, list[_T]]:
    """The facts by a key, each group in order."""
    groups: dict[_K, list[_T]] = {}
    for one in facts_:
        groups.setdefault(key(one), []).append(one)
    return groups


def _session(session: facts.Session, parts: _Parts) -> dict[str, Any]:
    mine = session.session_id
    return {
        **asdict(session),
        "turns": [_turn(one, parts) for one in parts.turns.get(mine, ())],
        "updates": {one.kind: one.count for one in parts.updates.get(mine, ())},
        "usage": _json(session.usage),
        "outside_turns": _of_turn((mine, None), parts),
    }


def _turn(turn: facts.Turn, parts: _Parts) -> dict[str, Any]:
    return {**_without(turn, "session_id"), **_of_turn((turn.session_id, turn.turn), parts)}


def _of_turn(here: tuple[str, int | None], parts: _Parts) -> dict[str, Any]:
    return {
        "tool_calls": [_without(one, "session_id", "turn") for one in parts.tool_calls.get(here, ())],
        "permissions": [_without(one, "session_id", "turn") for one in parts.permissions.get(here, ())],
    }


def _without(fact: Any, *keys: str) -> dict[str, Any]:
    return {key: item for key, item in asdict(fact).items() if key not in keys}


def _json(text: str | None) -> msgspec.Raw | None:
    """JSON text that goes into the document as it is, so that `1.0` stays `1.0`."""
    return None if text is None else msgspec.Raw(text.encode())
