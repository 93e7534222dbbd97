"""Parts of earlier bodies are found wherever they have moved to, with bounded work."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.trace import model_copies
from acp_trace.trace.model_copies import (
    Copy,
    KnownParts,
    Middle,
    last_character,
    next_character,
    same_begin,
    same_end,
)


def _message(n: int) -> bytes:
    text = (
        f"the text number {n} is not any of the others: {n * 7919} {n * 104729}, no word of it is like them"
    )
    return f'{{"role":"user","name":"{n}","content":"{text}"}},'.encode()


def _parts(*bodies: bytes) -> KnownParts:
    kept = dict(enumerate(bodies, 1))
    parts = KnownParts(kept.get)
    for number, body in kept.items():
        parts.add(number, body)
    return parts


def _copies(parts: KnownParts, body: bytes) -> tuple[Copy, ...]:
    return parts.copies(body, Middle(0, len(body)), 0)


def test_messages_that_changed_places() -> None:
    """In another order, with something new between, from two bodies."""
    first, second, third, fourth = (_message(n) for n in range(4))
    parts = _parts(b"[" + first + second, b"[[[" + third + fourth + b"-" * 500)
    body = b"new" + fourth + b"also new" + second
    copies = _copies(parts, body)
    assert copies == (Copy(3, 2, 3 + len(third), len(fourth)), Copy(8, 1, 1 + len(first), len(second)))


def test_what_looks_the_same_is_found_in_its_order() -> None:
    """Each message begins with the same words, more than what is looked up; in one of them something is new."""
    messages = [b'{"' + b"the same words" * 9 + b"%d}," % n for n in range(1000, 1050)]
    new = messages[20].replace(b"words", b"words are not", 1)
    before, body = b"".join(messages), b"".join([*messages[:20], new, *messages[21:]])
    begin = body.index(b" are not")
    copies = _parts(before).copies(body, Middle(begin, len(body)), 1)
    assert copies == (Copy(len(" are not"), 1, begin, len(before) - begin),)


def test_no_character_is_cut() -> None:
    """`ä` and `Ĥ` end with the same byte, `ä` and `ö` begin with the same one."""
    copies = _copies(
        _parts("ä".encode() + _message(1) + "ä".encode()), "Ĥ".encode() + _message(1) + "ö".encode()
    )
    assert copies == (Copy(2, 1, 2, len(_message(1))),)


def test_the_latest_of_equal_parts_is_copied() -> None:
    """It can be referred to for longer."""
    assert _copies(_parts(_message(1), _message(1) + _message(2)), _message(1))[0].body == 2


def test_a_body_that_is_gone_is_not_copied() -> None:
    """Its places may still be known."""
    kept: dict[int, bytes] = {1: _message(1)}
    parts = KnownParts(kept.get)
    parts.add(1, kept.pop(1))
    assert _copies(parts, _message(1)) == ()


def test_no_more_is_taken_than_the_longest_has() -> None:
    """A reader refuses what takes more: docs/trace-format.md."""
    message, longer = _message(1), _message(1) + b"x" * 70
    assert [copy.length for copy in _copies(_parts(message), message * 3)] == [len(message)]
    assert [copy.length for copy in _copies(_parts(longer), message * 3)] == [len(message), 70]
    assert sum(copy.length for copy in _copies(_parts(longer), longer * 3)) == len(longer)
    parts = _parts(message * 3)
    assert parts.copies(message * 3, Middle(len(message) * 3 - 100, len(message) * 3), 1)[0].length == 100
    assert parts.copies(message * 6, Middle(100, len(message) * 3 + 60), 1) == ()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"\x80" * (1 << 22), id="no character"),
        pytest.param(b"A" * (1 << 22), id="no spot"),
        pytest.param(b'{"' * (1 << 21), id="only spots"),
        pytest.param(b"".join(_message(n) for n in range(40_000)), id="much that is new"),
    ],
)
def test_work_is_bounded(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """4 MB and more, whatever is in them: a few thousand places are kept, a few thousand are looked up."""
    looked_up = 0
    parts = _parts(body)
    assert len(parts._places) <= 4097
    candidates = parts._candidates

    def count(*arguments: Any) -> Any:
        nonlocal looked_up
        looked_up += 1
        return candidates(*arguments)

    monkeypatch.setattr(parts, "_candidates", count)
    parts.copies(body.swapcase(), Middle(0, len(body)), 0)
    assert looked_up < 10_000


def test_places_of_bodies_that_are_gone_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else they would become ever more."""
    monkeypatch.setattr(model_copies, "_MOST", 100)
    kept: dict[int, bytes] = {}
    parts = KnownParts(kept.get)
    for number in range(1, 40):
        kept.clear()
        kept[number] = b"".join(_message(number * 100 + n) for n in range(30))
        parts.add(number, kept[number])
        assert len(parts._places) <= 130
    assert len(_copies(parts, kept[39])) == 1


@given(st.binary(max_size=300), st.text("ab", max_size=5), st.text("ab", max_size=5), st.integers(0, 310))
def test_how_much_is_the_same(same: bytes, one: str, other: str, most: int) -> None:
    """From the begin and from the end, as one would count it; and no more than is asked for."""
    both = min(len(one), len(other))
    equal = len(same) + next((n for n in range(both) if one[n] != other[n]), both)
    most = min(most, len(same) + both)
    first, second = same + one.encode(), same + other.encode()
    assert same_begin(first, 0, b"-" + second, 1, most) == min(equal, most)
    first, second = first[::-1], second[::-1]
    assert same_end(first, len(first), second + b"-", len(second), most) == min(equal, most)


def test_a_place_where_no_character_is_cut() -> None:
    """Before it and behind it; what is no UTF-8 is cut anywhere."""
    body = "a🐈b".encode()
    assert [last_character(body, at) for at in range(7)] == [0, 1, 1, 1, 1, 5, 6]
    assert [next_character(body, at) for at in range(7)] == [0, 1, 5, 5, 5, 5, 6]
    assert last_character(b"\x80" * 9, 8) == 5
    assert next_character(b"\x80" * 9, 1) == 4
