"""Which tool call a subagent made for which: tool calls and permissions as a tree. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acp_trace.analyze import facts
from acp_trace.report.grouping import group

Work = facts.ToolCall | facts.Permission
#: The most calls, one below the other, that are followed.
_DEEPEST = 20


class WorkTree:
    """The tool calls of a trace, each with those above it in its session."""

    def __init__(self, trace_facts: facts.Facts) -> None:
        self._calls = {(call.session_id, call.id): call for call in trace_facts.tool_calls}
        #: Whether there is anything below a tool call: in most traces there is not.
        work: list[Work] = [*trace_facts.tool_calls, *trace_facts.permissions]
        self._parents = {(did.session_id, did.parent_id) for did in work if did.parent_id}
        self.is_flat = not self._parents

    def call(self, session_id: str, id_: str | None) -> facts.ToolCall | None:
        """A tool call of a session; None if it has none with this id."""
        return self._calls.get((session_id, id_ or ""))

    def above(self, session_id: str, parent_id: str | None) -> list[facts.ToolCall]:
        """The call that a subagent works for, and those above it, outermost first."""
        found: list[facts.ToolCall] = []
        while len(found) < _DEEPEST and (call := self.call(session_id, parent_id)) is not None:
            if call in found:  # a trace may say anything
                break
            found.append(call)
            parent_id = call.parent_id
        return found[::-1]

    def depth(self, did: Work) -> int:
        """How many calls are above it."""
        return 0 if did.parent_id is None else len(self.above(did.session_id, did.parent_id))

    def order(self, did: Work) -> int:
        """The frame that gives its place among other events: that of the outermost call above it, or its own.

        A permission for a call with work below it comes with the call: it is asked before that work begins.
        """
        if above := self.above(did.session_id, did.parent_id):
            return above[0].frame
        if isinstance(did, facts.Permission) and (did.session_id, did.tool_call_id) in self._parents:
            call = self.call(did.session_id, did.tool_call_id)
            return did.frame if call is None else call.frame
        return did.frame

    def ordered(self, work: Sequence[Work]) -> list[Work]:
        """Each with what was done for it below it, by frame; as they come if nothing is below another."""
        if self.is_flat:
            return list(work)
        work = sorted(work, key=lambda did: did.frame)
        calls = {did.id for did in work if isinstance(did, facts.ToolCall)}
        below = group(work, lambda did: did.parent_id if did.parent_id in calls else None)
        found = list(_tree(below, None, set()))
        there = {id(did) for did in found}
        return found + [did for did in work if id(did) not in there]  # those that are below themselves

    def with_above(self, chosen: Iterable[Work], among: Sequence[Work]) -> list[Work]:
        """Those that are chosen, and the calls above them, in the order of `among`."""
        keep = {id(did) for did in chosen}
        above = {
            (call.session_id, call.id) for did in chosen for call in self.above(did.session_id, did.parent_id)
        }
        return [
            did
            for did in among
            if id(did) in keep or (isinstance(did, facts.ToolCall) and (did.session_id, did.id) in above)
        ]


def _tree(below: dict[str | None, list[Work]], parent: str | None, seen: set[str]) -> Iterator[Work]:
    here = below.get(parent, [])
    asked: dict[str, list[Work]] = {
        did.id: [] for did in here if isinstance(did, facts.ToolCall) and did.id in below
    }
    for did in here:
        if isinstance(did, facts.Permission) and did.tool_call_id in asked:
            asked[did.tool_call_id].append(did)
    for did in here:
        if isinstance(did, facts.Permission) and did.tool_call_id in asked:
            continue  # listed with its call
        yield did
        if isinstance(did, facts.ToolCall) and did.id not in seen:
            seen.add(did.id)
            yield from asked.get(did.id, ())
            yield from _tree(below, did.id, seen)
