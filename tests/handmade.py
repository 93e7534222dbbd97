"""Facts made by hand, and stores filled with them: for what reads the tables, whatever made the rows."""

from __future__ import annotations

from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from acp_trace.analyze.facts import ROWS, Exchange, Fact, Facts, Trace
from acp_trace.store.connect import writing
from acp_trace.store.rows import Rows

T = TypeVar("T")


def made(kind: type[T], /, **given: Any) -> T:
    """A fact with these fields; the others are None where they may be, else empty."""
    hints = get_type_hints(kind)
    empty = {name: None if NoneType in get_args(hint) else hint() for name, hint in hints.items()}
    return kind(**{**empty, **given})


def trace(id: str, /, *facts: Fact, **given: Any) -> Facts:
    """All facts of a complete trace: these, and what is given of the trace itself."""
    whole = {
        "complete": True,
        "has_times": True,
        "meta_merge": "rfd",
        "agent_argv": "[]",
        "labels": "{}",
        "origin": "recorded",
    }
    found = Facts(made(Trace, id=id, **{"started_at": "2026-11-20T13:00:00Z", **whole, **given}))
    for fact in facts:
        name = next(name for name, kind in ROWS.items() if kind is type(fact))
        getattr(found, name).append(fact)
    return found


def stored(store: Path, *traces: Facts) -> None:
    """Puts the facts into the store, as the loader does, without frames."""
    with writing(store) as connection:
        for found in traces:
            with Rows(connection, found.trace.id) as rows:
                rows.facts(found)


def exchange(method: str, latency_ns: int | None, sender: str = "client", **given: Any) -> Exchange:
    """A request that was answered after so long, or never."""
    outcome = "open" if latency_ns is None else "result"
    return made(
        Exchange, method=method, latency_ns=latency_ns, sender=sender, **{"outcome": outcome, **given}
    )
