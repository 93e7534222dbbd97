"""Any text with JSON-RPC messages in it: what people paste into issues, and logs of tools without a reader.

    → {"jsonrpc":"2.0","id":0,"method":"initialize",…}
    2026-11-25T10:00:00.310Z TRACE rpc: recv: {"jsonrpc":"2.0","id":0,"result":{…}}
    {"timestamp":1764064800310,"direction":"agent->client","message":{…}}

- A message may be wrapped in an object or a list, over several lines or several in one, or be a string with
  JSON in it (`json_in_text`).
- What stands before it, or beside it in the object, are marks of its direction (`>>>`, `SEND`, `[client]`,
  `stdin`). What a mark means is told by the messages that have it: by their methods, ids and results. So a
  log of the agent, where `recv` is from the client, is read as well as one of the client.
- Times are used if all messages have one of the same kind (`log_times`).
- Of two files with calls of one side each, each is a direction, as with `tee`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from acp_trace.formats.reading import connections, directions, json_in_text, log_times, text_lines
from acp_trace.formats.reading.interleave import interleaved
from acp_trace.formats.reading.json_in_text import FoundText, FoundValue
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent, Unused
from acp_trace.formats.reading.log_times import LogTime
from acp_trace.protocol import message
from acp_trace.trace.entries import Sender
from acp_trace.trace.jsontext import value_or_none

NAME = "text"

#: How what acp-trace itself writes begins: lines, a capture. Other commands take it.
OWN = (b'{"acp_trace"', b"\x89ACPTRC")
_HEAD = 400_000  #: characters in which the first message must begin
_DEEPEST = 4  #: objects around a message
_ARROWS = r"-{1,3}>|<-{1,3}|={1,2}>|<={1,2}|>{1,4}|<{1,4}|[→←⇒⇐⟶⟵▶◀➡⬅▸◂]"
_WORDS = (
    r"\b(?:send(?:ing)?|sent|recv|receiv(?:ed?|ing)|out(?:going|bound)?|in(?:coming|bound)?|tx|rx|stdin|stdout|"
    r"client|agent|server|editor|request|response|notification|writ(?:e|ing|ten)|wrote|read(?:ing)?|to|from)\b"
)
_MARKS = re.compile(f"{_ARROWS}|{_WORDS}", re.IGNORECASE)
#: Kinds of messages: they tell a direction only where nothing else does.
_KINDS = frozenset({"request", "response", "notification"})
#: Members of an object around a message that may name its direction.
_SIDES = (
    "direction",
    "dir",
    "from",
    "to",
    "sender",
    "source",
    "role",
    "side",
    "channel",
    "stream",
    "type",
    "kind",
    "event",
)
_LONGEST = 40  #: characters of such a member
#: A line that looks like a message, but was cut when it was pasted.
_CUT = re.compile(r'\{\s*"(?:jsonrpc|id|method|params|result)".*(?:\.\.\.|…)\W*$')
#: `Sending request 'session/new - (1)'.`, `--> session/new (id=1)`: what some write in place of the message.
_CALLED = re.compile(
    r"(?:Sending|Received) (?P<kind>request|response|notification) "
    r"'(?P<name>[^' ]*)(?: - \((?P<id>[^)]*)\))?'"
    r"|(?:-->|<--) (?:(?P<kind2>request|response|notification)\b ?)?(?P<name2>[\w/$.]+)?"
    r"(?: ?\(id=(?P<id2>[^)]+)\))?"
)
_PART = re.compile(r"\b(params|result|error)\s*[=:]\s*$", re.IGNORECASE)
#: Logs that have no messages, and what to do instead.
_WITHOUT = (
    (re.compile(r"\[acp::\w+\] "), "a log of CodeCompanion, which has no messages: record the agent instead"),
    (
        re.compile(r"(?m)^\S+ (?:INFO|WARN|ERROR) +\[(?:zed|agent_servers|crates/)"),
        "Zed.log, which has no messages: in Zed, `dev: open acp logs`, then Copy All",
    ),
)
_FRAMING = re.compile(r"\s*(?:Content-(?:Length|Type):.*|```\w*|~~~\w*|[\[\](){},;]*)\s*$", re.IGNORECASE)
_Mark = tuple[str, ...]


class _Found(NamedTuple):
    """A message in a text."""

    data: bytes
    mark: _Mark
    time: LogTime | None


def recognises(files: Sequence[File]) -> bool:
    """A text with a message near its beginning; two files, if each has calls of one side and not the same."""
    if len(files) == 2:
        sides = [directions.callers([one.data for one in _messages(file, [], files)]) for file in files]
        return all(len(side) == 1 for side in sides) and sides[0] != sides[1]
    if len(files) != 1 or files[0].data.startswith(OWN):
        return False
    head = _text(files[0])[:_HEAD]
    messages = sum(1 for _ in _found_in(head))
    return messages > sum(_CUT.search(line) is not None for line in head.split("\n"))


def read(files: Sequence[File]) -> list[Log]:
    """A log for each connection of each file, or of two files together."""
    if len(files) == 2 and recognises(files):
        return connections.split(_both(files))
    logs = [log for file in files for log in connections.split(_read(file, files))]
    if not logs:
        raise NotThisFormat(why_not(files[0]) if files else "no file")
    return logs


def why_not(file: File) -> str:
    """What a text has instead of messages."""
    head = _text(file)[:_HEAD]
    for form, what in _WITHOUT:
        if form.search(head):
            return what
    lines = [line for _, line in text_lines.numbered(file.data)]
    cut = sum(_CUT.search(line.decode("utf-8", "replace")) is not None for line in lines)
    if cut:
        return f"{cut} of {len(lines)} lines look like messages, but are cut: paste them whole"
    return f"{len(lines)} {'line' if len(lines) == 1 else 'lines'}, no JSON-RPC message in it"


def _read(file: File, files: Sequence[File]) -> Log:
    log = Log()
    found = _messages(file, log.unused, files)
    meant = _meant(found)
    log.marks = tuple(sorted((" ".join(mark), sender) for mark, sender in meant.items() if mark))
    kind = _kind([one.time for one in found])
    times = [None if one.time is None or one.time.kind != kind else one.time.ns for one in found]
    return _timed(log, [(one.data, meant.get(one.mark)) for one in found], times, kind)


def _both(files: Sequence[File]) -> Log:
    """Two directions, in the order of their times if all have them."""
    log = Log(ordered=False)
    found = [_messages(file, log.unused, files) for file in files]
    client = 0 if directions.callers([one.data for one in found[0]]).get("client") else 1
    sides: list[tuple[Sender, list[_Found]]] = [("client", found[client]), ("agent", found[1 - client])]
    kind = _kind([one.time for _, side in sides for one in side])
    if kind is None:
        merged = interleaved(*([one.data for one in side] for _, side in sides))
        log.messages = [Sent(data, sender) for sender, data in merged]
        return log
    rows = [(one.time.ns, one.data, sender) for sender, side in sides for one in side if one.time is not None]
    rows.sort(key=lambda row: row[0])
    log.ordered = True
    return _timed(log, [(data, sender) for _, data, sender in rows], [ns for ns, _, _ in rows], kind)


def _timed(
    log: Log,
    sent: list[tuple[bytes, Sender | None]],
    times: Sequence[int | None],
    kind: log_times.Kind | None,
) -> Log:
    known = [time for time in times if time is not None]
    if kind is None or len(known) < len(sent) or not known:
        log.messages = [Sent(data, sender) for data, sender in sent]
        return log
    since = log_times.since_first(known, kind)
    log.messages = [Sent(data, sender, t) for (data, sender), t in zip(sent, since, strict=True)]
    log.started_ns = known[0] if kind == "clock" else None
    return log


def _kind(times: Sequence[LogTime | None]) -> log_times.Kind | None:
    """The kind of time that all messages have."""
    kinds = {None if time is None else time.kind for time in times}
    return next(iter(kinds)) if len(kinds) == 1 else None


# -- whose messages they are


def _meant(found: Sequence[_Found]) -> dict[_Mark, Sender]:
    """Whose messages have each mark, as far as it says it: whose they are mostly."""
    numbered = [Sent(one.data, None, number) for number, one in enumerate(found)]
    told = directions.infer(Log(messages=[*numbered]))
    votes: dict[_Mark, Counter[Sender]] = {}
    for item in told.messages:
        if isinstance(item, Sent) and item.sender is not None and item.t is not None and found[item.t].mark:
            votes.setdefault(found[item.t].mark, Counter())[item.sender] += 1
    meant: dict[_Mark, Sender] = {}
    for mark, of in votes.items():
        sender, count = of.most_common(1)[0]
        if count >= 0.8 * sum(of.values()):
            meant[mark] = sender
    marks = {one.mark for one in found}
    if len(marks) == 2 and len(meant) == 1:  # the other mark is of the other side
        (mark, sender), *_ = meant.items()
        meant |= {other: directions.OTHER[sender] for other in marks - {mark} if other}
    if len(set(meant.values())) < 2 and len(marks) > 1:
        return {}  # a mark of both sides says nothing
    return meant


# -- what is in a text


def _text(file: File) -> str:
    return text_lines.utf_8(file.data).decode("utf-8", "replace")


def _messages(file: File, unused: list[Unused], files: Sequence[File]) -> list[_Found]:
    """The messages of a text, in their order; what is none comes to `unused`."""
    made: list[_Found] = []
    for item in json_in_text.found(_text(file)):
        if isinstance(item, FoundText):
            if not _FRAMING.match(item.text):
                unused.append(Unused(text_lines.where(files, file, item.line), "has no message"))
            continue
        messages = list(_of(item))
        made += messages
        if item.above and not (messages and _is_headed(item)):
            unused += [Unused(text_lines.where(files, file, one.line), "has no message") for one in item.above
                       if not _FRAMING.match(one.text)]  # fmt: skip
        if not messages:
            unused.append(Unused(text_lines.where(files, file, item.line), "is JSON, but no message"))
    made = _once(made, file, unused)
    if made and not any(b'"jsonrpc"' in one.data for one in made):  # the tool left it out
        made = [one._replace(data=b'{"jsonrpc":"2.0",' + one.data.lstrip()[1:]) for one in made]
    return made


def _once(found: list[_Found], file: File, unused: list[Unused]) -> list[_Found]:
    """Without what is logged twice in a row: nobody sends a request or a response again, byte for byte."""
    again = [
        one.data == before.data and message.read(one.data).id is not None for before, one in pairwise(found)
    ]
    if not any(again):
        return found
    kept = found[:1]
    for one in found[1:]:
        if one.data == kept[-1].data:
            unused.append(Unused(file.name, "a message is there twice"))
        else:
            kept.append(one)
    return kept


def _found_in(text: str) -> Iterator[_Found]:
    for item in json_in_text.found(text):
        if isinstance(item, FoundValue):
            yield from _of(item)


def _before(item: FoundValue) -> str:
    """What is said of a value: in its line, or above it."""
    if _PART.search(item.before) or not item.before.strip(" \t,"):
        return " ".join((*(one.text for one in item.above), item.before))
    return item.before


def _is_headed(item: FoundValue) -> bool:
    """Whether the lines above a value say something of it."""
    before = _before(item)
    is_above = before != item.before
    return is_above and (bool(_mark(before)) or log_times.in_text(before) is not None)


def _of(item: FoundValue) -> Iterator[_Found]:
    """The messages of a JSON value: itself, or what is in it."""
    before = _before(item)
    time, mark = log_times.in_text(before), _mark(before)
    if isinstance(item.value, dict) and _is_message(item.value):
        yield _Found(item.text.encode("utf-8", "replace"), mark, time)
    elif (rebuilt := _rebuilt(before, item.text)) is not None:
        yield _Found(rebuilt, mark, time)
    else:
        yield from _within(item.value, mark, time, 0)


def _rebuilt(before: str, text: str) -> bytes | None:
    """The message of which a log has the method and the id in words, and the rest as JSON."""
    part, called = _PART.search(before), _CALLED.search(before)
    if part is None or called is None:
        return None
    kind, name = called["kind"] or called["kind2"], called["name"] or called["name2"] or ""
    id_ = called["id"] or called["id2"]
    members = ['"jsonrpc":"2.0"']
    if id_:
        members.append(f'"id":{id_ if id_.isdecimal() else json.dumps(id_)}')
    if part[1].lower() == "params" and kind != "response":
        members.append(f'"method":{json.dumps(name)}')
    members.append(f'"{part[1].lower()}":{text}')
    return f"{{{','.join(members)}}}".encode("utf-8", "replace")


def _within(value: Any, mark: _Mark, time: LogTime | None, depth: int) -> Iterator[_Found]:
    if depth > _DEEPEST:
        return
    if isinstance(value, str) and value[:1] in ("{", "["):
        value = value_or_none(value.encode("utf-8", "replace"))
    if isinstance(value, dict):
        if _is_message(value):
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            yield _Found(text.encode("utf-8", "replace"), mark, time)
            return
        mark = (*mark, *_sides(value))
        time = log_times.in_members(value) or time
        for member in value.values():
            if isinstance(member, dict | list | str):
                yield from _within(member, mark, time, depth + 1)
    elif isinstance(value, list):
        for member in value:
            yield from _within(member, mark, time, depth + 1)


def _is_message(value: Mapping[str, Any]) -> bool:
    has_id, answers = "id" in value, "result" in value or "error" in value
    calls = isinstance(value.get("method"), str)
    if "jsonrpc" in value:
        return calls or answers
    is_wrapped = any(isinstance(member, dict) and "jsonrpc" in member for member in value.values())
    return not is_wrapped and ((calls and "params" in value) or (has_id and answers))


def _sides(value: Mapping[str, Any]) -> Iterator[str]:
    for name in _SIDES:
        if isinstance(word := value.get(name), str) and len(word) <= _LONGEST:
            yield f"{name}={word.lower()}"


def _mark(before: str) -> _Mark:
    words = tuple(word.lower() for word in _MARKS.findall(before)[-6:])
    return tuple(word for word in words if word not in _KINDS) or words
