"""How two prompts differ, line by line: below the message of a change, in `diff --model` and wherever else.

What is gone begins with `-`, what is new with `+`. Of a line that only changed, the words that differ are
marked by colour, and what both have is shortened around them: prompts have lines of a thousand words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from rich.text import Text

from acp_trace.model.changes import ModelChange
from acp_trace.model.prompt_diff import MessageChange, PartChange, PromptDiff, ToolChange
from acp_trace.model.shapes import Media, Part, ToolUse
from acp_trace.model.text_diff import Hunk
from acp_trace.model.text_diff import words as word_diff
from acp_trace.model.value_diff import ValueChange
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases
from acp_trace.report.text import styles
from acp_trace.report.text.columns import wrap
from acp_trace.trace import jsontext
from acp_trace.trace.counts import counted

_MOST = 12  #: lines below one change, unless all are asked for
_ROOM = 40  #: lines below all changes: the first ones are those that matter most
_CHANGES = 20  #: changes in a list
_AROUND = 40  #: equal characters that are shown on each side of a difference
_LONG = 160  #: characters of a line that only one side has
_ALIKE = 0.4  #: so much of two lines is equal if one became the other
_MARKS = {"-": styles.ERROR, "+": styles.COLOURS["agent"]}

_Line = tuple[str, Text]  #: its mark, and the text behind it


def listed(changes: Sequence[ModelChange], width: int, *, all_: bool) -> Text:
    """The changes: each with its code, its calls, its message, and what differs. The first ones, or all."""
    text = Text(no_wrap=True, end="")
    most = len(changes) if all_ or len(changes) <= _CHANGES + 1 else _CHANGES
    diffs = (change.diff for change in changes[:most])
    for number, lines in enumerate(bodies(diffs, width - 6, all_=all_), 1):
        change = changes[number - 1]
        if number > 1:
            text.append("\n")
        text.append(f"{number:>2}  ").append(safe(change.code), f"{styles.HEADING} {styles.ERROR}")
        where = _where(change, width - 6 - len(change.code))
        text.append(f"  {where}\n", styles.FAINT)
        for line in wrap(Text(safe(change.message)), width - 4):
            text.append("    ").append_text(line).append("\n")
        for line in lines:
            shown = Text("      ").append_text(line)
            shown.rstrip()
            text.append_text(shown).append("\n")
    if most < len(changes):
        text.append(f"\n … and {counted(len(changes) - most, 'more change')}: --all\n", styles.FAINT)
    return text


def _where(change: ModelChange, width: int) -> str:
    """The calls that have a change; if there is no room for all their numbers, how many they are."""
    if len(change.where) <= width:
        return change.where
    calls = change.expected_calls or change.actual_calls
    return f"{counted(len(calls), 'call')} from call {calls[0]} to {calls[-1]}"


def bodies(diffs: Iterable[PromptDiff | None], width: int, *, all_: bool) -> Iterator[list[Text]]:
    """What differs in each of several changes, in lines of at most `width` columns.

    A change has no lines if its message says it all, and later changes have ever fewer, unless all are
    wanted. The number of omitted lines is shown.
    """
    room = _ROOM
    for diff in diffs:
        blocks = [] if diff is None else [(name, list(lines)) for name, lines in _blocks(diff, all_=all_)]
        count = sum(len(lines) for _, lines in blocks)
        most = min(_MOST, room)
        if all_ or count <= most + 1:
            most = count
        room = max(room - most, 0)
        yield list(_first(blocks, most, width))


def _first(blocks: Iterable[tuple[str, Sequence[_Line]]], most: int, width: int) -> Iterator[Text]:
    """The first `most` lines of the blocks, below their headings, and the number of further lines."""
    left, hidden = most, 0
    for heading, lines in blocks:
        if heading and lines[:left]:
            yield Text(safe(heading), styles.FAINT)
        for mark, line in lines[:left]:
            first, *more = wrap(line, width - 2)
            yield Text(f"{mark} ", _MARKS.get(mark, styles.FAINT)).append_text(first)
            yield from (Text("  ").append_text(each) for each in more)
        hidden += len(lines[left:])
        left -= len(lines[:left])
    if hidden:
        and_more = f"and {units.number(hidden)} more lines" if most else counted(hidden, "line")
        yield Text(f"… {and_more}: --all", styles.FAINT)


def _blocks(diff: PromptDiff, *, all_: bool) -> Iterator[tuple[str, Iterable[_Line]]]:
    """Headings, each with its lines."""
    for value in diff.parameters:
        yield "", _value(value, all_=all_) if value.text or _is_long(value) else ()
    yield from _hunks("", diff.system, all_=all_)
    for message in diff.messages:
        yield from _message(message, all_=all_)
    for tool in diff.tools_changed:
        yield from _tool(tool, all_=all_)
    if diff.tools_order is not None and all_:
        for mark, names in zip("-+", diff.tools_order, strict=True):
            yield "", [(mark, Text(safe(", ".join(names))))]


def _tool(tool: ToolChange, *, all_: bool) -> Iterator[tuple[str, Iterable[_Line]]]:
    yield from _hunks("description", tool.description, all_=all_)
    for value in (*tool.schema, *tool.options):
        yield value.path or "schema", _value(value, all_=all_)


def _message(change: MessageChange, *, all_: bool) -> Iterator[tuple[str, Iterable[_Line]]]:
    if change.message is not None:
        mark = "+" if change.change == "added" else "-"
        yield "", [line for part in change.message.parts for line in _alone(mark, _text(part), all_=all_)]
    for part in change.parts:
        yield from _part(part, all_=all_)


def _part(change: PartChange, *, all_: bool) -> Iterator[tuple[str, Iterable[_Line]]]:
    if change.text:
        yield from _hunks("", change.text, all_=all_)
    elif change.arguments:
        for value in change.arguments:
            yield value.path or "arguments", _value(value, all_=all_)
    else:
        both = (("-", change.expected), ("+", change.actual))
        yield "", [line for mark, part in both if part for line in _alone(mark, _text(part), all_=all_)]


def _text(part: Part) -> str:
    """A part in words."""
    if isinstance(part, ToolUse):
        return f"{part.name} {jsontext.string(part.arguments)}"
    return f"{part.kind} {part.mention}" if isinstance(part, Media) else part.text


def _value(value: ValueChange, *, all_: bool) -> Iterator[_Line]:
    if value.text:
        for _, lines in _hunks("", value.text, all_=all_):
            yield from lines
        return
    expected, actual = (
        phrases.value(text, None) if text is not None else None for text in (value.expected, value.actual)
    )
    if expected is not None and actual is not None:
        yield from _changed(expected, actual, all_=all_)
    elif expected is not None:
        yield from _alone("-", expected, all_=all_)
    elif actual is not None:
        yield from _alone("+", actual, all_=all_)


def _is_long(value: ValueChange) -> bool:
    """Whether the message of a changed parameter cannot show it."""
    return any(text is not None and len(text) > 60 for text in (value.expected, value.actual))


def _hunks(heading: str, hunks: Iterable[Hunk], *, all_: bool) -> Iterator[tuple[str, Iterable[_Line]]]:
    """Stretches of lines, each with the number of its first line."""
    for hunk in hunks:
        at = f"line {hunk.expected_line}" if hunk.expected else f"after line {hunk.expected_line - 1}"
        yield f"{heading}, {at}" if heading else at, _hunk(hunk, all_=all_)


def _hunk(hunk: Hunk, *, all_: bool) -> Iterator[_Line]:
    """The new form of a line is below it, if the two are alike; otherwise all removed lines come first."""
    expected, actual = list(hunk.expected), list(hunk.actual)
    while expected and actual and _alike(expected[0], actual[0]):
        yield from _changed(expected.pop(0), actual.pop(0), all_=all_)
    ends: list[_Line] = []
    while expected and actual and _alike(expected[-1], actual[-1]):
        ends[:0] = _changed(expected.pop(), actual.pop(), all_=all_)
    for mark, lines in (("-", expected), ("+", actual)):
        for line in lines:
            yield from _alone(mark, line, all_=all_)
    yield from ends


_words = lru_cache(maxsize=100)(word_diff)


def _alike(expected: str, actual: str) -> bool:
    spans = _words(expected, actual)
    equal = sum(len(text.strip()) for kind, text in spans if kind == "=")
    return equal >= _ALIKE * max(len(expected.strip()), len(actual.strip()), 1)


def _changed(expected: str, actual: str, *, all_: bool) -> Iterator[_Line]:
    """A line and its new form, with the differing words marked."""
    spans = _words(expected, actual)
    for mark in "-+":
        line = Text()
        for at, (kind, text) in enumerate(spans):
            if kind == "=":
                line.append(safe(text if all_ else _around(text, at, len(spans))), styles.FAINT)
            elif kind == mark:
                line.append(safe(_visible(text)), f"{styles.HEADING} {_MARKS[mark]}")
        yield mark, line


def _visible(text: str) -> str:
    """What differs in a line: blanks that are all that differs there would not be seen."""
    return text if text.strip() else text.replace(" ", "␣").replace("\u00a0", "⍽")


def _around(text: str, at: int, count: int) -> str:
    """What both lines have, as much of it as is needed to see where in the line something differs."""
    before = "" if at == 0 else text[:_AROUND]  # it follows a difference
    after = "" if at == count - 1 else text[-_AROUND:]
    return text if len(before) + len(after) + 1 >= len(text) else f"{before}…{after}"


def _alone(mark: str, text: str, *, all_: bool) -> Iterator[_Line]:
    """Lines that one side has."""
    for line in text.split("\n"):
        shown = line if all_ or len(line) <= _LONG else f"{line[: _LONG - 1]}…"
        yield mark, Text(safe(shown.expandtabs(4)), _MARKS[mark])
