"""A recorded exchange -> what the agent sent to the model (`read_prompt`), and its answer (`AnswerReader`).

Bodies are without their content coding. An answer is read piece by piece, each with its time, so that the
first word is distinguished from the first byte: the same bytes in other pieces give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from acp_trace.model import fields, problems
from acp_trace.model.draft import Draft
from acp_trace.model.forms.form import Form
from acp_trace.model.framing.events import Event
from acp_trace.model.framing.framer import Framing
from acp_trace.model.recognition import Recognised
from acp_trace.model.shapes import Answer, Problem, Prompt
from acp_trace.trace import jsontext

_DONE = b"[DONE]"
_ERROR = 400  #: from this status on, the body is an error
_KEPT = 64 * 1024  #: bytes of such a body


def read_prompt(recognised: Recognised, body: bytes) -> Prompt:
    """Return what a request sends to the model. An unreadable body gives an empty prompt."""
    prompt = recognised.form.prompt(fields.mapping(jsontext.value_or_none(body)))
    return prompt if prompt.model else msgspec.structs.replace(prompt, model=recognised.model)


class AnswerReader:
    """Reads one answer, piece by piece. Times are ns; `status` and `headers` are the response's."""

    def __init__(self, form: Form, status: int | None = None, headers: problems.Headers = ()) -> None:
        self._form = form
        self._status = status
        self._headers = tuple((name.lower(), value) for name, value in headers)
        self._framing = Framing(dict(self._headers).get("content-type") or "")
        self._draft = Draft()
        self._beginning = b""  #: of the body of an error
        self._output: list[tuple[int, int]] = []
        self._unreadable = 0
        self._first_byte: int | None = None
        self._last_byte = 0

    def feed(self, t_ns: int, data: bytes) -> None:
        """Read the next piece of the body."""
        if not data:
            return
        self._arrived(t_ns)
        if self._is_error:
            self._beginning = (self._beginning + data)[:_KEPT]
        self._read(self._framing.feed(data))

    def feed_message(self, t_ns: int, data: bytes) -> None:
        """Read the next message of a WebSocket: one event."""
        self._arrived(t_ns)
        self._read([Event(None, data)])

    def end(self) -> Answer:
        """Return the final answer. What the end completes has the time of the last piece."""
        self._read(self._framing.end())
        return self.answer()

    def answer(self) -> Answer:
        """Return the answer as far as it has come."""
        draft = self._draft
        error = self._problem()
        times = [t_ns for t_ns, _ in self._output]
        return Answer(
            id=draft.id,
            model=draft.model,
            parts=draft.parts(),
            stop_reason=draft.stop_reason,
            tokens=draft.counted(self._form.beside_input, self._form.beside_output),
            error=error,
            is_complete=draft.is_complete or error is not None,
            first_byte_ns=self._first_byte,
            first_token_ns=times[0] if times else None,
            last_token_ns=times[-1] if times else None,
            output=tuple(self._output),
            unreadable=self._unreadable,
        )

    @property
    def _is_error(self) -> bool:
        return self._status is not None and self._status >= _ERROR

    def _arrived(self, t_ns: int) -> None:
        if self._first_byte is None:
            self._first_byte = t_ns
        self._last_byte = t_ns

    def _read(self, events: Iterable[Event]) -> None:
        """Read events that came with the last piece."""
        draft = self._draft
        outputs, characters = draft.outputs, draft.characters
        for event in events:
            self._event(event)
        if draft.outputs > outputs:
            count = draft.characters - characters
            if self._output and self._output[-1][0] == self._last_byte:
                count += self._output.pop()[1]
            self._output.append((self._last_byte, count))

    def _event(self, event: Event) -> None:
        draft = self._draft
        if event.data.strip() == _DONE:
            draft.is_complete = True
            return
        data = jsontext.value_or_none(event.data)
        if not isinstance(data, dict):
            self._unreadable += not self._is_error
            return
        self._form.event(draft, event.name, data)
        problem = problems.in_event(event.name, data) if draft.error is None else None
        if problem is not None:
            draft.error = problem
            draft.is_complete = True

    def _problem(self) -> Problem | None:
        if self._status is not None and self._is_error:
            return problems.in_response(self._status, self._headers, self._beginning)
        return self._draft.error


def read_answer(
    form: Form, pieces: Iterable[tuple[int, bytes]], status: int | None = None, headers: problems.Headers = ()
) -> Answer:
    """Return the answer of a whole response: its pieces, each with its time in ns."""
    reader = AnswerReader(form, status, headers)
    for t_ns, data in pieces:
        reader.feed(t_ns, data)
    return reader.end()


def read_messages(form: Form, messages: Iterable[tuple[int, bytes]]) -> Answer:
    """Return the answer to a call on a WebSocket: its messages, each with its time in ns."""
    reader = AnswerReader(form)
    for t_ns, data in messages:
        reader.feed_message(t_ns, data)
    return reader.end()
