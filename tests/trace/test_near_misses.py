"""Near misses: what is proposed for a word that is not there."""

from __future__ import annotations

import pytest

from acp_trace.trace.near_misses import did_you_mean, nearest, suggestion

_ID, _OTHER = "20261120T130501Z-7f3a9c", "20261120T130599Z-aaaaaa"


def test_nearest() -> None:
    """The nearest comes first; what looks like nothing gives nothing."""
    assert nearest("tiemout", ["mask", "time", "timeout"]) == ["timeout", "time"]
    assert nearest("zzz", ["timeout"]) == []
    assert nearest("a", []) == []
    assert len(nearest("word", [f"word{n}" for n in range(9)])) == 3


def test_who_nearly_wrote_an_alias_is_proposed_the_choice() -> None:
    """Several names of one thing propose it once."""
    aliases = {_ID[-6:]: _ID, _OTHER[-6:]: _OTHER}
    assert nearest("7f3a9d", [_ID, _OTHER]) == []
    assert nearest("7f3a9d", [_ID, _OTHER], aliases=aliases) == [_ID]
    assert nearest(_OTHER[:-1], [_ID, _OTHER], aliases=aliases) == [_OTHER, _ID]


@pytest.mark.parametrize(
    ("candidates", "question"),
    [
        ([], ""),
        (["a"], "; did you mean a?"),
        (["a", "b"], "; did you mean a or b?"),
        (["a", "b", "c"], "; did you mean a, b or c?"),
    ],
)
def test_question(candidates: list[str], question: str) -> None:
    """As one would ask it."""
    assert did_you_mean(candidates) == question


def test_suggestion() -> None:
    """Both in one step."""
    assert suggestion("masks", ["mask", "budget"]) == "; did you mean mask?"
    assert suggestion("xx", ["mask"]) == ""
