"""Two sequences aligned: right where they are small, quick where they are long."""

from __future__ import annotations

import difflib
import itertools

from hypothesis import given
from hypothesis import strategies as st

from acp_trace.compare.pairing.align import align, align_in_steps, increasing

SEQUENCES = st.lists(st.integers(0, 6), max_size=30)


@given(SEQUENCES, SEQUENCES)
def test_pairs_are_equal_and_in_order(a: list[int], b: list[int]) -> None:
    """And there are no fewer than the standard library finds."""
    pairs = align(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(i < k and j < m for (i, j), (k, m) in itertools.pairwise(pairs))
    blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    assert len(pairs) >= sum(block.size for block in blocks)


@given(SEQUENCES)
def test_a_sequence_is_its_own(a: list[int]) -> None:
    """Every item with itself."""
    assert align(a, a) == [(i, i) for i in range(len(a))]


def test_one_that_is_missing_in_the_middle() -> None:
    """Everything else keeps its counterpart, also where the sequence is long."""
    a = list(range(5000))
    b = a[:2500] + a[2501:]
    assert align(a, b) == [(i, i - (i > 2500)) for i in a if i != 2500]


def test_long_rows_of_the_same_are_walked_along() -> None:
    """A hundred thousand items of two kinds, with gaps on both sides: most are found, and soon."""
    a = [n % 2 for n in range(100_000)]
    b = [n % 2 for n in range(100_000) if n % 1000]
    assert len(align([9, *a, 8], [7, *b, 6])) > 99_000


@given(st.permutations(range(12)))
def test_what_increases(order: list[int]) -> None:
    """The longest run of pairs that increase on both sides, held against all of them."""
    pairs = list(enumerate(order))
    found = increasing(pairs)
    assert found == sorted(found, key=lambda pair: pair[1])
    longest = [0] * len(order)
    for at, value in enumerate(order):
        longest[at] = 1 + max((longest[i] for i in range(at) if order[i] < value), default=0)
    assert len(found) == max(longest)


def test_claims_go_from_strict_to_loose() -> None:
    """What an earlier step matched stays; a later one looks into the holes."""
    strict = ["x1", "y1", "z1"], ["x1", "y2", "z1", "w1"]
    loose = ["x", "y", "z"], ["x", "y", "z", "w"]
    found = align_in_steps(strict, loose)
    assert (found.pairs, found.missing, found.extra, found.unmatched) == (
        [(0, 0), (1, 1), (2, 2)],
        [],
        [3],
        1,
    )
    assert align_in_steps(strict).missing == [1]
