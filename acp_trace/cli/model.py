"""`acp-trace model`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, completion
from acp_trace.cli.errors import NOTHING, fail

if TYPE_CHECKING:
    from acp_trace.analyze.facts import Facts, ModelCall
    from acp_trace.model.exchange import ModelExchange
    from acp_trace.model.seen_traffic import SeenTraffic
    from acp_trace.store.sources import Source


def model(
    trace: Annotated[
        str,
        typer.Argument(metavar="TRACE", help=common.TRACE_HELP, autocompletion=completion.traces),
    ] = "last",
    number: Annotated[
        int | None, typer.Option("--call", metavar="N", min=1, help="Show this call in full.")
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help="List all requests, including those that are not model calls; with --call, show tools in "
            "full, and also content that the previous call already had.",
        ),
    ] = False,
    pager: Annotated[bool, typer.Option(help="Use a pager for output longer than the terminal.")] = True,
    json: common.Json = False,
) -> None:
    """List the calls of an agent's model, or show one.

    The trace must be recorded with `record --model`. `at` is the time since the trace began; `first` is the
    time from the request to the first token, and `took` is the time from the request to the end; `in` and
    `out` are the tokens that the provider counted; `beside` marks a call that the turn did not wait for.
    `diff --model A B` compares two traces. `model diff`, the older name of `diff --model`, still works. To
    list the calls of a trace file named `diff`, write `model ./diff`.
    """
    with common.opened(trace) as source:
        name, live = source.name, source.live
        exchanges, facts, seen = _read(source)
    calls = facts.model_calls
    if number is not None:
        if number > len(calls):
            from acp_trace.trace.counts import counted

            fail(f"{name} has {counted(len(calls), 'call')} of a model", NOTHING)
        _show(exchanges, facts, number - 1, every=every, paged=pager, json=json)
        return
    if json:
        from acp_trace.report.json.exchanges import rows

        common.print_json(rows([each for each in exchanges if every or each.is_whole], calls))
        return
    if not exchanges:
        fail(f"{name}: {seen or 'it has no requests to a model: record them with `record --model`'}", NOTHING)
    with common.paged(pager) as console:
        if every:
            from acp_trace.report.text.exchange_list import exchange_list

            console.print(exchange_list(exchanges, console.width), end="")
        elif calls:
            from acp_trace.report.session_names import names_of
            from acp_trace.report.text.call_list import call_list, have_several_sessions

            several = have_several_sessions(calls)
            console.print(
                call_list(calls, console.width, with_session=several, live=live, names=names_of(facts)),
                end="",
            )
        if not every and (rest := _rest(exchanges, calls)):
            console.print(rest, style="bright_black")
    if not (calls or every):
        print(seen, file=sys.stderr)


def _read(source: Source) -> tuple[list[ModelExchange], Facts, SeenTraffic | None]:
    """The exchanges with all that was said in them, what is known of the trace, and what was seen in all.

    None of the last if the model's side was not recorded.
    """
    from acp_trace.analyze.analyzer import Analyzer
    from acp_trace.model.exchange import ModelExchanges

    analyzer, exchanges = Analyzer(), ModelExchanges()
    for entry in source.entries():
        analyzer.feed(entry)
        exchanges.feed(entry)
    seen = exchanges.seen if exchanges.has_model else None
    return list(exchanges.exchanges.values()), analyzer.facts(), seen


def _show(
    exchanges: list[ModelExchange], facts: Facts, at: int, *, every: bool, paged: bool, json: bool
) -> None:
    """One call as a whole. `at`: its place among those of the facts."""
    from acp_trace.model.calls import model_calls

    fact = facts.model_calls[at]
    calls = {each.call: each for each in model_calls(exchanges)}
    call = calls[fact.call]
    if json:
        from acp_trace.report.json.model_calls import document

        common.print_json(document(call, fact))
        return
    from acp_trace.report.session_names import names_of
    from acp_trace.report.statements.model_calls import Conversations
    from acp_trace.report.text.prompt import prompt

    conversations, before = Conversations(), None
    for each in facts.model_calls[: at + 1]:
        before = conversations.before(calls[each.call], each) if each.call in calls else None
    with common.paged(paged) as console:
        for line in prompt(call, fact, all_=every, names=names_of(facts), before=before):
            console.print(line, soft_wrap=True)


def _rest(exchanges: list[ModelExchange], calls: list[ModelCall]) -> str:
    """The line about requests that are not listed; empty if there are none."""
    from acp_trace.report.text.call_list import others_line

    listed = {call.exchange for call in calls}
    others = [exchange for exchange in exchanges if exchange.number not in listed]
    unread = sum(1 for exchange in others if exchange.omitted or exchange.unreadable or exchange.damaged)
    return others_line(len(others) - unread, unread) if others else ""
