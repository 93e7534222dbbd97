"""The tools `diff_traces` and `diff_model_calls`: what differs between two traces."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated, Any

from msgspec import Meta

from acp_trace.compare.codes import Match
from acp_trace.compare.difference import compare_traces
from acp_trace.compare.traced_calls import TracedCalls, compare_traced_calls, read_calls
from acp_trace.mcp_server.opening import name_of, opened
from acp_trace.mcp_server.paging import page
from acp_trace.mcp_server.tool import Arguments, CallRefused, Document, Limit, Offset, TraceName
from acp_trace.normalize.masks import Mask, MaskError, parse
from acp_trace.report.json import diff, model_diff
from acp_trace.report.safe import safe
from acp_trace.trace.home import Home


class DiffTracesArguments(Arguments):
    """Compare two traces: what the actual one does differently from the expected one.

    Each divergence has a code, a severity (`error`, or `note` for what does not count), a message, and the
    frames of both sides; one with `consequence_of` follows from another. Ids, directories and, except with
    `exact`, texts are not compared. `equal` says whether anything counts.
    """

    expected: TraceName
    actual: TraceName
    match: Annotated[
        Match, Meta(description="How closely: `outcome` (least), `semantic`, `content` or `exact`.")
    ] = "semantic"
    masks: Annotated[
        tuple[str, ...],
        Meta(description="Values to hide: a JSON Pointer of a frame, such as /params/update/title:string."),
    ] = ()
    limit: Limit = 30
    offset: Offset = 0


def diff_traces(home: Home, given: DiffTracesArguments) -> Document:
    """What `diff --json` prints, with a page of its divergences."""
    masks = _masks(given.masks)
    with ExitStack() as stack:
        sources = [stack.enter_context(opened(home, name)) for name in (given.expected, given.actual)]
        comparison, _ = compare_traces(sources[0].entries(), sources[1].entries(), given.match, masks)
        names = [name_of(home, source) for source in sources]
    if not comparison.counts.compared:
        raise CallRefused("nothing was compared: the two traces have no frame in common")
    if idle := [use.mask for use in comparison.idle]:
        raise CallRefused(f"nothing to hide for the mask {safe(', '.join(idle))} at this level")
    whole = diff.document(comparison, names)
    divergences = page(whole["divergences"], given.offset, given.limit).document("divergences", dict)
    kept = ("equal", "match", "expected", "got", "environment", "counts", "model")
    return {**{key: whole[key] for key in kept}, **divergences}


class DiffModelCallsArguments(Arguments):
    """Compare what the agents of two traces sent to their language models: prompts, tools, parameters.

    Calls are paired by what they say. A change that many calls have is listed once, with their numbers; its
    `diff` has the lines. `others` counts what differs only in what tools returned or models said. Both traces
    must have been recorded with `record --model`.
    """

    expected: TraceName
    actual: TraceName
    call: Annotated[int, Meta(description="Only this call of the expected trace.", ge=1)] | None = None
    others: Annotated[
        bool, Meta(description="List what tools returned and models said instead of the changes.")
    ] = False
    limit: Limit = 20
    offset: Offset = 0


def diff_model_calls(home: Home, given: DiffModelCallsArguments) -> Document:
    """What `model diff --json` prints, with a page of its changes."""
    sides: list[TracedCalls] = []
    names: list[str] = []
    for name in (given.expected, given.actual):
        with opened(home, name) as source:
            sides.append(read_calls(source.entries()))
            names.append(name_of(home, source))
        if not sides[-1].model.calls:
            raise CallRefused(f"{safe(names[-1])} has no calls of a model: record them with `record --model`")
    comparison = compare_traced_calls(sides[0], sides[1], given.call)
    if not comparison.pairs:
        raise CallRefused(
            f"there is no call {given.call}: the last one is call {sides[0].model.calls[-1].call}"
        )
    whole = model_diff.document(comparison, (names[0], names[1]))
    counts: dict[str, Any] = {
        "pairs": len(whole["pairs"]),
        "changes_in_all": len(whole["changes"]),
        "others_in_all": len(whole["others"]),
    }
    changes = whole["others" if given.others else "changes"]
    made = page(changes, given.offset, given.limit).document("others" if given.others else "changes", dict)
    return {**{key: whole[key] for key in ("equal", "expected", "actual")}, **counts, **made}


def _masks(texts: tuple[str, ...]) -> list[Mask]:
    try:
        return [parse(text) for text in texts]
    except MaskError as error:
        raise CallRefused(safe(str(error))) from None
