"""The search of `bisect`: it finds the place in few steps, and says what it does not know."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.builds import rates
from acp_trace.builds.rates import Rate
from acp_trace.builds.search import Found, Search, of_names

RUNS = 12


def searched(search: Search, builds: list[Found]) -> list[int]:
    """Goes on to the end; which builds were tried, in their order."""
    tried = []
    while (due := search.due) is not None:
        assert due not in tried
        tried.append(due)
        search.take(due, builds[due])
    return tried


@given(
    count=st.integers(2, 60),
    place=st.integers(1, 1000),
    skipped=st.sets(st.integers(1, 58), max_size=20),
)
def test_it_finds_every_place_or_the_builds_that_hide_it(count: int, place: int, skipped: set[int]) -> None:
    """The first newer build is always among the candidates, and all before it are skipped ones."""
    place = 1 + place % (count - 1)
    builds: list[Found] = ["older" if at < place else "newer" for at in range(count)]
    for at in skipped:
        if at < count - 1:
            builds[at] = "skipped"
    search = Search(count)
    searched(search, builds)
    assert search.wrong is None
    assert place in search.candidates
    assert all(builds[at] == "skipped" for at in search.candidates[:-1])
    assert builds[search.candidates[-1]] == "newer"
    assert builds[search.candidates[0] - 1] == "older"


@pytest.mark.parametrize("seed", range(50))
def test_a_planted_fault_in_sixteen_builds(seed: int) -> None:
    """Two builds do not start, one is flaky. At most four builds beyond the two ends, without skips and repeats."""
    chance = random.Random(seed)
    place = chance.randrange(1, 16)
    unable = chance.sample([at for at in range(1, 15) if at != place], 2)
    flaky = chance.choice([at for at in range(1, 15) if at not in (*unable, place)])
    fails = chance.uniform(0.4, 0.6)

    def shows(at: int) -> bool:
        return at >= place or (at == flaky and chance.random() < fails)

    def rate(at: int, needs: int | None = None) -> Rate:
        found = Rate()
        while found.runs < RUNS and (needs is None or rates.has_it(found, needs, RUNS) is None):
            found = found.with_run(shows(at))
        return found

    search, judged = Search(16), 0
    ends = rate(0), rate(15)
    needs = rates.needed(*ends, RUNS)
    assert needs is not None
    while (due := search.due) is not None:
        if due in unable:
            search.take(due, "skipped")
            continue
        judged += due not in (0, 15)
        found = rates.has_it(ends[due == 15] if due in (0, 15) else rate(due, needs), needs, RUNS)
        search.take(due, "newer" if found else "older")
    assert judged <= 4
    # A skipped build just before the place hides it: then both are told.
    hidden = place - 1
    while hidden in unable:
        hidden -= 1
    assert search.candidates == list(range(hidden + 1, place + 1))


def test_the_ends_come_first_and_must_be_right() -> None:
    """If one is not, nothing is searched."""
    search = Search(9)
    assert search.due == 0
    search.take(0, "older")
    assert search.due == 8
    search.take(8, "older")
    assert {search.due} == {None}
    assert {search.wrong} == {8}
    other = Search(9, {0: "newer"})
    assert {other.due} == {None}
    assert {other.wrong} == {0}
    assert Search(9, {0: "skipped", 8: "newer"}).wrong == 0


def test_two_builds_need_no_search() -> None:
    """The second is the place."""
    search = Search(2)
    assert searched(search, ["older", "newer"]) == [0, 1]
    assert search.candidates == [1]


def test_a_long_run_of_builds_that_do_not_start() -> None:
    """It is not walked build by build: the search looks further away."""
    older: Found = "older"
    builds = [older if at < 20 else "skipped" if at < 80 else "newer" for at in range(100)]
    search = Search(100)
    tried = searched(search, builds)
    assert search.candidates == list(range(20, 81))
    beside = [at for at in tried[:12] if builds[at] == "skipped"]
    assert len(beside) <= 8
    assert search.last_older == 19


def test_what_comes_next_is_among_what_is_installed_meanwhile() -> None:
    """Whatever is found of the build that is due."""
    chance = random.Random(7)
    for _ in range(200):
        count = chance.randrange(2, 40)
        search = Search(count)
        place = chance.randrange(1, count)
        while (due := search.due) is not None:
            ahead = search.ahead()
            assert due not in ahead
            found: Found = "older" if due < place else "newer"
            if due not in (0, count - 1) and chance.random() < 0.2:
                found = "skipped"
            search.take(due, found)
            assert search.due is None or search.due in ahead
    assert of_names(["a", "b"], {"a": "older"}).due == 1


@pytest.mark.parametrize(
    ("never", "always", "runs", "needs"),
    [
        (Rate(1, 0), Rate(1, 1), 1, 1),
        (Rate(5, 0), Rate(5, 5), 5, 5),  # a build that does not show it once lacks it
        (Rate(5, 0), Rate(5, 2), 5, 1),  # a fault that is flaky: one that shows it has it
        (Rate(5, 1), Rate(5, 5), 5, 5),
        (Rate(10, 2), Rate(10, 9), 10, 6),
        (Rate(5, 2), Rate(5, 4), 5, None),  # who could tell
        (Rate(5, 0), Rate(5, 0), 5, None),
        (Rate(1, 1), Rate(1, 0), 1, None),
    ],
)
def test_what_the_ends_ask_of_the_others(never: Rate, always: Rate, runs: int, needs: int | None) -> None:
    """By their rates."""
    assert rates.needed(never, always, runs) == needs


def test_runs_end_when_enough_is_known() -> None:
    """A pass is enough if all must fail; and a failure, if one is enough."""
    assert rates.has_it(Rate(1, 0), 5, 5) is False
    assert rates.has_it(Rate(4, 4), 5, 5) is None
    assert rates.has_it(Rate(5, 5), 5, 5) is True
    assert rates.has_it(Rate(1, 1), 1, 5) is True
    assert rates.has_it(Rate(4, 0), 1, 5) is None
    assert rates.has_it(Rate(5, 0), 1, 5) is False
