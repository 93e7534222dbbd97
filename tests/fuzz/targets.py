"""What is fuzzed: each target takes any bytes, and must come back without an error that is not its own.

An error of a module's own (`Parser`'s NewerFormat, MaskError and so on) is caught where it may come. All else
that comes out, an assertion too, is a finding. What must hold of the result is asserted with each target.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from acp_trace.analyze.budgets import grammar as budgets
from acp_trace.compare.codes import MATCHES
from acp_trace.normalize import masks
from acp_trace.redact.redactor import Redactor
from acp_trace.replay import settings
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import Recording, read
from acp_trace.replay.settings import settings_of
from acp_trace.trace import encode
from acp_trace.trace.capture_layout import MAGIC, preamble
from acp_trace.trace.carets import CaretError
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.files import Lines, TraceFile
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.parse import NewerFormat, Parser
from tests.fuzz import engine, screens, seeds
from tests.fuzz.inputs import MASKS, entries, stream, typed
from tests.replay.test_properties import sound
from tests.trace.capturing import MARK, rendered


@dataclass(frozen=True, slots=True)
class Target:
    """One entry point. `lines`: whether its inputs are lines of JSON, which are mutated as such."""

    run: Callable[[bytes], None]
    seeds: Callable[[], tuple[bytes, ...]]
    lines: bool = True


def reader(data: bytes) -> None:
    """A trace file's bytes -> entries: in any pieces the same, every byte in one entry or in the torn line."""
    try:
        parser = Parser()
        whole = parser.feed(data)
        torn = parser.torn()
        last, _ = parser.finish()
    except NewerFormat:
        return
    assert b"".join(entry.raw for entry in whole) + torn == data
    pieces, again = Parser(), list[Entry]()
    for start in range(0, len(data), 97):
        again.extend(pieces.feed(data[start : start + 97]))
    assert again == whole
    for entry in (*whole, *([last] if last else [])):
        if entry.canonical:
            assert entry.raw == encode.CANONICAL[entry.sender or ""] % (entry.t, entry.data)
    try:
        list(TraceFile(stream(data), "name").entries())
    except Unreadable:
        pass


def capture(data: bytes) -> None:
    """A capture's bytes -> its lines: in any pieces the same, each of them an entry unless its header is bad.

    Read as a file, as what comes behind a sound preamble, and as lines of which each becomes a block.
    """
    for file in (data, preamble(MARK) + data, preamble(MARK) + seeds.blocks(data)):
        try:
            lines = Lines(stream(file)).read()
        except NewerFormat:
            continue
        for size in (1, 31, 97):
            if len(file) > 500 * size * size:
                continue
            pieces = (file[start : start + size] for start in range(0, len(file), size))
            assert not file.startswith(MAGIC) or rendered(*pieces) == lines
        if not file.startswith(MAGIC):
            assert lines == file
            continue
        parser = Parser()
        try:
            made = parser.feed(lines)
        except NewerFormat:
            continue
        assert parser.torn() == b""
        assert all(
            entry.kind is not EntryKind.DAMAGED for entry in made[1 if b'"acp_trace"' in lines else 0 :]
        )
        try:
            list(TraceFile(Lines(stream(file)), "name").entries())
        except Unreadable:
            pass


def tee(data: bytes) -> None:
    """What one side says -> lines of a trace file -> just that again, as `export --raw` gives it."""
    framer, made = encode.Framer(), [encode.entry(acp_trace=1, id="x")]
    made += [
        encode.frames(b"agent", start, lines)[0]
        for start in range(0, len(data), 61)
        if (lines := framer.feed(data[start : start + 61]))
    ]
    if rest := framer.rest():
        made.append(encode.frame(b"agent", len(data), rest, partial=True))
    parser = Parser()
    found = parser.feed(b"".join(made))[1:]
    assert parser.torn() == b""
    assert all(entry.kind in (EntryKind.FRAME, EntryKind.TEXT, EntryKind.BASE64) for entry in found)
    assert b"".join(entry.data + b"\n" * (not entry.partial) for entry in found) == data


def analyser(data: bytes) -> None:
    """A trace file's bytes -> facts and frames -> the documents that programs get, which are JSON."""
    screens.documents_of(entries(data))


def screen(data: bytes) -> None:
    """The same on the screen, in JUnit XML, SARIF and annotations: nothing in it drives a terminal or a runner."""
    screens.of_one(entries(data), 40 + len(data) % 100)


