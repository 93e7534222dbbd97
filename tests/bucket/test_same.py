"""Whether a place has a trace under its id, or another one: by the lines with which both begin."""

from __future__ import annotations

import pytest

from acp_trace.places import packing
from acp_trace.team.bucket import same
from tests.support import header, line

_HEAD = header()
_ONE, _TWO = line(t=1, log="one word"), line(t=2, log="two 5678")
_TRACE = _HEAD + _ONE + _TWO


def _packed(lines: bytes) -> bytes:
    return b"".join(packing.packed([lines]))


@pytest.mark.parametrize(
    "there",
    [
        _TRACE,
        _HEAD + line(t=1, log="<secret:1> word") + _TWO,
        _HEAD + line(t=1, log="<home>") + line(t=2, log=""),
        _HEAD + _TWO,  # a line that cannot be read was left out
        _TRACE + line(t=3, log="more"),
    ],
)
def test_the_same_trace(there: bytes) -> None:
    """As it is, without its secrets or its damaged lines; and of a longer one, this is the beginning."""
    assert same.difference(_packed(there), [_HEAD, _ONE, _TWO]) is None


@pytest.mark.parametrize(
    ("there", "number"),
    [
        (_HEAD + line(t=1, log="one world") + _TWO, 2),
        (_HEAD + _ONE + line(t=2, log="two 5678 "), 3),
        (_HEAD.replace(b"acp_trace", b"acp_trace ", 1) + _ONE + _TWO, 1),
        (_HEAD + line(t=1, log="one") + _ONE + _TWO, 2),
    ],
)
def test_a_trace_with_another_line(there: bytes, number: int) -> None:
    """One changed word makes it another trace."""
    expected = f"the place has another trace with this id: line {number} differs"
    assert same.difference(_packed(there), [_TRACE]) == expected


def test_a_number_that_was_a_secret_is_0() -> None:
    """So redaction writes it, and another number in its place says nothing."""
    numbers = [_HEAD + line(t=1, frame={"pin": pin, "x": "a"}, **{"from": "agent"}) for pin in (0, 1234)]
    assert same.difference(_packed(numbers[0]), [numbers[1]]) is None
    assert same.difference(_packed(numbers[1]), [numbers[0]]) is not None


def test_a_long_object_is_compared_as_far_as_it_is_looked_at() -> None:
    """A line that is cut is not compared."""
    lines = [line(t=at, log=f"{at * 7919 % 10007:x}" * 9) for at in range(20_000)]
    packed = _packed(b"".join([_HEAD, *lines]))[: same.LOOKED_AT]
    assert same.difference(packed, [_HEAD, *lines]) is None
    changed = [*lines[:50], line(t=50, log="other"), *lines[51:]]
    assert "line 52 differs" in (same.difference(packed, [_HEAD, *changed]) or "")
