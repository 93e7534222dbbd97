"""The same conversation in fewer frames: chunks of one message that come in a row become one frame. Pure.

Nearly all frames of a trace are such chunks. A process that has the frames before the facts are known
condenses them meanwhile, so that the conversation is soon made once the facts are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from acp_trace.analyze.frame import Frame
from acp_trace.protocol.payloads import TextUpdate
from acp_trace.story.messages import Messages
from acp_trace.trace.entries import Entry

#: Characters after which a frame is full: no frame takes much memory.
_FULL = 1 << 16


class _Run(msgspec.Struct):
    """Chunks of one message in a row."""

    first: Frame
    last: Frame
    message: int
    message_id: str | None
    pieces: list[str]
    length: int  #: characters of all pieces

    def frames(self) -> Iterator[Frame]:
        """All but the last one as one frame, and the last one."""
        if len(self.pieces) > 1:
            update = {"messageId": self.message_id, "content": {"text": "".join(self.pieces[:-1])}}
            data = msgspec.json.encode({"params": {"update": update}})
            yield msgspec.structs.replace(self.first, data=data, size=len(data))
        yield self.last


def condensed(entries: Iterable[tuple[Frame | Entry, TextUpdate | None]]) -> Iterator[Frame | Entry]:
    """The entries, from which `transcript.parts` makes the same parts as from all of them.

    With each entry comes its text if it is a chunk of text (`messages.chunk_of`). A frame that replaces
    several has the number and the time of the first, and the text of all. No fact is about one of the others,
    because a chunk begins no tool call and ends no turn. The last chunk stays as it is: its number gives the
    place of a line of stderr that follows.
    """
    messages = Messages()
    run: _Run | None = None
    for entry, chunk in entries:
        message = messages.of(entry, chunk) if isinstance(entry, Frame) else 0
        if run is not None and (message != run.message or chunk is None or run.length >= _FULL):
            yield from run.frames()
            run = None
        if not message or chunk is None or not isinstance(entry, Frame):
            yield entry
        elif run is None:
            text = chunk.content.text
            run = _Run(entry, entry, message, chunk.messageId, [text], len(text))
        else:
            run.last = entry
            run.pieces.append(chunk.content.text)
            run.length += len(chunk.content.text)
    if run is not None:
        yield from run.frames()