def comparison(data: bytes) -> None:
    """Two traces, one mutated. The first two bytes choose the other one, the level, and which comes first."""
    which, level, changed = data[0:1], data[1:2], data[2:]
    some = seeds.traces()
    other = some[ord(which or b"\0") % len(some)]
    number = ord(level or b"\0")
    match = MATCHES[number % len(MATCHES)]
    given = [masks.parse(one) for one in MASKS] if number & 64 else []
    ours, theirs = (changed, other) if number & 128 else (other, changed)
    found = screens.compared(entries(ours), entries(theirs), match, given)
    if number & 32:
        screens.of_two(found)


def planner(data: bytes) -> None:
    """A trace file's bytes -> a plan for each side -> what it says in words."""
    recording = read(entries(data))
    for own in ("client", "agent"):
        made = plan(recording, own)
        sound(made)
        screens.of_plan(made)


def conversation(data: bytes) -> None:
    """An engine that plays one side of a recording, and lines of a live side that say anything."""
    engine.played(recordings(), data)


def redaction(data: bytes) -> None:
    """A trace without its secrets: as many frames, and redacting again changes nothing."""
    some = entries(data)
    first = _redacted(some)
    found = entries(first)
    assert sum(one.sender is not None for one in found) == sum(one.sender is not None for one in some)
    assert _redacted(found) == first


def mask(data: bytes) -> None:
    """An expression is a mask, which says itself, or a MaskError with a caret under the place."""
    try:
        made = masks.parse(typed(data))
    except masks.MaskError as error:
        _pointed(error)
        return
    assert masks.parse(made.text) == made
    used = masks.Masks([made])
    value = {"update": {"title": ["a", {"b": 1}], "": None}}
    assert used.hide("actual", value, ("params",)) == used.hide("expected", value, ("params",))


def budget(data: bytes) -> None:
    """An expression is a budget, which says itself and can be held against samples, or a BudgetError."""
    try:
        made = budgets.parse(typed(data))
    except budgets.BudgetError as error:
        _pointed(error)
        return
    assert budgets.parse(made.text) == made
    budgets.evaluate(made, [])
    screens.of_budget(made)


def replay_toml(data: bytes) -> None:
    """A document of settings, or one line that says what in it means nothing."""
    try:
        settings_of(typed(data), Path("/nowhere"))
    except settings.SettingError:
        pass


def _redacted(some: list[Entry]) -> bytes:
    redactor = Redactor()
    for entry in some:
        redactor.learn(entry)
    return b"".join(redactor.lines(some))


def _pointed(error: CaretError) -> None:
    told, _, marker = str(error).rpartition("\n")
    assert told
    assert set(marker) <= set(" ^~")
    assert 0 <= error.start < error.end <= len(error.source) + 1


@cache
def recordings() -> tuple[Recording, ...]:
    """What the engine plays."""
    return tuple(read(entries(one)) for one in seeds.traces() if len(one) < 12_000)


def _pairs() -> tuple[bytes, ...]:
    return tuple(bytes((at % 256, at * 5 % 256)) + one for at, one in enumerate(seeds.traces()))


def _expressions(*some: str) -> Callable[[], tuple[bytes, ...]]:
    return lambda: tuple(one.encode() for one in some)


def _documents() -> Iterator[bytes]:
    every = {
        "agent": ["a", "b"], "match": "exact", "mask": list(MASKS), "budget": ["turn.duration p95 < 2s"],
        "pace": "10x", "timeout": 2.5, "unmatched": "nearest", "cwd": ".", "workspace": "w",
    }  # fmt: skip
    lines = [f"{key} = {json.dumps(value)}" for key, value in every.items()]
    yield "\n".join(lines).encode()
    yield from (line.encode() for line in lines)
    yield b"timeout = inf\npace = 1979-05-27T07:32:00Z\n[cwd]\na.b = [0x7fffffffffffffffff, nan]\n[[mask]]\n"


TARGETS = {
    "reader": Target(reader, seeds.traces),
    "capture": Target(capture, seeds.captures),
    "tee": Target(tee, seeds.streams),
    "analyser": Target(analyser, seeds.traces),
    "screen": Target(screen, seeds.traces),
    "comparison": Target(comparison, _pairs),
    "planner": Target(planner, seeds.traces),
    "conversation": Target(conversation, lambda: tuple(engine.scripts(recordings()))),
    "redaction": Target(redaction, seeds.traces),
    "mask": Target(mask, _expressions(*MASKS, "/params/0/~0~1/*:uuid", "*", "/x:y", "/result/"), lines=False),
    "budget": Target(
        budget,
        _expressions(
            "cancel.settle p95 < 2s", "latency agent:fs/read_text_file max <= 10.5 ms", "findings.error count = 0",
            "turn.first_output p100 != 3µs", "latency session/new min >= 1min", "findings.late-update count > 1",
        ),
        lines=False,
    ),
    "settings": Target(replay_toml, lambda: tuple(_documents()), lines=False),
}  # fmt: skip
