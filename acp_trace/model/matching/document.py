"""A request's JSON, taken apart into pieces: each message, each tool, each parameter is one.

Requests repeat the whole conversation, so most pieces of a request are in the previous one too. A piece is
kept once, and its forms are computed once.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from acp_trace.normalize.masks import Side
from acp_trace.trace import jsontext

#: Where a piece is: keys, and the index in a list.
Place = tuple[str | int, ...]

_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_list = msgspec.json.Decoder(list[msgspec.Raw]).decode
_DEEPEST = 3  #: objects in objects that are taken apart


class PieceForm(NamedTuple):
    """A piece as it is compared. `ids` and `moments` are in the order of the text."""

    text: str
    ids: tuple[str, ...]
    moments: tuple[str, ...]


class RequestPiece:
    """A part of a request. Two with the same bytes under the same key are the same piece."""

    __slots__ = ("data", "field", "forms", "number")

    def __init__(self, number: int, field: str, data: bytes) -> None:
        self.number = number
        self.field = field  #: its key; for an item of a list, the list's key
        self.data = data
        self.forms: dict[tuple[int, Side], PieceForm] = {}  #: by level and side


class Document:
    """A request, taken apart. `places` and `pieces` go together, in the order of the text."""

    __slots__ = ("body", "pieces", "places", "shape")

    def __init__(self, body: bytes, places: tuple[Place, ...], pieces: tuple[RequestPiece, ...]) -> None:
        self.body = body
        self.places = places
        self.pieces = pieces
        #: Equal for requests that have as many messages, tools … under the same keys, in whatever order.
        self.shape = frozenset(places)

    def at(self) -> dict[Place, RequestPiece]:
        """The pieces by their places."""
        return dict(zip(self.places, self.pieces, strict=True))


class RequestPieces:
    """All pieces of a recording and of its run: what both contain is one piece."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bytes], RequestPiece] = {}

    def document(self, body: bytes) -> Document:
        """A request, taken apart. Anything but a JSON object is one piece."""
        places: list[Place] = []
        pieces: list[RequestPiece] = []
        if jsontext.is_too_deep(body) or not self._take(body, (), places, pieces):
            places, pieces = [()], [self._piece("", body)]
        return Document(body, tuple(places), tuple(pieces))

    def _take(self, data: bytes, at: Place, places: list[Place], pieces: list[RequestPiece]) -> bool:
        """Takes apart an object; False if it is none."""
        try:
            members = _object(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return False
        for key, raw in members.items():
            value = bytes(raw)
            place = (*at, key)
            if value[:1] == b"[":
                places.append((*place, "[]"))  # an empty list is not a missing one
                pieces.append(self._piece("", b""))
                for index, item in enumerate(_list(value)):
                    places.append((*place, index))
                    pieces.append(self._piece(key, bytes(item)))
            elif value[:1] != b"{" or len(place) >= _DEEPEST or not self._take(value, place, places, pieces):
                places.append(place)
                pieces.append(self._piece(key, value))
        return True

    def _piece(self, field: str, data: bytes) -> RequestPiece:
        key = (field, data)
        piece = self._known.get(key)
        if piece is None:
            piece = self._known[key] = RequestPiece(len(self._known), field, data)
        return piece
