"""docs/evidence/ten-million.md: each of its figures follows from a measured one."""

from __future__ import annotations

import sys

import pytest

from tests.docs.pages import DOCS

sys.path.insert(0, str(DOCS))

import reckoning

_FIGURES = {
    ("traces in the place, 100,000 traces", 1): 100e6,
    ("traces in the place, 100,000 traces", 2): 1e9,
    ("tables in the place, 100,000 traces", 1): 100e6,
    ("files of tables, 100,000 traces", 1): 1000.0,
    ("the newest commit, 100,000 traces", 1): 20e3,
    ("push, 100,000 traces, processor time", 1): 360.0,
    ("lake build, 100,000 traces, processor time", 1): 720.0,
    ("lake build, nothing new, 100,000 traces, peak memory", 1): 200e6,
}


def test_what_follows_from_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred times what 100,000 traces take; worked out by hand."""
    monkeypatch.setattr(reckoning, "measured", lambda what, column=1: _FIGURES[what, column])
    values = {line.what: line.value for part in reckoning.lines().values() for line in part}
    assert values["trace files, as recorded"] == "100 GB"
    assert values["their bytes"] == values["bytes of tables"] == "10.0 GB"
    assert values["groups, as they are built"] == "2,000"
    assert values["groups, after merging"] == "19"
    assert values["building"] == "20.0 core hours"
    assert values["pushing"] == "10 core hours"
    assert values["listing the day, once"] == "10,000 requests, 17 minutes"
    assert values["memory of a build that plans this day"] == "20.0 GB"
    assert values["storing, a month of such days"] == "$13.80 a month"


def test_figures_are_of_the_page_of_benchmarks() -> None:
    """As they stand there, in bytes and seconds; a row that is not there is an error."""
    for what, column in _FIGURES:
        assert reckoning.measured(what, column) > 0
    with pytest.raises(LookupError):
        reckoning.measured("traces in the place, 7 traces")
