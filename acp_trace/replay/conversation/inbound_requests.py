"""Matches an inbound request to the recorded request that fits best.

A request is matched by its method, its parameters and the kind of its tool. The comparison decides what must
fit (`request_fit`): the path for files, command and arguments for terminals, the tool's kind and the kinds of
options for permissions. Of several that fit, a request of the same turn comes first, then one with the same
words (a prompt's text, a tool call's title), then the first. Each is matched once, except polls and files: a
file that is read or written again gets the same answer again.

A turn's additional request does not get the answer of a later turn, which needs it itself. Only if the
recorded turn has no such request at all, the request may have moved: then it gets that answer, at once. A
permission of the same turn also matches if it is about another kind of tool, or has other options, as long as
it offers the recorded choice: the comparison reports the difference.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from acp_trace.compare.pairing.request_fit import RequestField, RequestFields, fields_of, is_offered
from acp_trace.compare.pairing.request_keys import POLLS
from acp_trace.normalize.moved_places import MovedPlaces
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.payloads import ParamsView, ResultView
from acp_trace.replay.plan.recording import RecordedMessage, RecordedTurn
from acp_trace.replay.plan.steps import Plan

#: A bucket of recorded requests: their session and method.
_Bucket = tuple[str | None, str]
_Kinds = Mapping[tuple[str | None, str], frozenset[str]]
#: Requests with the same answer every time, as far as the player can know.
_FILES = frozenset({methods.READ_FILE, methods.WRITE_FILE})
_AGAIN = _FILES | POLLS
_UNREAD = RequestFields()
_NEAR = 200  #: unmatched requests of one kind that are examined: more would only slow down a flood


@dataclass(frozen=True, slots=True)
class Match:
    """The match of a request of the peer. `request` is None if the recording has no answer for it.

    `nearest` is the most similar recorded request, `why` the reason why it does not match. `chosen`: the
    recorded option that its answer selects. `again`: its answer is given again, or before its request.
    `moved`: it was recorded in another turn.
    """

    request: RecordedMessage | None
    nearest: RecordedMessage | None = None
    why: str | None = None
    chosen: str | None = None
    again: bool = False
    moved: bool = False

    @property
    def fits(self) -> bool:
        """Whether the recording has this request, and not just a similar one."""
        return self.request is not None and self.nearest is None


@dataclass(slots=True)
class _Recorded:
    message: RecordedMessage
    session: str | None  #: as named in the request
    turn: int | None
    chosen: str | None  #: the option that the answer to a permission selects
    tool_kinds: frozenset[str]  #: all kinds that its tool call had
    fields: RequestFields = _UNREAD

    def read(self, normalizer: Normalizer) -> None:
        """Read what must fit, with the directories that the normalizer knows."""
        method, params = self.message.method or "", self.message.part("params")
        self.fields = fields_of(method, params, None, normalizer, self.tool_kinds)


class RecordedRequests:
    """Hands out the recorded requests of the peer, each once."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._places = MovedPlaces()
        self._left: dict[_Bucket, dict[int, _Recorded]] = defaultdict(dict)
        self._all: dict[str, list[_Recorded]] = defaultdict(list)
        self._where: dict[int, _Bucket] = {}
        self._given_up: set[int] = set()
        #: For repeated answers: the request that was matched last, by session and method.
        self._latest: dict[tuple[str | None, str, tuple[RequestField, ...]], RecordedMessage] = {}
        self._has_own: set[tuple[_Bucket, int | None]] = set()  #: which turns have requests of a bucket
        self._turns: dict[str, list[RecordedTurn]] = defaultdict(list)
        for turn in plan.recording.turns.values():
            self._turns[turn.session].append(turn)
        kinds = _tool_kinds(plan)
        for message in plan.recording.messages:
            if message.sender == plan.peer and message.kind is MessageKind.REQUEST:
                recorded = self._recorded(message, kinds)
                where = self._where[message.frame] = _where(recorded.session, message.method or "")
                self._left[where][message.frame] = recorded
                self._has_own.add((where, recorded.turn))
                self._all[message.method or ""].append(recorded)
        self._read_all()

    def move(self, places: MovedPlaces) -> None:
        """Set which directory of the run corresponds to which recorded one: paths are compared by that."""
        if places != self._places:
            self._places = places
            self._read_all()

    def _read_all(self) -> None:
        """Read all requests with these directories, even matched ones, because files are read again."""
        expected = Normalizer("expected", self._places.recorded)
        self._actual = Normalizer("actual", self._places.actual)
        for of_method in self._all.values():
            for recorded in of_method:
                recorded.read(expected)

    def match(
        self,
        method: str,
        params: dict[str, Any],
        tool_kind: str | None,
        *,
        session: str | None,
        turns: Sequence[int] = (),
        nearest: bool = False,
    ) -> Match:
        """Return the recorded request for one of the peer; it is not matched again.

        `session` and its open `turns`, the oldest first, have their recorded names. `nearest`: if none fits,
        return the most similar one. If two requests read `/w/a`, in turns 5 and 9, then
        `match("fs/read_text_file", {"path": "/w/a"}, None, session="s", turns=[9])` returns that of turn 9.
        """
        fields = fields_of(method, params, tool_kind, self._actual, frozenset())
        best = self._best(method, session, turns, fields)
        fits = best is not None and _fits(best, turns, params, fields)
        if best is not None and (fits or nearest):
            self._left[self._where[best.message.frame]].pop(best.message.frame)
            if method in _AGAIN:
                self._latest[session, method, fields.fields] = best.message
            moved = best.turn is not None and best.turn not in turns
            if fits:
                return Match(best.message, chosen=best.chosen, moved=moved)
            why = best.fields.fit(fields).why
            return Match(best.message, best.message, why, best.chosen, moved=moved)
        if method in _AGAIN and (known := self._known(method, session, fields)) is not None:
            return Match(known, again=True)
        miss = self._miss(method, session, fields, best)
        return Match(miss.nearest, miss.nearest, miss.why, again=True) if nearest else miss

    def _known(self, method: str, session: str | None, fields: RequestFields) -> RecordedMessage | None:
        """Return the request whose answer is repeated: the one matched last, or one of another turn."""
        latest = self._latest.get((session, method, fields.fields))
        if latest is not None or method in POLLS:
            return latest
        alike = (each for each in islice(self._all[method], _NEAR) if each.fields.fit(fields).whole)
        return next((each.message for each in alike if each.session == session), None)

    def _chosen(self, request: RecordedMessage) -> str | None:
        """Return the option that the recorded answer to a permission selects; None if it selects none."""
        step = self._plan.answers.get(request.frame)
        if request.method != methods.PERMISSION or step is None or step.message is None:
            return None
        return ResultView(step.message.part("result")).outcome.option_id

    def drop(self, frame: int) -> None:
        """Give up a recorded request: it is not matched any more."""
        self._left[self._where[frame]].pop(frame, None)
        self._given_up.add(frame)

    def _best(
        self, method: str, session: str | None, turns: Sequence[int], fields: RequestFields
    ) -> _Recorded | None:
        where = _where(session, method)
        best, how_well = None, (-1, False, False, False)
        stays = method in _FILES or any((where, turn) in self._has_own for turn in turns)
        for recorded in islice(self._left[where].values(), _NEAR):
            if stays and recorded.turn is not None and recorded.turn not in turns:
                continue
            fit = recorded.fields.fit(fields)
            same_session = recorded.session == session
            well = fit.number, same_session, recorded.turn in (None, *turns[:1]), fit.alike
            if well > how_well:
                best, how_well = recorded, well
            if well == (len(fields.fields), True, True, True):
                break
        return best

    def _miss(self, method: str, session: str | None, fields: RequestFields, best: _Recorded | None) -> Match:
        if best is not None:
            return Match(None, best.message, best.fields.fit(fields).why)
        recorded = self._all.get(method, [])
        if not recorded:
            return Match(None, None, f"the recording has no {method}")
        of_session = [each for each in recorded if each.session == session]
        if not of_session:
            return Match(None, recorded[0].message, "it is in another session")
        same = [each for each in of_session if each.fields.fit(fields).whole] or of_session
        why = "was already used" if len(same) == 1 else f"all {len(same)} were already used"
        frame = same[-1].message.frame
        if frame in self._given_up:
            why = "was given up when its turn was over"
        elif frame in self._left[self._where[frame]]:
            why = "it belongs to another turn"
        return Match(None, same[-1].message, why)

    def _recorded(self, message: RecordedMessage, kinds: _Kinds) -> _Recorded:
        params = message.part("params")
        call_id = ParamsView(params).tool_call.tool_call_id
        return _Recorded(
            message,
            ParamsView(params).session_id,
            self._turn(message),
            self._chosen(message),
            kinds.get((message.session, str(call_id)), frozenset()),
        )

    def _turn(self, message: RecordedMessage) -> int | None:
        """Return the open turn of the message's session that began last; None for a client's requests."""
        if self._plan.own == "agent":
            return None
        turns = self._turns.get(message.session or "", [])
        at = bisect_left(turns, message.frame, key=lambda turn: turn.frame)
        turn = turns[at - 1] if at else None
        return None if turn is None or (turn.settled or message.frame) < message.frame else turn.frame


