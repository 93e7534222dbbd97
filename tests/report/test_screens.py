"""What people see is what was looked at: the screens in `golden`."""

from __future__ import annotations

import pytest

from tests.posix import take_time_zone
from tests.report.golden.screens import FOLDER, SCREENS


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    take_time_zone()


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_is_as_it_was_looked_at(name: str) -> None:
    """`python -m tests.report.golden` writes it anew."""
    assert SCREENS[name]() == (FOLDER / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize("name", [name for name in SCREENS if not name.startswith("follow")])
def test_no_line_is_longer_than_the_terminal(name: str) -> None:
    """And none ends in blanks."""
    width = {"show-since": 100}.get(name) or int(name.rpartition("-")[2])
    lines = SCREENS[name]().splitlines()
    assert max(map(len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []
