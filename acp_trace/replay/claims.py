"""Which recorded request a live one is: the first unclaimed one of its session and method that fits best.

What must fit is what the comparison looks at (`compare.keys`): the path for files, command and arguments for
terminals, the tool's kind and the kinds of options for permissions. Of several that fit, one of the same
turn comes first, then one with the same words (a prompt's text, a tool call's title), then the first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from acp_trace.compare import keys, pointers
from acp_trace.compare.folders import Folders
from acp_trace.compare.lens import Lens
from acp_trace.compare.masks import Masks
from acp_trace.compare.pointers import NOTHING
from acp_trace.compare.story import Call, Request
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import Kind
from acp_trace.replay.plan import Plan
from acp_trace.replay.recording import Said, Turn
from acp_trace.trace import jsontext


class _Field(NamedTuple):
    """One thing that must fit. `any_of`: the texts that stand for it, of which one must be the same.

    None at all fit everything. `shown`: how people are told of it.
    """

    name: str
    shown: str
    any_of: frozenset[str]

    @property
    def told(self) -> str:
        return str(pointers.shown(self.shown, 60))

    def fits(self, other: _Field) -> bool:
        return not (self.any_of and other.any_of) or bool(self.any_of & other.any_of)


_Fields = tuple[_Field, ...]
#: A bucket of recorded requests: their session and method.
_Where = tuple[str | None, str]
_Kinds = Mapping[tuple[str | None, str], frozenset[str]]
_KIND = ("params", "toolCall", "kind")
_NEAR = 200  #: unclaimed requests of one kind that are looked at: more would only make a flood slow


@dataclass(frozen=True, slots=True)
class Asked:
    """A live request. `session` and `turn` as the recording calls them; None where it knows no such thing."""

    method: str
    params: dict[str, Any]
    session: str | None
    turn: int | None
    tool_kind: str | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """What a live request is. `said` is None where the recording has no answer for it.

    `nearest` is the recorded request that is most like it, `why` says why that does not match.
    """

    said: Said | None
    nearest: Said | None = None
    why: str | None = None


@dataclass(slots=True)
class _Recorded:
    said: Said
    request: Request
    hint: str | None
    turn: int | None
    fields: _Fields


class Claims:
    """Hands out the recorded requests of the live side, each once."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._ours = Lens("expected", Folders(plan.recording.folders), Masks())
        self._theirs = Lens("got", Folders([]), Masks())
        self._left: dict[_Where, dict[int, _Recorded]] = defaultdict(dict)
        self._all: dict[str, list[_Recorded]] = defaultdict(list)
        self._where: dict[int, _Where] = {}
        self._given_up: set[int] = set()
        self._polled: dict[tuple[str | None, _Fields], Said] = {}
        self._turns: dict[str, list[Turn]] = defaultdict(list)
        for turn in plan.recording.turns.values():
            self._turns[turn.session].append(turn)
        kinds = _tool_kinds(plan)
        for said in plan.recording.said:
            if said.sender == plan.live and said.kind is Kind.REQUEST:
                recorded = self._recorded(said, kinds)
                where = self._where[said.frame] = _where(recorded.request.session_id, said.method or "")
                self._left[where][said.frame] = recorded
                self._all[said.method or ""].append(recorded)

    def lives_in(self, folders: Sequence[str]) -> None:
        """Says in which folders the live run goes on, so that paths can be told from there."""
        self._theirs = Lens("got", Folders(folders), Masks())

    def claim(self, asked: Asked, *, nearest: bool = False) -> Claim:
        """The recorded request for a live one; `nearest` takes one that does not match where there is one."""
        request = _request(asked.method, asked.params, asked.session, asked.tool_kind)
        fields = _fields(request, self._theirs, frozenset())
        hint = keys.hint(request, self._theirs)
        found = self._best(asked, fields, hint)
        fits = found is not None and _fit(found.fields, fields)
        if found is not None and (fits or nearest):
            self._left[self._where[found.said.frame]].pop(found.said.frame)
            if asked.method in keys.POLLS:
                self._polled[asked.session, fields] = found.said
            return Claim(found.said) if fits else Claim(found.said, found.said, _unlike(found, fields))
        if asked.method in keys.POLLS and (asked.session, fields) in self._polled:
            return Claim(self._polled[asked.session, fields])
        miss = self._miss(asked, fields, found)
        return Claim(miss.nearest, miss.nearest, miss.why) if nearest else miss

    def drop(self, frame: int) -> None:
        """Gives up a recorded request: it can be claimed no more."""
        self._left[self._where[frame]].pop(frame, None)
        self._given_up.add(frame)

    def _best(self, asked: Asked, fields: _Fields, hint: str | None) -> _Recorded | None:
        waiting = islice(self._left[_where(asked.session, asked.method)].values(), _NEAR)

        best, how_well = None, (-1, False, False, False)
        for one in waiting:
            same = sum(map(_Field.fits, one.fields, fields))
            here = one.request.session_id == asked.session
            well = same, here, one.turn in (None, asked.turn), one.hint == hint
            if well > how_well:
                best, how_well = one, well
            if well == (len(fields), True, True, True):
                break
        return best

    def _miss(self, asked: Asked, fields: _Fields, best: _Recorded | None) -> Claim:
        if best is not None:
            return Claim(None, best.said, _unlike(best, fields))
        known = self._all.get(asked.method, [])
        if not known:
            return Claim(None, None, f"the recording has no {asked.method}")
        here = [one for one in known if one.request.session_id == asked.session]
        if not here:
            return Claim(None, known[0].said, "it stands in another session")
        same = [one for one in here if _fit(one.fields, fields)] or here
        told = "was asked already" if len(same) == 1 else f"all {len(same)} were asked already"
        if same[-1].said.frame in self._given_up:
            told = "was given up when its turn was over"
        return Claim(None, same[-1].said, told)

    def _recorded(self, said: Said, kinds: _Kinds) -> _Recorded:
        params = said.part("params")
        call = params.get("toolCall")
        named = call.get("toolCallId") if isinstance(call, dict) else None
        session = params.get("sessionId")
        request = _request(
            said.method or "",
            params,
            session if isinstance(session, str) else None,
            None,
        )
        fields = _fields(request, self._ours, kinds.get((said.session, str(named)), frozenset()))
        return _Recorded(said, request, keys.hint(request, self._ours), self._turn(said), fields)

    def _turn(self, said: Said) -> int | None:
        """The open turn, of its session, that began last. What a client asks is not asked for by a turn."""
        if self._plan.own == "agent":
            return None
        turns = self._turns.get(said.session or "", [])
        at = bisect_left(turns, said.frame, key=lambda one: one.frame)
        turn = turns[at - 1] if at else None
        return None if turn is None or (turn.settled or said.frame) < said.frame else turn.frame