def _where(session: str | None, method: str) -> _Bucket:
    """Return the bucket of a request; without the session if it opens that, because its id may differ."""
    return (None if method in methods.OPENERS else session), method


def _fits(recorded: _Recorded, turns: Sequence[int], params: dict[str, Any], fields: RequestFields) -> bool:
    """Whether a request is the recorded one. A permission of another turn needs the same title, too."""
    same_turn = recorded.turn is None or recorded.turn in turns
    fit = recorded.fields.fit(fields)
    if fit.whole:
        is_permission = recorded.message.method == methods.PERMISSION
        return same_turn or not is_permission or (fields.hint is not None and fit.alike)
    return same_turn and _is_answerable(recorded, params)


def _is_answerable(recorded: _Recorded, actual: dict[str, Any]) -> bool:
    """Whether a differing permission request can be given its recorded answer."""
    if recorded.message.method != methods.PERMISSION:
        return False
    expected = recorded.message.part("params")
    return recorded.chosen is None or is_offered(recorded.chosen, expected, actual)


def _tool_kinds(plan: Plan) -> _Kinds:
    """Return all kinds that the recording's tool calls had, by session and id."""
    kinds: dict[tuple[str | None, str], set[str]] = defaultdict(set)
    for message in plan.recording.messages:
        if message.update in updates.TOOL_CALLS:
            call = ParamsView(message.part("params")).update
            if call.tool_call_id is not None and call.kind is not None:
                kinds[message.session, call.tool_call_id].add(call.kind)
    return {key: frozenset(values) for key, values in kinds.items()}
