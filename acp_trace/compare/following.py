"""Which divergences follow from which: a table. Pure.

A command that is not run has no terminal, so its output is not requested either: that is one defect, and not
four. Each rule names the possible causes and consequences, and where both are: they belong together if they
share a key, such as one terminal, one turn or one choice. A divergence without such a key stays a cause of
its own, whatever is near it. All consequences are still reported, below their cause.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from acp_trace.compare import following_config as config
from acp_trace.compare import following_keys as at
from acp_trace.compare.result import Divergence
from acp_trace.compare.run_order import FILES, RunOrder
from acp_trace.compare.sides import Sides
from acp_trace.story.model import Story

_UNASKED = ("request-missing", "request-extra", "answer-unused", "request-unmatched")
_NEVER_SET = ("title-never-set", "metadata-never-set")
_OUTCOMES = ("error-instead-of-result", "result-instead-of-error")
_UNANSWERED = ("timeout", "response-missing")
_VALUES = ("config-final", "config-timeline")
_OPTIONS = ("permission-option-missing", "permission-option-extra", "permission-option-differs")
_STEPS = ("step-skipped", "step-late")
_WRITES = ("tool-call-missing", "tool-call-extra", "tool-call-status", "content-differs", "content-lost")
_CROSSED = (
    "tool-call-missing",
    "tool-call-extra",
    "tool-call-unannounced",
    "update-after-stop",
    "request-params",
)
_UNSAID = ("message-missing", "update-missing", "tool-call-missing")

_Keys = Callable[[Divergence, Sides], Iterable[Hashable]]


class Following(NamedTuple):
    """One way to follow. `of` gives the keys of a cause, `by` those of a possible consequence.

    `follows`: codes; if it is empty, all codes that are not causes.
    """

    causes: tuple[str, ...]
    of: _Keys
    follows: tuple[str, ...]
    by: _Keys

    def may_follow(self, code: str) -> bool:
        """Whether a divergence with this code may follow from one of the causes."""
        return code in self.follows if self.follows else code not in self.causes


#: The first matching rule decides.
RULES = (
    # another version of the protocol is another conversation
    Following(("protocol-version",), at.everything, (), at.everything),
    # an answer to a permission that means something else leads to another turn
    Following(("permission-option-differs",), at.swapped_ids, (), at.behind_swapped_ids),
    # a request that goes to another session is missing in its own, and extra there
    Following(("session-crossed",), at.crossed, _CROSSED, at.in_crossed),
    # a tool call that is not made requests nothing, and a terminal that is not made has no output
    Following(("tool-call-missing", "tool-call-extra"), at.call,
         ("permission-missing", "permission-extra", *_UNASKED), at.asked_by_call),
    Following(("tool-call-missing",), at.call, ("request-params",), at.permitted_call),
    Following(_UNASKED, at.terminal_made, (*_UNASKED, "tool-call-status", "content-lost"), at.terminal_used),
    # another question has another answer
    Following(("request-params",), at.request, _OUTCOMES, at.request),
    # a tool call that did not wait for its permission asks for it too late
    Following(("tool-call-early",), at.too_late, ("request-order",), at.actual_request),
    # a tool call of another kind has other options
    Following(("tool-call-kind", "request-params"), at.permission_of_other_kind, _OPTIONS, at.always_options),
    # one change, everywhere in a tool call's content and files
    Following(("content-differs",), at.change_in_call, ("content-differs",), at.change_in_call),
    Following(("frame-differs",), at.change_in_call, ("frame-differs",), at.change_in_call),
    # a tool call that is not made leaves no file, and one with other content leaves that content
    Following(_WRITES, at.call, FILES, at.call),
    # what came in place of an expected answer
    Following(("noise", "response-extra"), at.behind_unanswered, _UNANSWERED, at.unanswered),
    # a flood of noise; a title that breaks the protocol is also another title
    Following(("flood",), at.last_lines, ("noise",), at.last_lines),
    Following(("finding-new",), at.field_of_finding, ("content-differs",), at.field),
    # a session that cannot be opened cannot be loaded either
    Following(("error-instead-of-result",), at.opened, ("error-instead-of-result",), at.loaded),
    # a turn that failed, or ended too early, can no longer be cancelled, and sends nothing more
    Following(("error-instead-of-result",), at.ended_turn, _STEPS, at.turn),
    Following(_STEPS, at.turn, ("stop-reason", *_UNSAID), at.turn),
    Following(("message-missing",), at.silent_turn, ("message-missing",), at.silent_turn),
    # a choice that is no longer offered is not set either; another requested value leads to another value
    Following(("choice-missing",), config.choices, ("request-params", *_VALUES), config.chosen),
    Following(("choice-missing",), config.listed_as_modes, ("choice-missing",), config.listed_as_choices),
    Following(("request-params",), config.requested, _VALUES, config.value),
    Following(_VALUES, config.value_of_modes, _VALUES, config.value_of_options),
    # an agent that sends no metadata at all
    Following(_NEVER_SET, config.no_metadata, _NEVER_SET, config.no_metadata),
)  # fmt: skip


def linked(
    divergences: Sequence[Divergence], stories: Callable[[], tuple[Story, Story]], order: RunOrder
) -> list[Divergence]:
    """Return the divergences; each that follows from another names the frame of its cause.

    That is the frame of the actual trace, or else that of the expected trace. `stories`: makes those of both
    traces, expected and actual. It is only called if something may follow. `order`: of both.
    """
    codes = {divergence.code for divergence in divergences if divergence.severity == "error"}
    rules = [rule for rule in RULES if codes & {*rule.causes} and any(map(rule.may_follow, codes))]
    if len(divergences) < 2 or not rules:
        return list(divergences)
    causes: dict[int, int] = {}  #: the place of a cause, by the place of its consequence
    sides = Sides(divergences, *stories())
    for rule in rules:
        for place, cause in _found(rule, sides):
            if place not in causes and place not in _chain(causes, cause):
                causes[place] = cause
    return [
        _below(divergence, [divergences[each] for each in _chain(causes, place)][1:], order)
        for place, divergence in enumerate(divergences)
    ]


def _found(rule: Following, sides: Sides) -> Iterator[tuple[int, int]]:
    """Yield the places of all consequences by a rule, each with that of its cause."""
    places: dict[Hashable, int] = {}
    for place, divergence in enumerate(sides.divergences):
        if divergence.code in rule.causes and divergence.severity == "error":
            for key in rule.of(divergence, sides):
                places.setdefault(key, place)
    if not places:
        return
    for place, divergence in enumerate(sides.divergences):
        if rule.may_follow(divergence.code) and divergence.severity == "error" and not divergence.follows:
            cause = next((places[key] for key in rule.by(divergence, sides) if key in places), place)
            if cause != place:
                yield place, cause


def _chain(causes: dict[int, int], place: int) -> list[int]:
    """Return a place, that of its cause, that of its cause's cause, and so on."""
    chain = [place]
    while chain[-1] in causes:
        chain.append(causes[chain[-1]])
    return chain


def _below(divergence: Divergence, chain: Sequence[Divergence], order: RunOrder) -> Divergence:
    """Return the divergence below the first of its causes that was not later than itself."""
    found = (order.below(divergence, cause) for cause in reversed(chain))
    return next((each for each in found if each.follows), divergence)
