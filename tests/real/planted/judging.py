"""A fault in a run, and what the verdict of a replay says of it: the judge of `acp-trace replay`, and no process. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

import msgspec

from acp_trace.analyze.facts import Facts
from acp_trace.compare import model_places
from acp_trace.compare.causes import causes
from acp_trace.compare.codes import MATCHES, Match
from acp_trace.compare.model_reader import ModelReader
from acp_trace.model.exchange import ModelExchange
from acp_trace.model.matching.matcher import Matcher
from acp_trace.model.matching.shapes import MatchedCall, ModelRequest
from acp_trace.replay.left_files import LeftBoth, LeftDirectory, LeftFiles
from acp_trace.replay.settings import Settings
from acp_trace.replay.verdict.verdict import ReplayVerdict, judge_run
from acp_trace.story.reader import EventReader
from acp_trace.trace.entries import Entry
from acp_trace.trace.parse import Parser
from tests.real.planted.edits import Fault
from tests.real.planted.file_faults import FileFault
from tests.real.planted.model_faults import ModelFault
from tests.real.planted.tape import Json, Tape

#: At `exact`, real agents differ by themselves.
LEVELS: tuple[Match, ...] = tuple(match for match in MATCHES if match != "exact")

AnyFault = Fault | ModelFault | FileFault


class Said(NamedTuple):
    """What a verdict says at a level: whether the replay fails, by which code first, and which codes are notes."""

    fails: bool
    first: str
    message: str
    notes: tuple[str, ...]


#: A run, and what it left, if that is compared.
_Planted = tuple[bytes, Mapping[int, LeftDirectory] | None]


class Stage:
    """A recording of an agent, and a replay of it, in which nothing differs."""

    def __init__(self, recorded: bytes, run: bytes, left: Mapping[int, LeftDirectory] | None = None) -> None:
        """`left`: what the recording's directories hold at the end, if its snapshot says so."""
        self._recorded = entries_of(recorded)
        self._run = run
        self._left = left or {}
        self._roots = [_directories(recorded), _directories(run)]

    def said(self, fault: AnyFault | None) -> dict[Match, Said] | None:
        """What is said of a fault at each level; None if it changes nothing in this run. Without one: of the run."""
        planted = self._planted(fault)
        return None if planted is None else {match: _said(self._judged(*planted, match)) for match in LEVELS}

    def verdict(self, fault: AnyFault) -> ReplayVerdict | None:
        """The verdict at `content`; None if the fault changes nothing in this run."""
        planted = self._planted(fault)
        return None if planted is None else self._judged(*planted, "content")

    def _planted(self, fault: AnyFault | None) -> _Planted | None:
        """The run with a fault in it, and what it left. Frames prove nothing of files, so both are never changed."""
        if fault is None:
            return self._run, self._left
        if isinstance(fault, FileFault):
            left = {number: fault.planted(each) for number, each in self._left.items()}
            return None if left == self._left else (self._run, left)
        tape = Tape(self._run)
        before = tape.written()
        if isinstance(fault, Fault):
            fault.edit(tape)
            is_hit = tape.written() != before
        else:
            is_hit = self._tell_model(tape, fault)
        return (tape.written(), None) if is_hit else None

    def _judged(self, run: bytes, left: Mapping[int, LeftDirectory] | None, match: Match) -> ReplayVerdict:
        files = None if left is None else self._files(left)
        return judged(self._recorded, entries_of(run), Settings(match=match), files)

    def _files(self, left: Mapping[int, LeftDirectory]) -> LeftBoth:
        trace = _facts(self._recorded).trace.id
        expected, actual = ({number: (roots[number],) for number in self._left} for roots in self._roots)
        return LeftBoth(LeftFiles(trace, expected, self._left), LeftFiles(trace, actual, left))

    # -- the model's side

    def _tell_model(self, tape: Tape, fault: ModelFault) -> bool:
        """The agent's requests to its model are others, and are answered as a replay answers them.

        Returns whether one is another.
        """
        run = entries_of(tape.written())
        sides = _read(self._recorded), _read(run)
        facts = _facts(self._recorded), _facts(run)
        matcher = Matcher(sides[0].calls, model_places.places(sides, facts))
        numbers = itertools.count(max(sides[1].exchanges, default=0) + 1)
        is_hit = False
        for place, exchange in enumerate(_calls(sides[1])):
            sent = exchange.request_body or b"{}"
            was = msgspec.json.decode(sent)
            body = deepcopy(was)
            fault.edit(body, place)
            told = sent if body == was else msgspec.json.encode(body)
            calls = fault.calls if fault.calls == 2 or place == _MIDDLE else 1
            is_hit = is_hit or body != was or calls != 1
            lines = [line for line in tape.lines if _exchange(line) == exchange.number]
            if not calls:
                tape.drop(lines)
            for again in range(calls):
                number = next(numbers) if again else exchange.number
                answer = matcher.match(
                    ModelRequest(
                        exchange.method, exchange.host, exchange.path, exchange.request_headers, told
                    )
                )
                made = [*_told(lines, number, told, _served(answer))]
                if again:
                    at = tape.lines.index(lines[-1]) + 1
                    tape.lines[at:at] = made
                else:
                    _replace(tape, lines, made)
                lines = made
        return is_hit


