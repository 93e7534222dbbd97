"""How the time of a turn was spent, model included: client, model, tools, unknown, and the agent's own.

They overlap, so each moment counts for only one of them, and the five add up to the turn. The first in this
order that applies to a moment gets it:

1. **client**: the agent waits for its client (a permission, a file, a terminal). Nothing that the agent or
   its model does makes this shorter; a person does. It is `permissions_ns` and `requests_ns` of the same
   turn.
2. **model**: a call of the model is open, or has failed and is about to be retried, or would have been if
   the turn had not been cancelled. It precedes tools for two reasons. A tool call is announced while the
   model still writes its arguments, so nothing runs yet. And a tool that asks a model itself (a subagent) is
   slow because of that model.
3. **tools**: a tool call is open, and no model is at work: commands, searches, edits.
4. **unknown**: a tool may have run, which the agent named only when it was over, and without a permission
   request that would show its start. Some of this may be the agent's own time, but none counts as that.
5. **own**: all the rest: the agent starts, reads, writes its files. It is the time that a new version of the
   agent can change by itself.

Callers should leave out a call that nothing waits for (a title, a summary, made beside the conversation).
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
    """Return the parts of a turn, in ns; none is negative. What is outside the turn is cut off.

    `client`: from each request to the client until its response; `model`: as `calls.waiting` returns it;
    `tools`: from the first update of each tool call until it ended; `unknown`: when a tool may have run.
    """
    waited, asked, worked, either = claimed(turn, (client, model, tools, unknown))
    own = max(turn[1] - turn[0], 0) - waited - asked - worked - either
    return TurnParts(waited, asked, worked, own, either)
