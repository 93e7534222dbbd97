"""The tools `list_model_calls` and `read_model_call`: what an agent asked its language model."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from acp_trace.mcp_server.documents import PartOffset, Pointer, part
from acp_trace.mcp_server.opening import name_of, opened
from acp_trace.mcp_server.paging import page
from acp_trace.mcp_server.tool import (
    Arguments,
    CallRefused,
    Document,
    Limit,
    Offset,
    SessionName,
    TraceName,
    TurnName,
)
from acp_trace.model.calls import model_calls
from acp_trace.model.exchange import ModelExchanges
from acp_trace.report.json.model_calls import document, row
from acp_trace.report.safe import safe
from acp_trace.report.selection import part_of_id
from acp_trace.report.session_names import turn_of
from acp_trace.trace import jsontext
from acp_trace.trace.home import Home

_NONE = "has no calls of a model: record them with `record --model`"


class ListModelCallsArguments(Arguments):
    """List the calls of an agent's language model in a trace, in order.

    Each with provider, model, session and turn, its start since the trace began, the time to the first token
    and to the end (nanoseconds), tokens, stop reason, the tools that the model asked for, and errors. The
    trace must have been recorded with `record --model`.
    """

    trace: TraceName = "last"
    session: SessionName | None = None
    turn: TurnName | None = None
    limit: Limit = 30
    offset: Offset = 0


def list_model_calls(home: Home, given: ListModelCallsArguments) -> Document:
    """The `calls` of `model --json`."""
    with opened(home, given.trace) as source:
        trace_facts = source.facts()
        name = name_of(home, source)
    if not trace_facts.model_calls:
        raise CallRefused(f"{name} {_NONE}")
    named = None if given.turn is None else turn_of(str(given.turn))
    if given.turn is not None and named is None:
        raise CallRefused(f"turn: {safe(str(given.turn))} is not a turn, such as 0 or S2.0")
    wanted = [given.session, named and named.session]
    parts = [part_of_id(text, lambda: trace_facts) for text in wanted if text]
    calls = [
        call
        for call in trace_facts.model_calls
        if all(part in (call.session_id or "") for part in parts)
        and (named is None or named.turn == call.turn)
    ]
    return {"trace": name, **page(calls, given.offset, given.limit).document("calls", row)}


class ReadModelCallArguments(Arguments):
    """Read one call of an agent's language model: the whole prompt, and the answer.

    Its keys: call (figures), prompt (system, messages, tools, parameters), answer. Long prompts are cut, and
    `cut` names what; ask for it with `pointer`, as /prompt/messages/3. A long string is given in pieces.
    """

    call: Annotated[int, Meta(description="The number of the call, from list_model_calls.", ge=1)]
    trace: TraceName = "last"
    pointer: Pointer = ""
    offset: PartOffset = 0


def read_model_call(home: Home, given: ReadModelCallArguments) -> Document:
    """A part of what `model --call N --json` prints."""
    exchanges = ModelExchanges()
    with opened(home, given.trace) as source:
        facts = {call.call: call for call in source.facts().model_calls}
        name = name_of(home, source)
        if not facts:
            raise CallRefused(f"{name} {_NONE}")
        if given.call not in facts:
            raise CallRefused(f"there is no call {given.call}: the last one is call {max(facts)}")
        for entry in source.entries():
            exchanges.feed(entry)
    call = next(each for each in model_calls(exchanges.exchanges.values()) if each.call == given.call)
    whole = jsontext.value(msgspec.json.encode(document(call, facts[given.call])))
    return {"trace": name, **part(whole, given.pointer, given.offset)}
