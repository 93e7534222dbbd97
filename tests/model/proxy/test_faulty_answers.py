"""Where an answer of the model breaks off on purpose."""

from __future__ import annotations

import pytest

from acp_trace.model.proxy.answers import TimedPiece
from acp_trace.model.proxy.faulty_answers import half_of_bytes, half_of_messages

_BODY = b"data: 1\n\ndata: 2\n\n"


@pytest.mark.parametrize("size", [1, 5, 9, len(_BODY)])
def test_a_body_breaks_off_at_one_place(size: int) -> None:
    """However it was divided when it was recorded."""
    pieces = [TimedPiece(at, _BODY[at : at + size]) for at in range(0, len(_BODY), size)]
    assert b"".join(piece.data for piece in half_of_bytes(pieces)) == _BODY[: len(_BODY) // 2]


def test_messages_of_a_socket_stay_whole() -> None:
    """Of three, two come; one alone has no half but that of its bytes."""
    one, two, three = (TimedPiece(at, b"{}") for at in range(3))
    assert half_of_messages([one, two, three]) == [one, two]
    assert half_of_messages([one]) == [TimedPiece(0, b"{")]
