"""A request of a run -> the recorded call that answers it. Never raises, and never guesses by position alone.

Candidates are recorded calls of the same endpoint with as many messages, tools and parameters. Two requests
are compared piece by piece; the piece that needs the most forgiving level decides for the whole. Of the calls
that match, the order is: calls not served yet; then the stricter level; then calls whose ids belong to the
same session; then fewer differing ids and times; then the first recorded. Matches in which only tools' output
differs (`output`), and then `loose`, come after all of these.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from acp_trace.model import sockets
from acp_trace.model.calls import ModelCall
from acp_trace.model.matching import loose
from acp_trace.model.matching.comparison import EQUAL, Fit, RequestComparison
from acp_trace.model.matching.document import Document, RequestPieces
from acp_trace.model.matching.learned import LearnedIds
from acp_trace.model.matching.levels import ENVIRONMENT, IDS, LEVELS, LOOSE, OUTPUT, SORTED
from acp_trace.model.matching.shapes import MatchedCall, MissedCall, ModelRequest
from acp_trace.model.prompt_diff import difference
from acp_trace.model.reading import read_prompt
from acp_trace.model.recognition import Recognised, recognise
from acp_trace.model.serving.replacements import Replacements
from acp_trace.model.serving.rewriting import Rewriting
from acp_trace.model.shapes import Prompt
from acp_trace.normalize.moved_places import MovedPlaces

_QUERY = re.compile(r"([?&][^=&]*(?:key|token|secret|auth|sig)[^=&]*)=[^&]*", re.IGNORECASE)
_MODEL = re.compile(r"(/(?:models?|deployments)/)[^/:]+")

#: Levels that only forgive what each run makes itself.
_STRICT = (IDS, ENVIRONMENT, SORTED)


class _Recorded:
    """A recorded call, with derived values that are computed when needed."""

    def __init__(self, call: ModelCall, order: int) -> None:
        self.call = call
        self.order = order
        self.endpoint = _endpoint(call.path, is_socket=call.recognised.is_socket)
        self.served = 0
        self.document: Document | None = None
        self.prompt: Prompt | None = None
        self.point: loose.Point | None = None


class Matcher:
    """Answers requests from `recorded`, each call once as long as other calls match equally well.

    `loose`: whether a call may match by its point in the conversation only. `is_model_live`: the run's model
    made its own ids.
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
        made = (id for call in recorded for id in _made_ids(call))
        self.learned = LearnedIds(() if is_model_live else made)
        self._comparison = RequestComparison(places, self.learned, self._documents, self._answers)
        self._raw: dict[tuple[str, bytes], list[_Recorded]] = {}
        for each in self._recorded:
            self._raw.setdefault((each.endpoint, each.call.body), []).append(each)
        self._by_shape: dict[tuple[str, frozenset[object]], list[_Recorded]] | None = None

    def match(self, request: ModelRequest) -> MatchedCall | MissedCall:
        """Return what answers a request, and note that it has been served."""
        is_socket = any(
            name.lower() == "upgrade" and (value or "").lower() == "websocket"
            for name, value in request.headers
        )
        endpoint = _endpoint(request.path, is_socket=is_socket)
        raw = self._raw.get((endpoint, request.body), [])
        if first := next((each for each in raw if not each.served), None):
            self._comparison.see(self._pieces.document(request.body))
            return self._matched(first, EQUAL)
        document = self._pieces.document(request.body)
        self._comparison.see(document)
        best = self._best(endpoint, document, _STRICT, raw) or self._best(endpoint, document, (OUTPUT,), [])
        if best is not None:
            return self._matched(*best)
        recognised = recognise(request.method, request.host, request.path, request.headers, request.body)
        prompt = self._prompt(recognised, request.body)
        if self._loose and recognised is not None:
            similar = self._most_alike(recognised, endpoint, prompt, document)
            if similar is not None:
                return self._matched(similar, EQUAL._replace(level=LOOSE))
        return self._missed(recognised, prompt, document)

    def learn_answer(self, recorded: ModelCall, actual: ModelCall) -> None:
        """Note the ids that a live model made in its answer to a request that matched."""
        old, new = recorded.answer, actual.answer
        pairs = [
            (old.id, new.id),
            *((was.id, now.id) for was, now in zip(old.tool_calls, new.tool_calls, strict=False)),
        ]
        self.learned.learn({was: now for was, now in pairs if was and now and was != now})

    # The levels from `raw` to `output`.

    def _best(
        self, endpoint: str, document: Document, levels: tuple[int, ...], raw: Sequence[_Recorded]
    ) -> tuple[_Recorded, Fit] | None:
        """Return the best call that matches at one of these levels; those of `raw` match, too."""
        found: list[tuple[tuple[int, ...], _Recorded, Fit]] = []
        for each in self._candidates(endpoint, document):
            fit = EQUAL if each in raw else self._comparison.fit(self._document(each), document, levels[-1])
            if fit is not None:
                conflicts = self.learned.conflicts(fit.ids)
                # Of those served before, prefer the last: earlier ones may be errors that were retried.
                order = -each.order if each.served else each.order
                key = (min(each.served, 1), fit.level, conflicts, fit.others, order)
                found.append((key, each, fit))
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

    def _answers(self) -> list[str]:
        return [each.call.answer.text for each in self._recorded]

    def _documents(self) -> list[Document]:
        return [self._document(each) for each in self._recorded]

    def _document(self, recorded: _Recorded) -> Document:
        if recorded.document is None:
            recorded.document = self._pieces.document(recorded.call.body)
        return recorded.document

    # `loose`, and what is nearest.

    def _most_alike(
        self, recognised: Recognised, endpoint: str, prompt: Prompt, document: Document
    ) -> _Recorded | None:
        """Return the most similar call at the same point that is not yet served."""
        point = loose.point(prompt, self._of_run)
        path = _without_model(endpoint)
        found = [
            each
            for each in self._recorded
            if not each.served
            and each.call.recognised.form is recognised.form
            and _without_model(each.endpoint) == path
            and self._point_of(each).is_like(point)
        ]
        return max(
            found,
            key=lambda each: (
                loose.words_in_common(self._prompt_of(each), prompt),
                loose.alike(self._document(each), document),
                -each.order,
            ),
            default=None,
        )

    def _missed(self, recognised: Recognised | None, prompt: Prompt, document: Document) -> MissedCall:
        form = None if recognised is None else recognised.form
        same = [each for each in self._recorded if each.call.recognised.form is form]
        point = loose.point(prompt, self._of_run)
        nearest = max(
            same,
            key=lambda each: (
                self._point_of(each).common(point),
                loose.alike(self._document(each), document),
                -each.order,
            ),
            default=None,
        )
        if nearest is None:
            return MissedCall(None, None)
        return MissedCall(nearest.call, difference(self._prompt_of(nearest), prompt, self._of_both))

    def _of_run(self, text: str) -> str:
        return self._comparison.plain(text, is_run=True)

    def _of_recording(self, text: str) -> str:
        return self._comparison.plain(text, is_run=False)

    def _of_both(self, text: str) -> str:
        """Normalise a text of either side: names of the run's directories are not paths of the recording."""
        return self._of_run(self._of_recording(text))

    def _point_of(self, recorded: _Recorded) -> loose.Point:
        if recorded.point is None:
            # Most calls need nothing else: their prompts are not kept.
            recorded.point = loose.point(recorded.prompt or recorded.call.prompt(), self._of_recording)
        return recorded.point

    def _prompt_of(self, recorded: _Recorded) -> Prompt:
        if recorded.prompt is None:
            recorded.prompt = recorded.call.prompt()
        return recorded.prompt

    def _prompt(self, recognised: Recognised | None, body: bytes) -> Prompt:
        """Return what a request sends, including an earlier request that it continues."""
        if recognised is None:
            return Prompt()
        prompt = read_prompt(recognised, body)
        if prompt.continues is not None:
            for each in self._recorded:
                if each.call.answer.id == prompt.continues:
                    return sockets.continued(prompt, self._prompt_of(each), each.call.answer)
        return prompt

    # What is kept of a match.

    def _matched(self, recorded: _Recorded, fit: Fit) -> MatchedCall:
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
    """Return the ids that the model made in an answer."""
    ids = [call.answer.id, *(use.id for use in call.answer.tool_calls)]
    return [id for id in ids if id]