def _request(method: str, params: dict[str, Any], session: str | None, kind: str | None) -> Request:
    call = None if kind is None else Call("", kind, None, 0, [], 0, [], None, announced=True)
    return Request(0, "", method, session, None, params, None, "open", None, None, call)


def _where(session: str | None, method: str) -> _Where:
    """Where a request is looked for. Whoever opens a session may know it by a name of its own."""
    return (None if method in methods.OPENERS else session), method


def _fields(request: Request, lens: Lens, kinds: frozenset[str]) -> _Fields:
    """What must fit. `kinds`: all that the tool call of a permission ever was, beside what is said there.

    A path fits by where it lies in its folder, or as it stands. A terminal's id is the own side's, so that
    it must fit as it is.
    """
    found: list[_Field] = []
    for path, value in keys.params(request):
        if path == _KIND:
            of = {value} if isinstance(value, str) else set()
            found.append(_Field(pointers.written(path), str(value), kinds | of))
            continue
        text = "" if value is NOTHING else lens.text(value, path)
        plain = text if value is NOTHING else jsontext.canonical(value)
        found.append(_Field(pointers.written(path), text, frozenset({text, plain})))
    if request.method.startswith("terminal/") and "terminalId" in request.params:
        named = jsontext.canonical(request.params["terminalId"])
        found.append(_Field("/params/terminalId", named, frozenset({named})))
    return tuple(found)


def _fit(one: _Fields, other: _Fields) -> bool:
    return len(one) == len(other) and all(map(_Field.fits, one, other))


def _unlike(one: _Recorded, fields: _Fields) -> str:
    """Why a recorded request does not match."""
    unlike = [
        f"{was.name[len('/params/') :]} was {was.told}, is {now.told}"
        for was, now in zip(one.fields, fields, strict=False)
        if not was.fits(now)
    ]
    return "; ".join(unlike) or "its parameters differ"


def _tool_kinds(plan: Plan) -> _Kinds:
    """All kinds that the tool calls of the recording ever had, by session and id."""
    found: dict[tuple[str | None, str], set[str]] = defaultdict(set)
    for said in plan.recording.said:
        if said.update in (updates.TOOL_CALL, updates.TOOL_CALL_UPDATE):
            update = said.part("params").get("update")
            if not isinstance(update, dict):
                continue
            named, kind = update.get("toolCallId"), update.get("kind")
            if isinstance(named, str) and isinstance(kind, str):
                found[said.session, named].add(kind)
    return {key: frozenset(kinds) for key, kinds in found.items()}
