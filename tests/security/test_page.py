"""docs/evidence/security.md: each promise names its tests, and each test is there."""

from __future__ import annotations

import re
from pathlib import Path

_HERE = Path(__file__).parent
_PAGE = (_HERE.parent.parent / "docs" / "evidence" / "security.md").read_text("utf-8")
_TEST = re.compile(r"`(test_\w+)`")
_DEFINED = re.compile(r"^def (test_\w+)\(", re.MULTILINE)


def _tests() -> set[str]:
    files = _HERE.parent.rglob("test_*.py")
    return {name for file in files for name in _DEFINED.findall(file.read_text("utf-8"))}


def test_every_named_test_is_there() -> None:
    """A promise without its test is none."""
    assert set(_TEST.findall(_PAGE)) - _tests() == set()


def test_every_promise_names_a_test() -> None:
    """Each row of a table that has a column for it."""
    tables = re.findall(r"\| what \| test \|\n\| --- \| --- \|\n((?:\|.*\n)+)", _PAGE)
    assert len(tables) == 7
    for row in "".join(tables).splitlines():
        assert _TEST.search(row), row
