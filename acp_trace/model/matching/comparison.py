"""How a recorded request and a run's request compare: the level at which all their pieces are equal, or none.

Results for two pieces are kept: the next request has most of them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import ne
from typing import NamedTuple

from acp_trace.model.matching import outputs, piece_forms
from acp_trace.model.matching.document import Document, PieceForm, RequestPiece
from acp_trace.model.matching.learned import LearnedIds
from acp_trace.model.matching.levels import IDS, OUTPUT, RAW, SORTED
from acp_trace.model.matching.outputs import ToolOutputs
from acp_trace.model.matching.quotes import Quotes
from acp_trace.normalize.moved_places import MovedPlaces
from acp_trace.normalize.normalizer import REQUEST, Normalizer


class Fit(NamedTuple):
    """How a recorded request matches."""

    level: int
    ids: dict[str, str]  #: of the run, by the recorded one
    others: int  #: how many ids and moments differ


#: Nothing differs.
EQUAL = Fit(RAW, {}, 0)


class _Ids(NamedTuple):
    """The ids of two requests, in their order."""

    recorded: list[str]
    actual: list[str]


class RequestComparison:
    """Compares requests. `recorded`: the recording's requests, `answers`: the model's answers there."""

    def __init__(
        self,
        places: MovedPlaces,
        learned: LearnedIds,
        recorded: Callable[[], Iterable[Document]],
        answers: Callable[[], Iterable[str]],
    ) -> None:
        self._normalizers = Normalizer("expected", places.recorded), Normalizer("actual", places.actual)
        self._learned = learned
        self._recorded = recorded
        self._answers = answers
        self._seen: list[Document] = []  #: of the run, with outputs not yet added
        self._quoted: Quotes | None = None
        self._gives = ToolOutputs()
        self._levels: dict[tuple[int, int], int] = {}  #: at which two pieces match
        #: Pieces that do not match up to a level, and how many lines of outputs were known then.
        self._differ: dict[tuple[int, int], tuple[int, int]] = {}

    def see(self, document: Document) -> None:
        """Take note of a request of the run."""
        self._seen.append(document)

    def plain(self, text: str, *, is_run: bool) -> str:
        """Return a text of either side without what moves with the environment."""
        return self._normalizers[is_run].words(text, REQUEST)

    def fit(self, recorded: Document, document: Document, most: int) -> Fit | None:
        """Return how a recorded request matches one of the same shape, at a level up to `most`, or None."""
        pairs = zip(recorded.pieces, document.pieces, strict=True)
        level = IDS
        if recorded.places != document.places:
            level = SORTED
            pieces = document.at()
            pairs = zip(recorded.pieces, (pieces[place] for place in recorded.places), strict=True)
        ids = _Ids([], [])
        others = 0
        for piece, other in pairs:
            if piece is other:
                continue
            of_pair = self._level(piece, other, most)
            if of_pair is None:
                return None
            level = max(level, of_pair)
            was, now = self._forms(piece, other, of_pair)
            if was.text == now.text:  # else the two quote different ids
                ids.recorded.extend(was.ids)
                ids.actual.extend(now.ids)
            others += sum(map(ne, was.moments, now.moments))
        pairs_of_ids = self._learned.pairs(ids.recorded, ids.actual)
        if pairs_of_ids is None:
            return None
        return Fit(level, pairs_of_ids, others + len(pairs_of_ids))

    def _level(self, piece: RequestPiece, other: RequestPiece, most: int) -> int | None:
        """Return the strictest level up to `most` at which two pieces are equal."""
        key = (piece.number, other.number)
        known = self._levels.get(key)
        if known is not None:
            return known if known <= most else None
        tried, lines = self._differ.get(key, (RAW, 0))
        if most == OUTPUT:
            self._take_in()
        if most <= tried and (most < OUTPUT or lines == len(self._gives)):
            return None
        for level in range(min(tried + 1, most), most + 1):
            if self._equal(piece, other, level):
                self._levels[key] = level
                return level
        self._differ[key] = (most, len(self._gives))
        return None

    def _equal(self, piece: RequestPiece, other: RequestPiece, level: int) -> bool:
        was, now = self._forms(piece, other, level)
        if was.text == now.text:
            return True
        return level == OUTPUT and self._quotes(piece, other)

    def _forms(self, piece: RequestPiece, other: RequestPiece, level: int) -> tuple[PieceForm, PieceForm]:
        expected, actual = self._normalizers
        return piece_forms.form(piece, level, expected), piece_forms.form(other, level, actual)

    def _quotes(self, piece: RequestPiece, other: RequestPiece) -> bool:
        """Whether two pieces differ only in what they quote."""
        if self._quoted is None:
            gave = ToolOutputs()
            for document in self._recorded():
                self._take_outputs(gave, document, is_run=False)
            said = [self.plain(text, is_run=False) for text in self._answers()]
            self._quoted = Quotes(gave, self._gives, said)
        pairs = zip((piece, other), self._normalizers, strict=True)
        return self._quoted.agree(*(piece_forms.settled(each, OUTPUT, side) for each, side in pairs))

    def _take_in(self) -> None:
        """Add what tools returned in the run, as far as requests contain it."""
        for document in self._seen:
            self._take_outputs(self._gives, document, is_run=True)
        self._seen.clear()

    def _take_outputs(self, into: ToolOutputs, document: Document, *, is_run: bool) -> None:
        for piece in document.pieces:
            if piece.number not in into.pieces:
                into.pieces.add(piece.number)
                for text in outputs.texts(outputs.value_of(piece.data)):
                    into.add(self.plain(text, is_run=is_run))
