"""Pieces of texts, joined to find a secret that two of them share, which is then cut out of each.

A text is examined when enough of it has come; then everything except its end is settled, because a secret may
continue there. So each character is examined at most twice, and only the end of each text is kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from acp_trace.redact import pem, urls
from acp_trace.redact.pieces import Piece, PieceOfText
from acp_trace.redact.scan import Hit, apart

#: Characters of a text that are examined together.
_BATCH = 8192
#: The end of a text that is kept, at least: longer than any token that still lacks its sign.
_WINDOW = 1024
_EDGE = 64  #: longer than any sign
_LONG = 16  #: a shorter piece may begin like the next one by chance
_CONTEXT = 64  #: settled characters that are still visible: those before a token
#: Most that is kept of one text, even if a secret may continue.
_MOST = 1 << 20


class Cut(NamedTuple):
    """What is removed from a piece. Only a secret's first piece has the placeholder; else `found` is None."""

    start: int
    end: int
    found: Hit | None


class _Text:
    """One text, as far as it is not settled."""

    __slots__ = ("before", "limit", "oldest", "pieces", "separator", "size")

    def __init__(self, separator: str, limit: int) -> None:
        self.pieces: list[Piece] = []
        self.separator = separator
        self.size = 0
        self.limit = limit
        self.oldest = 0
        self.before = ""


