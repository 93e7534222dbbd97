"""What a frame and a fact look like as rows of their tables, without the trace id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.protocol.message import MessageKind, id_type
from acp_trace.store import schema

_NOT_TEXT = MessageKind.BYTES


def frame_columns(frames: Sequence[Frame]) -> list[Sequence[Any]]:
    """The columns of `frames`, without the trace id; `body` as the bytes of its text."""
    ids, kinds, data = [f.id for f in frames], [f.kind for f in frames], [f.data for f in frames]
    types = {id_: id_type(id_) for id_ in set(ids)}
    texts: list[bytes | None] = [*data]
    raw: list[bytes | None] = [None] * len(data)
    if _NOT_TEXT in kinds:
        for at, kind in enumerate(kinds):
            if kind is _NOT_TEXT:
                texts[at], raw[at] = None, data[at]
    return [
        [f.frame for f in frames],
        [f.t_ns for f in frames],
        [f.sender for f in frames],
        kinds,
        [f.method for f in frames],
        ids,
        [types[id_] for id_ in ids],
        [f.answers for f in frames],
        [f.session_id for f in frames],
        [f.update for f in frames],
        [f.size for f in frames],
        [f.partial for f in frames],
        texts,
        raw,
        [f.stream for f in frames],
    ]


def fact_rows(table: schema.Table, trace_facts: facts.Facts) -> Iterator[tuple[Any, ...]]:
    """The rows of a table of facts, without their trace id."""
    rows: Sequence[Any] = (
        [trace_facts.trace] if table.fact is facts.Trace else getattr(trace_facts, table.name)
    )
    columns = [column.name for column in table.columns if column.name != "trace_id"]
    for fact in rows:
        yield tuple(getattr(fact, name) for name in columns)
