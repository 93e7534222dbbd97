"""Which side keeps to the protocol where two traces differ."""

from __future__ import annotations

import pytest

from tests.compare.conversation import Edit, base, chunk, compared, config, drop, file, instead, put
from tests.reading.talk import answer, cancel, stop

_IGNORES = instead("stop 2", chunk("and on"), stop(4))
_NOT_APPLIED = instead("was set", answer(2, configOptions=config("big")))


@pytest.mark.parametrize(
    ("expected", "actual", "code", "obeys"),
    [
        (
            _IGNORES,
            None,
            "cancel-outcome",
            "actual",
        ),
        (
            None,
            _IGNORES,
            "cancel-outcome",
            "expected",
        ),
        (
            _NOT_APPLIED,
            None,
            "config-final",
            "actual",
        ),
        (None, instead("stop 1", stop(3, "refusal")), "stop-reason", None),
        (None, drop("title"), "title-never-set", None),
    ],
)
def test_who_obeys_is_said(expected: Edit | None, actual: Edit | None, code: str, obeys: str | None) -> None:
    """By the findings at the frames that differ: a build that was mended is told to be right."""
    first, second = (file(edit(base()) if edit else base()) for edit in (expected, actual))
    found = next(one for one in compared(first, second).failing if one.code == code)
    assert (found.obeys, bool(found.findings)) == (obeys, obeys is not None), found


def test_what_both_break_is_not_said() -> None:
    """The same finding on both sides tells nobody apart."""
    noisy = put("found", cancel("nowhere"))
    found = compared(file(_IGNORES(base())), file(_IGNORES(noisy(base()))))
    assert all("cancel-other-stop-reason" not in one.findings for one in found.failing)
