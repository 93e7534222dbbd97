"""What a permission shows, and what then runs: places that agree in one trace and not in the other.

Agents show it in different places: the raw input, the title, a text, a path. So no place is required. Values
of one trace are only compared with values of the same trace, because another model may run another command:
if a member of the tool call was in a place of the expected permission, the same member must be in that place
of the actual one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from acp_trace.normalize import pointers
from acp_trace.normalize.quotes import SHORTEST, same, shows
from acp_trace.protocol import methods
from acp_trace.story.model import Request, Story
from acp_trace.trace.entries import AFTER_ALL
from acp_trace.trace.jsontext import as_object, objects, value_or_none

_SHOWN = 80  #: characters of a command, at most
_LONGEST = 10_000  #: longest value that is looked for in a text: a longer one is the content of a file
_QUOTES = dict.fromkeys(map(ord, "\"'\\"))
_RUNS = ("terminal/create",)
_RAW = "raw input "

#: The texts that may show one value.
_Texts = tuple[str, ...]


#: The fate of a value: a command runs, a file is written …
Does = Literal["runs", "writes", "reads", "changes", "names"]


class Held(NamedTuple):
    """One value that a place was compared with. `weight`: among how many; `frames`: those of all."""

    agrees: bool
    runs: str
    weight: int = 1
    does: Does = "runs"
    frames: tuple[int, ...] = ()


class Shown(NamedTuple):
    """What one place of a permission shows, and the values it was compared with, by their names.

    `is_vague`: it reveals nothing about what runs, and so nothing wrong.
    """

    text: str
    held: dict[str, Held]
    is_vague: bool = False


class Misleading(NamedTuple):
    """A place that shows something other than what runs."""

    place: str
    shows: str
    runs: str
    does: Does
    frames: tuple[int, ...]  #: of the actual trace, with what runs


def misleading(expected: Mapping[str, Shown], actual: Mapping[str, Shown]) -> Iterator[Misleading]:
    """Yield the places that showed what ran in the expected trace, and do not in the actual one."""
    for place, was in expected.items():
        now = actual.get(place)
        if now is None or now.is_vague or any(held.agrees for held in now.held.values()):
            continue
        for name, held in was.held.items():
            other = now.held.get(name)
            if held.agrees and other is not None and other.weight >= held.weight:
                yield Misleading(place, now.text, other.runs, other.does, other.frames)
                break


def in_words(found: Misleading) -> tuple[str, str]:
    """Return what is shown, and what runs; long texts of a file from shortly before they differ."""
    if found.does == "runs":
        return pointers.shown(found.shows, _SHOWN), pointers.shown(found.runs, _SHOWN)
    return pointers.shown_pair(found.shows, found.runs)


def repeated(places: Mapping[str, Shown]) -> set[str]:
    """Return the places that repeat the tool call: other values there are reported for the tool call."""
    raw = [shown for place, shown in places.items() if place.startswith(_RAW)]
    names = (
        {"raw input"} if raw and all(each.agrees for shown in raw for each in shown.held.values()) else set()
    )
    title = places["title"].held.get("title") if "title" in places else None
    return names | {"title"} if title is not None and title.agrees else names


class Permissions:
    """The permissions of one trace, and their tool calls."""

    def __init__(self, story: Story) -> None:
        self._story = story
        asked = {
            _call_id(request)
            for session in story.sessions.values()
            for request in session.requests["agent"]
            if request.method == methods.PERMISSION
        }
        self._updates: dict[tuple[str | None, str], list[tuple[int, dict[str, Any]]]] = defaultdict(list)
        for event in story.events if asked else ():
            if event.call_id is not None and event.call_id in asked:
                update = pointers.at(value_or_none(event.text), ("params", "update"))
                self._updates[event.session_id, event.call_id].append((event.frame, update))

    def shown(self, permission: Request) -> dict[str, Shown]:
        """Return the places in which a permission shows what runs, with what is known of that."""
        updates = self.updates(permission)
        raw = raw_input(*(update for _, update in updates))
        frames = tuple(frame for frame, update in updates if "rawInput" in update or _title(update))
        titles = dict.fromkeys(title for _, update in updates if (title := _title(update)))
        call = tool_call(permission)
        asked, title, texts = raw_input(call), _title(call), _texts_in(call)
        places = {
            f"raw input {name}": Shown(
                asked[name][0],
                {name: Held(same(asked[name][0], raw[name][0]), raw[name][0], frames=frames)},
            )
            for name in asked
            if name in raw
        }
        is_vague = _only_names(title, call)
        if title:
            places["title"] = Shown(title, _held([title], raw, frames), is_vague)
            places["title beside its raw input"] = Shown(title, _held([title], asked), is_vague)
            if titles:
                agrees = any(same(title, each) for each in titles)
                places["title"].held["title"] = Held(agrees, [*titles][-1], len(titles), frames=frames)
        if texts:
            places["text"] = Shown(texts[0], _held(texts, raw, frames))
        if lines := {request.frame: _line(request) for request in self.requests(permission, _RUNS)}:
            shown = asked or {"title": (title,), "text": tuple(texts)}
            places["command"] = _run(shown, lines)._replace(is_vague=not (asked or texts) and is_vague)
            places["command of the tool call"] = _run(raw, lines)
        return places

    def updates(self, permission: Request) -> list[tuple[int, dict[str, Any]]]:
        """Return the updates of its tool call in its turn, with the frames."""
        begin, end = self._turn(permission)
        key = permission.session_id, _call_id(permission)
        return [(frame, update) for frame, update in self._updates.get(key, ()) if begin < frame < end]

    def _turn(self, permission: Request) -> tuple[int, int]:
        """Return the first and last frame of its turn."""
        turn = self._story.turn_at(permission.session_id or "", permission.where)
        return (0, AFTER_ALL) if turn is None else (turn.frame, turn.settled_frame or AFTER_ALL)

    def requests(self, permission: Request, methods: Collection[str]) -> Iterator[Request]:
        """Yield the requests that may follow from an answer: those until the tool call is over."""
        begin, (_, end) = permission.response_frame, self._turn(permission)
        session = self._story.sessions.get(permission.session_id or "")
        if begin is None or session is None:
            return
        if permission.call is not None and permission.call.end is not None:
            end = min(end, permission.call.end)
        yield from between(session.requests["agent"], begin, end, methods)


def between(requests: Sequence[Request], begin: int, end: int, methods: Collection[str]) -> Iterator[Request]:
    """Yield the requests of some methods between two frames; `requests` come in order."""
    for at in range(bisect_right(requests, begin, key=lambda request: request.frame), len(requests)):
        if requests[at].frame >= end:
            return
        if requests[at].method in methods:
            yield requests[at]


def tool_call(permission: Request) -> dict[str, Any]:
    """Return a permission's tool call."""
    return as_object(permission.params.get("toolCall"))


