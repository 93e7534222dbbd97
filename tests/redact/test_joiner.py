"""Pieces of texts put together."""

from __future__ import annotations

import random
import re

import pytest

from acp_trace.redact import joiner as module
from acp_trace.redact.joiner import Joiner
from acp_trace.redact.pieces import Piece, PieceOfText
from acp_trace.redact.scan import Hit


def scan(text: str) -> list[Hit]:
    return [Hit(*found.span(), found[0]) for found in re.finditer("<[^<>]*>", text)]


def may(text: str) -> bool:
    return "<" in text or ">" in text


def shown(piece: Piece) -> str:
    text, done = "", 0
    for start, end, found in piece.cuts:
        text += piece.text[done:start] + ("*" if found else "")
        done = end
    return text + piece.text[done:]


def joined(*texts: str, separator: str = "", key: str = "k", grows: bool = False) -> list[str]:
    made = Joiner(scan, may)
    pieces = [Piece((), text) for text in texts]
    for piece in pieces:
        made.add(PieceOfText((key,), piece, separator, grows))
    made.finish()
    assert all(piece.final for piece in pieces)
    return [shown(piece) for piece in pieces]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 5000])
@pytest.mark.parametrize("batch", [1, 10, 8192])
def test_in_whatever_pieces_it_comes(size: int, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pieces say together what the whole text says; each secret has one placeholder."""
    monkeypatch.setattr(module, "_BATCH", batch)
    monkeypatch.setattr(module, "_WINDOW", 40)
    dice = random.Random(size)
    text = "".join(f"{'x' * dice.randrange(30)}<{'s' * dice.randrange(20)}>" for _ in range(40)) + "end"
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert "".join(joined(*pieces)) == re.sub("<s*>", "*", text)


def test_lines_are_pieces_too() -> None:
    """What goes over several lines is cut out of each."""
    assert joined("a <b", "c", "d> e", separator="\n") == ["a *", "", " e"]


def test_texts_are_told_apart() -> None:
    """By their keys."""
    made = Joiner(scan, may)
    pieces = [Piece((), text) for text in ("a<b", "x", "c>d")]
    for key, piece in zip("121", pieces, strict=True):
        made.add(PieceOfText((key,), piece))
    made.finish()
    assert list(map(shown, pieces)) == ["a*", "x", "d"]


def test_a_text_that_is_said_again_does_not_go_on() -> None:
    """Output that is told from its beginning each time."""
    start = "a long beginning of <"
    assert joined(start, f"{start}b>", grows=True) == [start, "a long beginning of *"]
    assert joined("a <", "b>", grows=True) == ["a *", ""]


def test_only_the_end_is_kept() -> None:
    """Of a text that goes on and on; all before it is settled."""
    made, left = Joiner(scan, may), 0
    pieces = [Piece((), "word ") for _ in range(20_000)]
    for number, piece in enumerate(pieces, 1):
        made.add(PieceOfText(("k",), piece))
        left = max(left, number - sum(one.final for one in pieces[:number]) if number % 1000 == 0 else 0)
    assert left * 5 <= 2 * module._BATCH


def test_a_text_that_goes_no_further_is_settled() -> None:
    """So that no line waits for ever."""
    made, idle, busy = Joiner(scan, may), Piece((), "a<"), [Piece((), "<") for _ in range(3)]
    made.add(PieceOfText(("idle",), idle))
    for piece in busy:
        made.add(PieceOfText(("busy",), piece))
        made.relieve()
    assert (idle.final, busy[-1].final) == (True, False)
    made.finish()
    assert busy[-1].final


def test_nothing_is_looked_at_without_a_sign() -> None:
    """Large pieces in which nothing is are looked at where they meet."""
    seen: list[int] = []

    def count(text: str) -> bool:
        seen.append(len(text))
        return may(text)

    made, pieces = Joiner(scan, count), [Piece((), "x" * 100_000) for _ in range(3)]
    for piece in pieces:
        piece.plain = True
        made.add(PieceOfText(("k",), piece))
    made.finish()
    assert max(seen) < 1000
