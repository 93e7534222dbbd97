"""Forms in which logs of ACP are found in public, rebuilt: `forms.jsonl` (docs/evidence/logs.md, Forms).

Each line is a form: where it was seen (empty: tools print logs so, not only those of ACP), a text of that form
with a session that was made up, and what is read of it.
`holds` is how many messages a person can tell from the text. Times: the clock at the first message (null: the
log does not say it), and ns until the last one.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from acp_trace.formats.reading.groups import explained, readers_for
from acp_trace.formats.reading.log import File, Sent
from acp_trace.protocol.message import read

FORMS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("forms.jsonl").read_text("utf-8").splitlines()
]


def _file(form: dict[str, Any]) -> File:
    data = base64.b64decode(form["base64"]) if "base64" in form else form["text"].encode()
    return File(form["name"], data)


def _told(item: Sent) -> list[Any]:
    message = read(item.data)
    kind = "error" if message.is_error else str(message.kind)
    return [item.sender, kind, message.method, None if message.id is None else json.loads(message.id)]


@pytest.mark.parametrize("form", [pytest.param(form, id=form["name"]) for form in FORMS])
def test_what_is_read_of_a_form(form: dict[str, Any]) -> None:
    """All messages that are whole, each of its side, with their times; of a log without any, nothing."""
    best = explained([_file(form)], readers_for(None)).best
    sent = (
        [item for trace in best.traces for item in trace.log.messages if isinstance(item, Sent)]
        if best
        else []
    )
    assert [_told(item) for item in sent] == form["messages"]
    times = [item.t for item in sent]
    if best is None or None in times or not times:
        assert "times" not in form
    else:
        assert [best.traces[0].log.started_ns, max(time for time in times if time is not None)] == form[
            "times"
        ]
    assert len(sent) <= form["holds"]


@pytest.mark.slow
def test_what_is_lost_is_told() -> None:
    """Where a text holds more messages than are read, lines are counted, or it is said why, or doubted."""
    for form in FORMS:
        log = explained([_file(form)], readers_for(None))
        if len(form["messages"]) < form["holds"]:
            unused = [one for trace in log.best.traces for one in trace.log.unused] if log.best else []
            doubts = log.best.sense.doubts() if log.best else ""
            assert unused or doubts or log.why_none, form["name"]
