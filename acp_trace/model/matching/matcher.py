"""A request of a run -> the recorded call that answers it. Never raises, and never guesses by position alone.

Candidates are recorded calls of the same endpoint with as many messages, tools and parameters. Two requests
are compared piece by piece; the piece that needs the most forgiving level decides for the whole. Of the calls
that match, one that was not served yet comes before one that was, then the stricter level, then one whose ids
belong to the same session, then the first recorded. What only tools printed otherwise (`output`) and `loose`
come after all of these.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from acp_trace.model import sockets
from acp_trace.model.calls import ModelCall
from acp_trace.model.matching import likeness, outputs
from acp_trace.model.matching.document import Document, RequestPiece, RequestPieces
from acp_trace.model.matching.learned import LearnedIds
from acp_trace.model.matching.levels import ENVIRONMENT, IDS, LEVELS, LOOSE, OUTPUT, RAW, SORTED
from acp_trace.model.matching.normal import Normaliser
from acp_trace.model.matching.outputs import ToolOutputs
from acp_trace.model.matching.places import MovedPlaces
from acp_trace.model.matching.shapes import MatchedCall, MissedCall, ModelRequest
from acp_trace.model.prompt_diff import Normalise, difference
from acp_trace.model.reading import read_prompt
from acp_trace.model.recognition import Recognised, recognise
from acp_trace.model.serving.replacements import Replacements
from acp_trace.model.serving.rewriting import Rewriting
from acp_trace.model.shapes import Prompt

_QUERY = re.compile(r"([?&][^=&]*(?:key|token|secret|auth|sig)[^=&]*)=[^&]*", re.IGNORECASE)
_MODEL = re.compile(r"(/(?:models?|deployments)/)[^/:]+")

#: Levels that only forgive what a run makes anew.
_STRICT = (IDS, ENVIRONMENT, SORTED)


class _Fit(NamedTuple):
    """How a recorded call matches a request."""

    level: int
    ids: dict[str, str]  #: of the run, by the recorded one


class _Recorded:
    """A recorded call, with what is found out about it when it is needed."""

    def __init__(self, call: ModelCall, order: int) -> None:
        self.call = call
        self.order = order
        self.endpoint = _endpoint(call.path, is_socket=call.recognised.is_socket)
        self.served = 0
        self.document: Document | None = None
        self.prompt: Prompt | None = None


class Matcher:
    """Answers requests out of `recorded`, each call once as long as there are others that match as well.

    `loose`: whether one may match of which only the point in the conversation is the same. `is_model_live`:
    the run's model made its own ids.
    """

    def __init__(
        self,
        recorded: Sequence[ModelCall],
        places: MovedPlaces,
        *,
        loose: bool = True,
        is_model_live: bool = False,
    ) -> None:
        self._loose = loose
        self._replacements = Replacements(places.pairs)
        self._recorded = [_Recorded(call, order) for order, call in enumerate(recorded)]
        self._pieces = RequestPieces()
        self._normal = (
            Normaliser(places.recorded, is_run=False),
            Normaliser(places.actual, is_run=True),
        )
        made = (id for call in recorded for id in _made_ids(call))
        self.learned = LearnedIds(() if is_model_live else made)
        self._raw: dict[tuple[str, bytes], list[_Recorded]] = {}
        for each in self._recorded:
            self._raw.setdefault((each.endpoint, each.call.body), []).append(each)
        self._by_shape: dict[tuple[str, frozenset[object]], list[_Recorded]] | None = None
        self._seen: list[Document] = []  #: of the run, whose outputs are not taken in yet
        self._gave: ToolOutputs | None = None
        self._gives = ToolOutputs()
        self._levels: dict[tuple[int, int], int] = {}  #: at which two pieces match

    def match(self, request: ModelRequest) -> MatchedCall | MissedCall:
        """What answers a request, and takes note that it has been answered."""
        is_socket = any(name.lower() == "upgrade" for name, _ in request.headers)
        endpoint = _endpoint(request.path, is_socket=is_socket)
        raw = self._raw.get((endpoint, request.body), [])
        if first := next((each for each in raw if not each.served), None):
            self._seen.append(self._pieces.document(request.body))
            return self._matched(first, _Fit(RAW, {}))
        document = self._pieces.document(request.body)
        self._seen.append(document)
        best = self._best(endpoint, document, _STRICT, raw) or self._best(endpoint, document, (OUTPUT,), [])
        if best is not None:
            return self._matched(*best)
        recognised = recognise(request.method, request.host, request.path, request.headers, request.body)
        prompt = self._prompt(recognised, request.body)
        if self._loose and recognised is not None:
            similar = self._most_alike(recognised, endpoint, prompt, document)
            if similar is not None:
                return self._matched(similar, _Fit(LOOSE, {}))
        return self._missed(recognised, prompt, document)

    def learn_answer(self, recorded: ModelCall, actual: ModelCall) -> None:
        """Takes note of the ids that a model made anew in its answer to a request that matched."""
        old, new = recorded.answer, actual.answer
        pairs = [
            (old.id, new.id),
            *((was.id, now.id) for was, now in zip(old.tool_calls, new.tool_calls, strict=False)),
        ]
        self.learned.learn({was: now for was, now in pairs if was and now and was != now})

    # The levels from `raw` to `output`.

    def _best(
        self, endpoint: str, document: Document, levels: tuple[int, ...], raw: Sequence[_Recorded]
    ) -> tuple[_Recorded, _Fit] | None:
        """The best call that matches at one of these levels; those of `raw` match, too."""
        found: list[tuple[tuple[int, int, int, int], _Recorded, _Fit]] = []
        for each in self._candidates(endpoint, document):
            fit = _Fit(RAW, {}) if each in raw else self._fit(each, document, levels[-1])
            if fit is not None:
                conflicts = self.learned.conflicts(fit.ids)
                # Of those served before, the last: what came before may be an error that was tried again.
                order = -each.order if each.served else each.order
                found.append(((min(each.served, 1), fit.level, conflicts, order), each, fit))
        if not found:
            return None
        _, best, fit = min(found, key=lambda item: item[0])
        return best, fit

    def _candidates(self, endpoint: str, document: Document) -> list[_Recorded]:
        if self._by_shape is None:
            self._by_shape = {}
            for each in self._recorded:
                shape = (each.endpoint, self._document(each).shape)
                self._by_shape.setdefault(shape, []).append(each)
        return self._by_shape.get((endpoint, document.shape), [])

    def _document(self, recorded: _Recorded) -> Document:
        if recorded.document is None:
            recorded.document = self._pieces.document(recorded.call.body)
        return recorded.document

    def _fit(self, recorded: _Recorded, document: Document, most: int) -> _Fit | None:
        """How a call matches a request at a level up to `most`; None if it does not."""
        old = self._document(recorded)
        pairs = zip(old.pieces, document.pieces, strict=True)
        level = RAW
        if old.places != document.places:
            level = SORTED
            pieces = document.at()
            pairs = zip(old.pieces, (pieces[place] for place in old.places), strict=True)
        was: list[str] = []
        now: list[str] = []
        for piece, other in pairs:
            if piece is other:
                continue
            of_pair = self._level(piece, other, most)
            if of_pair is None:
                return None
            level = max(level, of_pair)
            was += self._normal[0].form(piece, of_pair).ids
            now += self._normal[1].form(other, of_pair).ids
        ids = self.learned.pairs(tuple(was), tuple(now))
        return None if ids is None else _Fit(max(level, IDS), ids)

    def _level(self, piece: RequestPiece, other: RequestPiece, most: int) -> int | None:
        """The strictest level up to `most` at which two pieces are equal."""
        key = (piece.number, other.number)
        known = self._levels.get(key)
        if known is not None:
            return known if known <= most else None
        for level in range(IDS, most + 1):
            if self._equal(piece, other, level):
                self._levels[key] = level
                return level
        return None

    def _equal(self, piece: RequestPiece, other: RequestPiece, level: int) -> bool:
        if self._normal[0].form(piece, level).text == self._normal[1].form(other, level).text:
            return True
        return level == OUTPUT and self._quotes(piece, other)

    def _quotes(self, piece: RequestPiece, other: RequestPiece) -> bool:
        """Whether two pieces differ only where they quote what tools gave."""
        if self._gave is None:
            self._gave = ToolOutputs()
            for each in self._recorded:
                self._take_outputs(self._gave, self._document(each), 0)
        for document in self._seen:
            self._take_outputs(self._gives, document, 1)
        self._seen.clear()
        values = [self._normal[side].settled(each, OUTPUT, []) for side, each in enumerate((piece, other))]
        return outputs.values_agree(values[0], values[1], self._gave, self._gives)

    def _take_outputs(self, into: ToolOutputs, document: Document, side: int) -> None:
        for piece in document.pieces:
            if piece.number not in into.pieces:
                into.pieces.add(piece.number)
                for text in outputs.texts(outputs.value_of(piece.data)):
                    into.add(self._normal[side].text(text, "", OUTPUT, []))

    # `loose`, and what is nearest.

    def _most_alike(
        self, recognised: Recognised, endpoint: str, prompt: Prompt, document: Document
    ) -> _Recorded | None:
        """The call not yet served that stands at the same point and is most like the request."""
        point = likeness.point(prompt, self._settle(1))
        found = [
            each
            for each in self._recorded
            if not each.served
            and each.call.recognised.form is recognised.form
            and _without_model(each.endpoint) == _without_model(endpoint)
            and likeness.point(self._prompt_of(each), self._settle(0)) == point
        ]
        return max(
            found,
            key=lambda each: (
                likeness.words_in_common(self._prompt_of(each), prompt),
                likeness.alike(self._document(each), document),
                -each.order,
            ),
            default=None,
        )

    def _missed(self, recognised: Recognised | None, prompt: Prompt, document: Document) -> MissedCall:
        form = None if recognised is None else recognised.form
        same = [each for each in self._recorded if each.call.recognised.form is form]
        nearest = max(
            same,
            key=lambda each: (likeness.alike(self._document(each), document), -each.order),
            default=None,
        )
        if nearest is None:
            return MissedCall(None, None)
        settle = self._settle(1)
        return MissedCall(nearest.call, difference(self._prompt_of(nearest), prompt, settle))

    def _settle(self, side: int) -> Normalise:
        normal = self._normal[side]
        return lambda text: normal.text(text, "", ENVIRONMENT, [])

    def _prompt_of(self, recorded: _Recorded) -> Prompt:
        if recorded.prompt is None:
            recorded.prompt = recorded.call.prompt()
        return recorded.prompt

    def _prompt(self, recognised: Recognised | None, body: bytes) -> Prompt:
        """What a request tells, with what an earlier one told that it goes on from."""
        if recognised is None:
            return Prompt()
        prompt = read_prompt(recognised, body)
        if prompt.continues is not None:
            for each in self._recorded:
                if each.call.answer.id == prompt.continues:
                    return sockets.continued(prompt, self._prompt_of(each), each.call.answer)
        return prompt

    # What is kept of a match.

    def _matched(self, recorded: _Recorded, fit: _Fit) -> MatchedCall:
        again = recorded.served > 0
        recorded.served += 1
        self.learned.learn(fit.ids)
        rewriting = Rewriting(self._replacements.with_ids(self.learned.actual))
        return MatchedCall(recorded.call, LEVELS[fit.level], again, rewriting)


def _endpoint(path: str, *, is_socket: bool) -> str:
    return ("socket " if is_socket else "") + _QUERY.sub(r"\1", path)


def _without_model(endpoint: str) -> str:
    return _MODEL.sub(r"\1", endpoint)


def _made_ids(call: ModelCall) -> list[str]:
    """The ids that the model made in an answer."""
    ids = [call.answer.id, *(use.id for use in call.answer.tool_calls)]
    return [id for id in ids if id]
