"""Pieces of a recorded response -> the same number of served pieces, equal except for what has moved.

A model answers with the directories that its prompt named. In a run in another directory, the agent would
write its files elsewhere, so they are replaced, even if a stream brings them letter by letter: the whole new
value goes into the first event that has a part of it, and the rest is cut from the later ones. All other
bytes stay. If a text is JSON itself, as tools' arguments are, its strings are rewritten in turn.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from acp_trace.model.serving.replacements import Edit, Replacements
from acp_trace.model.serving.strings import JsonString, TextKey, encoded, strings
from acp_trace.trace import jsontext

_DEEPEST = 4  #: JSON in strings in JSON
_DATA = "data:"


class Rewriting:
    """Replaces the recording's values with the run's. A piece of which nothing is left is empty."""

    def __init__(self, replacements: Replacements | None = None) -> None:
        self._replacements = replacements or Replacements()

    def __call__(self, pieces: Sequence[bytes]) -> list[bytes]:
        """Return as many pieces of a body without its content coding; or as many WebSocket messages."""
        body = b"".join(pieces).decode("latin-1")
        if not self._replacements or "\0" in body:  # frames that say how long they are stay as they are
            return list(pieces)
        edits: list[Edit] = []
        texts: dict[TextKey, list[JsonString]] = {}
        for at, text in _events(pieces, body):
            if not jsontext.is_json(text.encode("latin-1")):
                edits += (
                    edit._replace(start=at + edit.start, end=at + edit.end) for edit in self._in_text(text)
                )
                continue
            for string in strings(text, at):
                if string.key is None:
                    edits += self._in_strings([string])
                else:
                    texts.setdefault(string.key, []).append(string)
        for of_one in texts.values():
            edits += self._in_strings(of_one)
        return _applied(pieces, sorted(edits)) if edits else list(pieces)

    def _in_strings(self, pieces: Sequence[JsonString]) -> Iterator[Edit]:
        """Return what to replace in each of several strings that form one text."""
        edits = self._in_text("".join(piece.text for piece in pieces))
        if not edits:
            return
        begins = [0, *accumulate(len(piece.text) for piece in pieces)]
        for edit in edits:
            new: str | None = encoded(edit.text)
            number = bisect_right(begins, edit.start) - 1
            while number < len(pieces) and begins[number] < edit.end:
                start = max(edit.start - begins[number], 0)
                end = min(edit.end - begins[number], len(pieces[number].text))
                if start < end:
                    yield Edit(*pieces[number].span(start, end), new or "")
                    new = None
                number += 1

    def _in_text(self, text: str, depth: int = 0) -> list[Edit]:
        """Return what to replace in a text; if it is JSON, in its strings."""
        if depth < _DEEPEST and text[:1] in ("{", "[") and jsontext.is_json(text.encode("latin-1")):
            return [
                Edit(*string.span(edit.start, edit.end), encoded(edit.text))
                for string in strings(text)
                for edit in self._in_text(string.text, depth + 1)
            ]
        edits = self._replacements.edits(text)
        if text.startswith('{"'):  # arguments that were broken off
            return [edit._replace(text=encoded(edit.text)) for edit in edits]
        return edits


def _events(pieces: Sequence[bytes], body: str) -> Iterator[tuple[int, str]]:
    """Return the JSON texts of a body, and the other text in it, each with its place."""
    if len(pieces) > 1 and all(piece[:1] == b"{" and jsontext.is_json(piece) for piece in pieces):
        at = 0
        for piece in pieces:  # messages of a WebSocket
            yield at, piece.decode("latin-1")
            at += len(piece)
        return
    if body.lstrip()[:1] in ("{", "[") and jsontext.is_json(body.encode("latin-1")):
        yield 0, body
        return
    at = 0
    for line in body.split("\n"):
        start = len(_DATA) if line.startswith(_DATA) else 0
        if line:
            yield at + start, line[start:]
        at += len(line) + 1


def _applied(pieces: Sequence[bytes], edits: Iterable[Edit]) -> list[bytes]:
    """Return the pieces with their replacements. An edit across a piece's end goes into the first piece."""
    made: list[list[bytes]] = [[] for _ in pieces]
    begins = [0, *accumulate(map(len, pieces))]
    done = 0

    def keep(end: int) -> None:
        nonlocal done
        while done < end:
            number = bisect_right(begins, done) - 1
            upto = min(end, begins[number + 1])
            made[number].append(pieces[number][done - begins[number] : upto - begins[number]])
            done = upto

    for edit in edits:
        keep(edit.start)
        made[bisect_right(begins, edit.start) - 1].append(edit.text.encode("latin-1"))
        done = edit.end
    keep(begins[-1])
    return [b"".join(parts) for parts in made]
