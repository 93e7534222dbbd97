"""The joined content of one message's chunks: text, kinds of content, whether it comes twice.

Memory is bounded: `MOST` characters of a message are kept, and for the rest only that there is more. The text
of a finished message is kept compressed, and the common questions (is there a text, does it come twice) are
answered without it.
"""

from __future__ import annotations

import zlib
from typing import Any

from acp_trace.protocol.payloads import BlockView, text_update, update_in
from acp_trace.trace.jsontext import objects

#: Characters of one message that are kept. A turn's message rarely has a hundredth of this.
MOST = 262_144
#: The number of chunks whose texts are joined: a separate text takes far more memory than its letters.
_TOGETHER = 16
#: Compressing a shorter text would gain little, and take as long as for a thousand characters.
_PACKED_FROM = 200
#: Shorter texts repeat themselves by chance: `ha ha`, `....`.
_SHORTEST = 8


class JoinedText:
    """The content of the chunks that were added, in order.

    `kinds`: those of their content blocks, `text for assistant` if a block names its audience. `messages`:
    how many messages they are, at least and at most. Another `messageId` is another message; without ids,
    what comes after something else may be one or not.
    """

    __slots__ = (
        "_doubled",
        "_first_id",
        "_is_twice",
        "_kept",
        "_last_id",
        "_latest",
        "_paired",
        "_pieces",
        "_previous",
        "_repeated",
        "_texts",
        "chunks",
        "is_blank",
        "kinds",
        "messages",
        "pieces",
    )

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.messages = (0, 0)
        self._first_id: str | None = None
        self._last_id: str | None = None
        self.chunks = 0
        self.is_blank = True  #: whether there is no text, or only white space
        self.pieces: list[tuple[int, int]] = []  #: the position of each included piece, and its frame
        self._texts: list[str | bytes] = []  #: texts of several chunks each; compressed ones as bytes
        self._latest: list[str] = []  #: texts of the chunks after them
        self._kept = 0
        self._pieces = 0
        self._paired = self._doubled = True  #: whether each piece so far comes twice in a row, or in itself
        self._previous = ""
        self._repeated = ""  #: an included text that comes twice
        self._is_twice: bool | None = None  #: for a finished message

    @property
    def text(self) -> str:
        """The text, up to `MOST` characters."""
        unpacked = (each if isinstance(each, str) else _unpacked(each) for each in self._texts)
        return "".join((*unpacked, *self._latest))

    @property
    def is_twice(self) -> bool:
        """Whether everything is there twice: chunk by chunk, within each chunk, or as a whole.

        For the chunks `It is ` and `short.` that is so for `It is It is `, `short.short.`; for each chunk two
        times in a row; and for `It is `, `short.`, `It is short.`.
        """
        if self._repeated or not self._pieces:
            return bool(self._repeated)
        return self._has_two_halves(self.text) if self._is_twice is None else self._is_twice

    @property
    def twice(self) -> str:
        """The text that comes twice, if `is_twice`."""
        return self._repeated or self.text

    def _has_two_halves(self, text: str) -> bool:
        if self._kept < 2 * _SHORTEST or not any(map(str.isalnum, text[:_SHORTEST])):
            return False
        in_pairs = self._paired and self._pieces % 2 == 0
        return in_pairs or self._doubled or _is_doubled(text)

    def add(self, frame: bytes) -> None:
        """Add a chunk, or in draft 2 a whole message, by the text of its frame."""
        self.chunks += 1
        if (chunk := text_update(frame)) is not None:
            self._belongs(chunk.messageId)
            block = chunk.content
            self._show(
                _for(block.type, block.annotations.audience if block.annotations else None), block.text
            )
            return
        update = update_in(frame)
        self._belongs(update.message_id)
        content = update.content
        for each in map(BlockView, objects(content if isinstance(content, list) else [content])):
            self._show(_for(each.type, each.annotations.audience), each.text)

    def may_be_as_many(self, other: JoinedText) -> bool:
        """Whether both may be the same number of messages."""
        return self.messages[0] <= other.messages[1] and other.messages[0] <= self.messages[1]

    def end(self) -> None:
        """End the message: no chunk is added afterwards."""
        text = self.text
        self._is_twice = self._has_two_halves(text) if self._pieces else None
        self._previous = ""
        self._latest = []
        self._texts = [text if len(text) < _PACKED_FROM else zlib.compress(text.encode(), 1)]

    def include(self, other: JoinedText, frame: int) -> None:
        """Add the content of another message, from a frame on; its text may be the same."""
        self.pieces.append((self._kept, frame))
        if other.is_twice and not self._ends_with_half(other.text):
            self._repeated = other.text
        self.kinds |= other.kinds
        if not self.chunks:
            self.messages, self._first_id = other.messages, other._first_id
        else:
            goes_on, is_named = other._first_id == self._last_id, self._last_id is not None
            least, most = (mine + more for mine, more in zip(self.messages, other.messages, strict=True))
            self.messages = least - goes_on, most - (goes_on and is_named)
        self._last_id = other._last_id
        self.chunks += other.chunks
        self.is_blank &= other.is_blank
        if self._kept + other._kept > MOST:
            self._keep(other.text)
        else:
            self._texts += ["".join(self._latest), *other._texts, "".join(other._latest)]
            self._latest = []
            self._kept += other._kept

    def _ends_with_half(self, doubled: str) -> bool:
        """Whether this ends like a half of a doubled text: an endless repetition was cut there."""
        before, half = self.text, doubled[: len(doubled) // 2]
        return bool(before.strip()) and (before.endswith(half) or half.endswith(before))

    def _belongs(self, id_: str | None) -> None:
        """Note the message that the next chunk belongs to."""
        if self.messages == (0, 0):
            self._first_id = id_
        if self.messages == (0, 0) or id_ != self._last_id:
            self.messages = self.messages[0] + 1, self.messages[1] + 1
            self._last_id = id_

    def _show(self, kind: str | None, text: str | None) -> None:
        """Add a content block."""
        self.kinds.add(kind or "no type")
        if not text:
            return
        if self._paired and self._pieces % 2 and text != self._previous:
            self._paired = False
        self._pieces += 1
        if self._doubled:
            self._doubled = _is_doubled(text)
        if self.is_blank:
            self.is_blank = text.isspace()
        self._previous = text
        self._keep(text)

    def _keep(self, text: str) -> None:
        room = MOST - self._kept  # the rest is not kept
        if room <= 0:
            return
        if len(text) > room:
            text = text[:room]
        self._kept += len(text)
        self._latest.append(text)
        if len(self._latest) == _TOGETHER:
            self._texts.append("".join(self._latest))
            self._latest.clear()


def _unpacked(text: bytes) -> str:
    return zlib.decompress(text).decode()


def _is_doubled(text: str) -> bool:
    half, odd = divmod(len(text), 2)
    return not odd and text[0] == text[half] and text[:half] == text[half:]


def _for(kind: str | None, audience: list[Any] | None) -> str | None:
    """Return the kind of a block, with its audience, if it has one: `text for user`."""
    if not audience:
        return kind
    named = sorted(each for each in audience if isinstance(each, str))
    return f"{kind or 'block'} for {' and '.join(named)}" if named else kind