class Joiner:
    """Takes pieces; `scan` finds what to remove from a text, `may` tests quickly whether it can find any.

    `parts` finds what to remove from the edges of a piece. `settled` is called with each `final` piece from
    which something is removed. `window`: the greatest length of what is searched for.
    """

    def __init__(
        self,
        scan: Callable[[str], list[Hit]],
        may: Callable[[str], bool],
        settled: Callable[[Piece], None] = lambda _: None,
        window: int = 0,
        parts: Callable[[str], list[Hit]] = lambda _: [],
    ) -> None:
        self._scan, self._may, self._settled, self._parts = scan, may, settled, parts
        self._edge = max(_EDGE, window)
        self._window = min(max(_WINDOW, window), _MOST // 2)
        self._batch = max(_BATCH, 4 * self._window)
        self._texts: dict[tuple[object, ...], _Text] = {}
        self._now = self._since = 0

    def add(self, part: PieceOfText) -> None:
        """Add the next piece of a text."""
        self._now += 1
        text = self._texts.get(part.key)
        if text is None:
            text = self._texts[part.key] = _Text(part.separator, self._batch)
        elif part.grows and text.pieces and _goes_over(text.pieces[-1].text, part.piece.text):
            self._settle(text, end=True)
            text.before = ""
        if not text.pieces:
            text.oldest = self._now
        text.pieces.append(part.piece)
        text.size += len(part.piece.text) + len(text.separator)
        if text.size >= text.limit:
            self._settle(text, end=False)

    def relieve(self) -> None:
        """Settle what can be settled, and all texts that have not grown since the last call."""
        for key, text in list(self._texts.items()):
            self._settle(text, end=text.oldest <= self._since)
            if not text.pieces:
                del self._texts[key]
        self._since = self._now

    def finish(self) -> None:
        """Settle everything."""
        for text in self._texts.values():
            self._settle(text, end=True)
        self._texts.clear()

    def _settle(self, text: _Text, *, end: bool) -> None:
        pieces, glue = text.pieces, text.separator
        if not pieces:
            return
        first = len(text.before)
        whole = text.before + glue.join([piece.text for piece in pieces])
        spans = self._spans(text, whole) if self._may_hold(text, whole) else []
        upto = len(whole) if end else _settled(whole, spans, first, self._window)
        if len(whole) - upto > _MOST:
            upto = len(whole)
        ends, at = [], first
        for piece in pieces:
            at += len(piece.text)
            ends.append(at)
            at += len(glue)
        count = _count(ends, upto, spans) if upto < len(whole) else len(pieces)
        if spans:
            _cut(pieces[:count], ends, spans, first, len(glue))
        for piece in pieces[:count]:
            piece.final = True
            if piece.cuts:
                self._settled(piece)
        if count:
            text.before = (whole[: ends[count - 1]] + glue)[-_CONTEXT:]
            text.oldest = self._now
            del pieces[:count]
        text.size = sum(len(piece.text) + len(glue) for piece in pieces)
        text.limit = max(self._batch, 2 * text.size)

    def _spans(self, text: _Text, whole: str) -> list[Hit]:
        """Return what to remove from a text, and from its pieces' edges: the next may not continue there."""
        spans = [one for one in self._scan(whole) if one.start >= len(text.before)]
        part_hits = list(self._of_cut_lines(text))
        at = len(text.before)
        for piece in text.pieces:
            if not piece.plain:
                part_hits += [
                    one._replace(start=at + one.start, end=at + one.end) for one in self._parts(piece.text)
                ]
            at += len(piece.text) + len(text.separator)
        return apart([*spans, *part_hits]) if part_hits else spans

    def _of_cut_lines(self, text: _Text) -> Iterator[Hit]:
        """Return what to remove around the border of two pieces that may be one line."""
        end = len(text.before)
        for piece, following in pairwise(text.pieces):
            end += len(piece.text)
            if piece.may_go_on:
                tail = piece.text[-self._window :]
                for hit in self._scan(tail + following.text[: self._window]):
                    if hit.start < len(tail) < hit.end:
                        at = end - len(tail)
                        yield hit._replace(start=at + hit.start, end=at + hit.end + len(text.separator))
            end += len(text.separator)

    def _may_hold(self, text: _Text, whole: str) -> bool:
        """Whether a text may hold what is searched for."""
        for piece in text.pieces:
            if not piece.plain or piece.may_go_on:
                return True
        if len(whole) > 4 * self._edge * len(text.pieces):
            return self._may(self._edges(text)) or urls.may_hold(whole)
        return self._may(whole)

    def _edges(self, text: _Text) -> str:
        """Return the text around the borders of pieces: what is of interest there is in no single piece."""
        edge = self._edge
        short = [
            piece.text if len(piece.text) <= 2 * edge else f"{piece.text[:edge]}\n{piece.text[-edge:]}"
            for piece in text.pieces
        ]
        return text.before + text.separator.join(short)


def _settled(whole: str, spans: list[Hit], first: int, window: int) -> int:
    """Return up to where a text will not change its meaning, whatever follows."""
    upto = max(first, len(whole) - window)
    key = pem.open_at(whole)
    if key is not None:
        upto = min(upto, key)
    if spans and not whole[spans[-1].end :].strip():
        upto = min(upto, spans[-1].start)
    for span in reversed(spans):
        if span.end <= upto:
            break
        upto = min(upto, span.start)
    return max(first, upto)


def _count(ends: list[int], upto: int, spans: list[Hit]) -> int:
    """Return how many pieces are settled: they end before this place, and not within a removed part."""
    count = bisect_right(ends, upto)
    crossing = len(spans) - 1
    while count and crossing >= 0:
        edge = ends[count - 1]
        if spans[crossing].start >= edge:
            crossing -= 1
        elif spans[crossing].end > edge:
            count -= 1
        else:
            break
    return count


def _cut(pieces: list[Piece], ends: list[int], spans: list[Hit], first: int, glue: int) -> None:
    """Set what is removed from each piece."""
    number, start = 0, first
    for hit in spans:
        new: Hit | None = hit
        while number < len(pieces):
            from_, to = max(hit.start, start), min(hit.end, ends[number])
            if from_ < to:
                pieces[number].cuts.append(Cut(from_ - start, to - start, new))
                new = None
            if hit.end <= ends[number]:
                break
            start = ends[number] + glue
            number += 1


def _goes_over(old: str, new: str) -> bool:
    """Whether a text repeats the previous one, and continues it."""
    return len(old) >= _LONG and new.startswith(old)
