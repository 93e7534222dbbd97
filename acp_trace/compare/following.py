"""Which divergences follow from which: a table. Pure.

A command that is not run has no terminal, so nobody asks for its output either: that is one defect, and not
four. Each rule names what can be the cause and what can follow from it, and where both are: they belong
together if they have a key in common, such as one terminal, one turn or one choice. What has no such key
stays a cause of its own, whatever stands beside it. All that follows is still told, below its cause.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from acp_trace.compare import following_config as config
from acp_trace.compare import following_keys as at
from acp_trace.compare.order import FILES, RunOrder
from acp_trace.compare.result import Divergence
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
    """One way to follow. `of` gives the keys of a cause, `by` those of what may follow from it.

    `follows`: codes; if it is empty, all that are no cause.
    """

    causes: tuple[str, ...]
    of: _Keys
    follows: tuple[str, ...]
    by: _Keys

    def may_follow(self, code: str) -> bool:
        """Whether a divergence with this code may follow from one of the causes."""
        return code in self.follows if self.follows else code not in self.causes


#: The first rule by which something follows decides.
RULES = (
    # another version of the protocol is another conversation
    Following(("protocol-version",), at.everything, (), at.everything),
    # an answer to a permission that means something else has another turn behind it
    Following(("permission-option-differs",), at.swapped_ids, (), at.behind_swapped_ids),
    # what is sent to another session is missing in its own, and too much there
    Following(("session-crossed",), at.crossed, _CROSSED, at.in_crossed),
    # a tool call that is not made asks for nothing, and a terminal that is not made has no output
    Following(("tool-call-missing", "tool-call-extra"), at.call,
         ("permission-missing", "permission-extra", *_UNASKED), at.asked_by_call),
    Following(("tool-call-missing",), at.call, ("request-params",), at.permitted_call),
    Following(_UNASKED, at.terminal_made, (*_UNASKED, "tool-call-status", "content-lost"), at.terminal_used),
    # another question has another answer
    Following(("request-params",), at.request, _OUTCOMES, at.request),
    # a tool call that did not wait for its permission asks too late
    Following(("tool-call-early",), at.too_late, ("request-order",), at.actual_request),
    # a tool call of another kind has other options
    Following(("tool-call-kind", "request-params"), at.permission_of_other_kind, _OPTIONS, at.always_options),
    # one change, in all that a tool call shows and writes
    Following(("content-differs",), at.change_in_call, ("content-differs",), at.change_in_call),
    Following(("frame-differs",), at.change_in_call, ("frame-differs",), at.change_in_call),
    # a tool call that is not made leaves no file, and one that shows something else leaves that
    Following(_WRITES, at.call, FILES, at.call),
    # what came in the place of an answer that is waited for
    Following(("noise", "response-extra"), at.behind_unanswered, _UNANSWERED, at.unanswered),
    # a flood of noise; a title that breaks the protocol is also another title
    Following(("flood",), at.last_lines, ("noise",), at.last_lines),
    Following(("finding-new",), at.field_of_finding, ("content-differs",), at.field),
    # a session that cannot be opened cannot be loaded either
    Following(("error-instead-of-result",), at.opened, ("error-instead-of-result",), at.loaded),
    # a turn that failed, or is over too early, cannot be cancelled any more, and says no more
    Following(("error-instead-of-result",), at.ended_turn, _STEPS, at.turn),
    Following(_STEPS, at.turn, ("stop-reason", *_UNSAID), at.turn),
    Following(("message-missing",), at.silent_turn, ("message-missing",), at.silent_turn),
    # what is no longer offered is not set either; another value that was asked for is another value then
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
    """The divergences; each that follows from another names the frame of its cause.

    That is the frame of the actual trace, or if there is none, that of the expected trace. `stories`: makes
    those of both traces, expected and actual. It is asked only if something may follow. `order`: of both.
    """
    codes = {divergence.code for divergence in divergences if divergence.severity == "error"}
    rules = [rule for rule in RULES if codes & {*rule.causes} and any(map(rule.may_follow, codes))]
    if len(divergences) < 2 or not rules:
        return list(divergences)
    causes: dict[int, int] = {}  #: by the place of what follows, that of its cause
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
    """The places of all that follows by a rule, each with that of its cause."""
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
    """A place, that of its cause, that of the cause of that, and so on."""
    chain = [place]
    while chain[-1] in causes:
        chain.append(causes[chain[-1]])
    return chain


def _below(divergence: Divergence, chain: Sequence[Divergence], order: RunOrder) -> Divergence:
    """The divergence below the first of its causes that did not come later than itself."""
    found = (order.below(divergence, cause) for cause in reversed(chain))
    return next((each for each in found if each.follows), divergence)