_MIDDLE = 3  #: the call that is left out, if one is


def _exchange(line: Json) -> int | None:
    event = line.get("model")
    return event.get("exchange") if isinstance(event, dict) else None


def _replace(tape: Tape, lines: list[Json], made: list[Json]) -> None:
    """Lines in the places of others, one by one."""
    places = [place for place, line in enumerate(tape.lines) if any(line is one for one in lines)]
    for place, line in zip(places, made, strict=True):
        tape.lines[place] = line


def _told(lines: list[Json], number: int, body: bytes, served: Json) -> Iterator[Json]:
    """The lines of an exchange, with another number, body and answer's origin."""
    is_told = False
    for line in lines:
        event = {**line["model"], "exchange": number}
        if "sent" in event:
            event["sent"] = "" if is_told else body.decode()
            is_told = True
        if "sent_end" in event:
            if not is_told:
                event["sent"] = body.decode()
            event["sent_end"] = {
                "body": line["model"]["sent_end"]["body"] + (number - line["model"]["exchange"]),
                "size": len(body),
            }
        if "served" in event:
            event["served"] = served
        yield {**line, "model": event}


def _served(answer: Any) -> Json:
    if isinstance(answer, MatchedCall):
        return {"call": answer.call.call, "level": answer.level, **({"again": True} if answer.again else {})}
    return {"call": None, "nearest": None if answer.nearest is None else answer.nearest.call}


def _calls(reader: ModelReader) -> list[ModelExchange]:
    """The exchanges of a run that are calls of a model, in their order."""
    found = {call.exchange for call in reader.calls}
    return [
        exchange
        for number, exchange in sorted(reader.exchanges.items())
        if number in found and exchange.request_body
    ]


def _said(verdict: ReplayVerdict) -> Said:
    found = list(verdict.comparison.divergences)
    errors = causes(one for one in found if one.severity == "error")
    own = [cause.first for cause in errors if not cause.first.follows] or [cause.first for cause in errors]
    first = own[0] if own else None
    notes = dict.fromkeys(one.code for one in found if one.severity == "note")
    return Said(not verdict.passed, first.code if first else "", first.message if first else "", tuple(notes))


# -- traces


def entries_of(trace: bytes) -> list[Entry]:
    """The entries of a whole trace."""
    parser = Parser()
    entries = parser.feed(trace)
    last, _ = parser.finish()
    return [*entries, *([last] if last else [])]


def judged(
    recorded: list[Entry], run: list[Entry], settings: Settings, files: LeftBoth | None = None
) -> ReplayVerdict:
    """The verdict of a run that went to its end."""
    return judge_run(recorded, run, [], settings, died=False, steps=1, sent=1, files=files)


def _directories(trace: bytes) -> list[str]:
    """Where sessions were opened, in order."""
    opened = (line["frame"].get("params") for line in Tape(trace).sent("client"))
    return list(dict.fromkeys(params["cwd"] for params in opened if params and "cwd" in params))


def _read(entries: list[Entry]) -> ModelReader:
    reader = ModelReader()
    for entry in entries:
        reader.feed(entry)
    return reader


def _facts(entries: list[Entry]) -> Facts:
    reader = EventReader()
    for entry in entries:
        reader.feed(entry)
    return reader.facts()
