"""Any text with JSON-RPC messages in it: what people paste into issues, and logs of tools without a reader.

    → {"jsonrpc":"2.0","id":0,"method":"initialize",…}
    2026-11-25T10:00:00.310Z TRACE rpc: recv: {"jsonrpc":"2.0","id":0,"result":{…}}
    {"timestamp":1764064800310,"direction":"agent->client","message":{…}}

- A message may be over several lines, or several in one (`json_in_text`), and wrapped in others
  (`messages_in_values`).
- Text before it, or members beside it in the object, mark its direction (`>>>`, `SEND`, `[client]`, `stdin`).
The messages that have a mark show what it means, by their methods, ids and results. So an agent's log, in
which `recv` is from the client, is read as well as a client's.
- Times are used if all messages have one of the same kind (`log_times`).
- Of two files with calls of one side each, each is a direction, as with `tee`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from acp_trace.formats.reading import (
    connections,
    directions,
    json_in_text,
    json_parts,
    log_times,
    marks,
    messages_in_words,
    pasted,
    text_lines,
)
from acp_trace.formats.reading.interleave import interleaved
from acp_trace.formats.reading.json_in_text import FoundText, FoundValue
from acp_trace.formats.reading.log import CUT_MESSAGE, File, Log, NotThisFormat, Sent, Unused
from acp_trace.formats.reading.log_times import LogTime
from acp_trace.formats.reading.messages_in_values import (
    FoundMessage,
    is_headed,
    is_message,
    messages_in_text,
    messages_of,
)
from acp_trace.protocol import message
from acp_trace.trace.counts import counted
from acp_trace.trace.entries import Sender
from acp_trace.trace.jsontext import as_object

NAME = "text"

#: How what acp-trace itself writes begins: lines, a capture. Other commands take it.
OWN = (b'{"acp_trace"', b"\x89ACPTRC")
#: The reasons of `why_not` for messages that are not whole.
CUT = "but are cut off"
_FEW_LINES = 20  #: in the head of a text: those are long, and what begins there may end behind it
_HEAD = 400_000  #: characters in which the first message must begin
#: A line that looks like a message, but was cut when it was pasted.
_CUT = re.compile(r'\{\s*"(?:jsonrpc|id|method|params|result)".*(?:\.\.\.|…)\W*$')
#: A message before a value: only its beginning.
_BEGUN = re.compile(r'\{\s*"(?:jsonrpc|id|method)"')
#: A line that names a method, as a log does that has no messages.
_NAMED = re.compile(
    r"\b(?:session/(?:new|prompt|update|load|cancel|request_permission)|initialize|fs/read_text_file)\b"
)
_INSTEAD = "record the agent instead"
#: Logs without messages: how they look, what they are, and what to do instead.
_WITHOUT = (
    (re.compile(r"\[acp::\w+\] "), "a log of CodeCompanion", _INSTEAD),
    (
        re.compile(r"(?m)^\S+ (?:INFO|WARN|ERROR) +\[(?:zed|agent_servers|crates/)"),
        "Zed.log",
        "in Zed, use `dev: open acp logs`, then Copy All",
    ),
    (
        re.compile(r"(?m)^[A-Z]+ +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d \+\d+ms service="),
        "an opencode log",
        _INSTEAD,
    ),
    (
        re.compile(r"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} \[ *\d+\] +\w+ - #"),
        "idea.log",
        "take acp-transport.log, which is next to it",
    ),
    (re.compile(r"(?m)^\S+Z +[A-Z]+ +codex_\w+(?:::|:)"), "a Codex log", _INSTEAD),
    (
        re.compile(r'"eventType"\s*:\s*"(?:request|response|notification)"'),
        "traffic between codex-acp and Codex, which is not ACP",
        _INSTEAD,
    ),
)
_FRAMING = re.compile(r"\s*(?:Content-(?:Length|Type):.*|```\w*|~~~\w*|[\[\](){},;]*)\s*$", re.IGNORECASE)


def recognises(files: Sequence[File]) -> bool:
    """A text with a message near its beginning; two files, if each has calls of one side and not the same."""
    if len(files) == 2:
        sides = [directions.callers([one.data for one in _messages(file, [], files)]) for file in files]
        return all(len(side) == 1 for side in sides) and sides[0] != sides[1]
    if len(files) != 1 or files[0].data.startswith(OWN):
        return False
    text = _text(files[0])
    whole, cut, in_part = _whole_and_cut(text[:_HEAD])
    is_document = text.lstrip()[:1] in ("{", "[") or text.count("\n", 0, _HEAD) < _FEW_LINES
    if not whole and len(text) > _HEAD and is_document:
        return any(messages_in_text(text))
    return whole > 0 and whole >= cut + in_part


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
    count = sum(1 for _ in text_lines.numbered(file.data))
    lines = counted(count, "line")
    for form, what, instead in _WITHOUT:
        if form.search(head):
            return f"{what}: {lines}, no JSON-RPC message in it; {instead}"
    whole, cut, in_part = _whole_and_cut(head)
    if cut:
        return f"{whole + cut} of {count} lines look like messages, {CUT}: paste them whole"
    if in_part and whole:
        return f"{lines}, {in_part} of {whole + in_part} JSON-RPC messages in it have parts left out"
    if in_part:
        return f"{lines}, no JSON-RPC message in it is whole: {in_part} with parts left out"
    if named := sum(_NAMED.search(line) is not None for line in head.split("\n")):
        return f"{lines}, no JSON-RPC message in it: {named} of them only name methods of ACP"
    return f"{lines}, no JSON-RPC message in it"


def _read(file: File, files: Sequence[File]) -> Log:
    log = Log()
    found = _forwards(_messages(file, log.unused, files))
    meant = marks.meanings([(one.data, one.mark) for one in found])
    log.marks = tuple(sorted((" ".join(mark), sender) for mark, sender in meant.items() if mark))
    kind = _kind([one.time for one in found])
    times = [None if one.time is None or one.time.kind != kind else one.time.ns for one in found]
    return _timed(log, [(one.data, meant.get(one.mark)) for one in found], times, kind)


def _forwards(found: list[FoundMessage]) -> list[FoundMessage]:
    """In the order of their times, if the log begins with the newest."""
    times = [one.time.ns for one in found if one.time is not None]
    if len(times) < len(found) or len(times) < 2 or _kind([one.time for one in found]) is None:
        return found
    earlier = sum(one > following for one, following in pairwise(times))
    return found[::-1] if times[0] > times[-1] and 2 * earlier > len(times) else found


def _both(files: Sequence[File]) -> Log:
    """Two directions, in the order of their times if all have them."""
    log = Log(ordered=False)
    found = [_messages(file, log.unused, files) for file in files]
    client = 0 if directions.callers([one.data for one in found[0]]).get("client") else 1
    sides: list[tuple[Sender, list[FoundMessage]]] = [("client", found[client]), ("agent", found[1 - client])]
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
    if kind == "local clock":
        log.labels["logged_at"] = log_times.written(known[0])
    return log


def _kind(times: Sequence[LogTime | None]) -> log_times.Kind | None:
    """The kind of time that all messages have."""
    kinds = {None if time is None else time.kind for time in times}
    return next(iter(kinds)) if len(kinds) == 1 else None


# -- what is in a text


def _text(file: File) -> str:
    return pasted.undone(text_lines.utf_8(file.data).decode("utf-8", "replace"))


def _messages(file: File, unused: list[Unused], files: Sequence[File]) -> list[FoundMessage]:
    """The messages of a text, in their order; the rest is added to `unused`."""
    made: list[FoundMessage] = []
    refusals, used = messages_in_words.Refusals(), 0

    def left(line: int, why: str) -> None:
        unused.append(Unused(text_lines.where(files, file, line), why))

    for item in json_in_text.found(_text(file)):
        if isinstance(item, FoundText):
            if not _FRAMING.match(item.text):
                left(item.line, CUT_MESSAGE if _CUT.search(item.text) else "has no message")
            continue
        messages = list(messages_of(item, refusals))
        made += messages
        if item.above and not (messages and is_headed(item)):
            for one in item.above:
                if not _FRAMING.match(one.text):
                    left(one.line, "has no message")
        if messages:
            used = item.line
        elif item.line != used:  # JSON that a logger adds to its line's message does not count
            is_cut = item.is_cut or _BEGUN.search(item.before)
            left(item.line, CUT_MESSAGE if is_cut else "is JSON, but not a message")
    made = _with_responses(_once(made, file, unused))
    if made and not any(b'"jsonrpc"' in one.data for one in made):  # the tool left it out
        made = [one._replace(data=b'{"jsonrpc":"2.0",' + one.data.lstrip()[1:]) for one in made]
    return made


def _with_responses(found: list[FoundMessage]) -> list[FoundMessage]:
    """Restores responses that a tool wrote like requests: with a method, and their result as parameters.

    Such a response has the id and the method of its request, but another mark and other parameters.
    """
    asked: dict[tuple[bytes, str], FoundMessage] = {}
    made = []
    for one in found:
        value = as_object(one.value)
        if not value.keys() >= {"id", "method", "params"} or value["id"] is None:
            made.append(one)
            continue
        key = json_parts.written(value["id"]), str(value["method"])
        request = asked.pop(key, None)
        if request is None or request.mark == one.mark or request.value["params"] == value["params"]:
            asked[key] = one
            made.append(one)
        else:
            content = json_parts.written(value["params"])
            is_error = json_parts.looks_like_error(content)
            made.append(one._replace(data=json_parts.response(key[0], content, is_error=is_error)))
    return made


def _once(found: list[FoundMessage], file: File, unused: list[Unused]) -> list[FoundMessage]:
    """Leave out what a tool logged twice in a row: neither side sends the same request or response again.

    If requests or responses are repeated, notifications are as well: of equal ones in a row, every second one
    is left out.
    """
    kept: list[FoundMessage] = []
    has_doubles = any(
        _is_same(one, before) and message.read(one.data).id is not None for before, one in pairwise(found)
    )
    is_second = False
    for one in found:
        may_be_second = not is_second or message.read(one.data).id is not None
        is_second = has_doubles and bool(kept) and may_be_second and _is_same(one, kept[-1])
        if not is_second:
            kept.append(one)
            continue
        unused.append(Unused(file.name, "has a message twice in a row"))
        if not kept[-1].mark and one.mark:
            kept[-1] = one
    return kept


def _is_same(one: FoundMessage, before: FoundMessage) -> bool:
    return one.data == before.data or (one.value is not None and _members(one) == _members(before))


def _members(one: FoundMessage) -> dict[str, Any]:
    """Of a message, what tells it from others: some tools leave the version out."""
    return {name: member for name, member in as_object(one.value).items() if name != "jsonrpc"}


def _whole_and_cut(text: str) -> tuple[int, int, int]:
    """How many messages of a text are whole, how many were cut, and how many were printed in part."""
    whole = in_part = 0
    cut = {number for number, line in enumerate(text.split("\n"), 1) if _CUT.search(line)}
    for item in json_in_text.found(text):
        if isinstance(item, FoundValue):
            if any(messages_of(item)):
                whole += 1
                cut.discard(item.line)
            elif item.is_cut and is_message(as_object(item.value)):
                in_part += item.line not in cut
    return whole, len(cut), in_part