def _held(texts: Iterable[str], raw: Mapping[str, _Texts], frames: tuple[int, ...] = ()) -> dict[str, Held]:
    """Return some texts, compared with each member of a tool call's raw input."""
    return {
        name: Held(any(shows(text, value) for text in texts for value in values), values[0], frames=frames)
        for name, values in raw.items()
        if SHORTEST <= len(values[0]) <= _LONGEST
    }


def _line(request: Request) -> str:
    """Return the command line of a terminal."""
    return " ".join([*_strings([request.params.get("command")]), *_strings(request.params.get("args"))])


def _run(shown: Mapping[str, _Texts], lines: Mapping[int, str]) -> Shown:
    """Return what is shown, compared with the commands that ran after it, by their frames.

    Their quoting does not matter.
    """
    plain = [line.translate(_QUOTES) for line in lines.values()]
    held = {
        name: Held(
            any(shows(line, value.translate(_QUOTES)) for line in plain for value in values),
            next(iter(lines.values())),
            len(lines),
            frames=tuple(lines),
        )
        for name, values in shown.items()
        if values and SHORTEST <= len(values[0]) <= _LONGEST
    }
    first = next((values[0] for name, values in shown.items() if name in held), "")
    return Shown(first, held)


def raw_input(*calls: Mapping[str, Any]) -> dict[str, _Texts]:
    """Return the text members of raw inputs, each with its last value: a command may be a list of words."""
    raw: dict[str, _Texts] = {}
    for call in calls:
        given = call.get("rawInput")
        for name, value in given.items() if isinstance(given, dict) else ():
            if isinstance(value, str) and value:
                raw[name] = (value,)
            elif isinstance(value, list) and (words := _strings(value)):
                raw[name] = (" ".join(words), words[-1])
    return raw


def _title(call: Mapping[str, Any]) -> str:
    title = call.get("title")
    return title if isinstance(title, str) else ""


def _only_names(title: str, call: Mapping[str, Any]) -> bool:
    """Whether a title is only the name or the kind of its tool, `Bash` or `edit`: less, but not wrong."""
    return title.casefold() in (str(call.get(key)).casefold() for key in ("name", "kind"))


def _texts_in(call: Mapping[str, Any]) -> list[str]:
    texts = (pointers.at(block, ("content", "text")) for block in objects(call.get("content")))
    return [text for text in texts if isinstance(text, str) and text]


def _strings(value: object) -> list[str]:
    """Return the texts of a list."""
    return [inner for inner in value if isinstance(inner, str)] if isinstance(value, list) else []


def _call_id(permission: Request) -> str:
    return str(pointers.at(permission.params, ("toolCall", "toolCallId")))
