"""Where the time of a turn went, with the model in sight: client, model, tools, unknown, and the agent's own.

They overlap, so each moment belongs to one of them alone, and the five add up to the turn. The first in this
order that has a moment gets it:

1. **client**: the agent waits for its client (a permission, a file, a terminal). Nothing that the agent or
   its model does makes this shorter; a person does. It is `permissions_ns` and `requests_ns` of the same
   turn.
2. **model**: a call of the model is open, or has failed and is about to be made again, or would have been
   if nobody had cancelled the turn. Before tools, for two reasons. A tool call is announced while the model
   still writes its arguments, so nothing runs yet. And a tool that asks a model itself (a subagent) is slow
   because of that model.
3. **tools**: a tool call is open, and no model is at work: commands, searches, edits.
4. **unknown**: a tool may have run: one that the agent named only when it was over, without a permission that
   would say when it began. Some of this may be the agent's own, so none of it is.
5. **own**: all the rest, which no one else has: the agent starts, reads, writes its files. It is what a new
   version of the agent can change by itself.

A call that nobody waits for (a title, a summary, made beside the conversation) is best left out by the
caller.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from acp_trace.trace.intervals import Interval, claimed


class TurnParts(msgspec.Struct, frozen=True):
    """The parts of a turn's duration, ns: they add up to it."""

    client_ns: int
    model_ns: int
    tool_ns: int
    own_ns: int
    unknown_ns: int = 0


def parts(
    turn: Interval,
    *,
    client: Iterable[Interval] = (),
    model: Iterable[Interval] = (),
    tools: Iterable[Interval] = (),
    unknown: Iterable[Interval] = (),
) -> TurnParts:
    """The parts of a turn, in ns; none is negative. What reaches out of the turn is cut off.

    `client`: from each request to the client until its response; `model`: as `calls.waiting` gives it;
    `tools`: from the first news of each tool call until it ended; `unknown`: in which one may have run.
    """
    waited, asked, worked, either = claimed(turn, (client, model, tools, unknown))
    own = max(turn[1] - turn[0], 0) - waited - asked - worked - either
    return TurnParts(waited, asked, worked, own, either)
