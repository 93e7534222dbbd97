"""What fails: `--fail-on`, the findings by code, several traces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from acp_trace.analyze.budgets.grammar import parse
from acp_trace.analyze.facts import Facts
from acp_trace.analyze.findings.codes import CODES
from acp_trace.analyze.verdict import FailOn, UnknownWord, fail_on, judge
from tests.checking import facts, finding, turn, verdict

ERROR, WARNING, NOTE = finding("not-json"), finding("set-not-honoured"), finding("blank-line")


@pytest.mark.parametrize(
    ("words", "fails"),
    [
        ([], "E"),
        (["error"], "E"),
        (["warning"], "EW"),
        (["note"], "EWN"),
        (["error", "note"], "EWN"),
        (["never"], ""),
        (["never", "never"], ""),
        (["blank-line"], "N"),
        (["blank-line", "set-not-honoured"], "WN"),
        (["error, blank-line"], "EN"),
        (["error,error", "blank-line"], "EN"),
    ],
)
def test_what_fails(words: list[str], fails: str) -> None:
    """A severity and all that is worse; codes whatever they are; nothing at all."""
    rule = fail_on(words)
    told = [sign for sign, one in zip("EWN", (ERROR, WARNING, NOTE), strict=True) if rule.fails(one)]
    assert "".join(told) == fails


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["errr"], "did you mean error"),
        (["not-jsn"], "did you mean not-json"),
        (
            ["error", "cancel-eror"],
            "'cancel-eror' is neither a severity nor the code of a finding; did you mean cancel-error",
        ),
        ([""], "'' is neither"),
        (["error,"], "'' is neither"),
        (["ERROR"], "'ERROR' is neither"),
        (["zzzzzzzz"], "error, warning, note, never or a code"),
        (["never", "error"], "never cannot be combined with others"),
    ],
)
def test_words_that_mean_nothing(words: list[str], says: str) -> None:
    """The nearest ones are named."""
    with pytest.raises(UnknownWord) as raised:
        fail_on(words)
    assert says in str(raised.value)


def test_codes_in_play() -> None:
    """Those that could fail; all of them where none can."""
    assert fail_on(["blank-line"]).in_play() == ["blank-line"]
    errors = [code for code, one in CODES.items() if one.severity == "error"]
    assert fail_on([]).in_play() == errors
    assert set(fail_on(["error,blank-line"]).in_play()) == {*errors, "blank-line"}
    assert fail_on(["never"]).in_play() == list(CODES)


def test_findings_by_code() -> None:
    """Those that fail first, then the worst, then the earliest; what a finding stands for is counted."""
    found = facts(
        findings=[
            finding("blank-line", 1, count=7),
            finding("set-not-honoured", 2),
            finding("never-answered", 3),
            finding("not-json", 4),
            finding("not-json", 5),
        ]
    )
    (one,) = verdict(found, fails=FailOn(frozenset(), frozenset({"blank-line"}))).traces
    assert [(group.code, group.fails, group.seen) for group in one.groups] == [
        ("blank-line", True, 7),
        ("never-answered", False, 1),
        ("not-json", False, 2),
        ("set-not-honoured", False, 1),
    ]
    assert [group.findings[0].frame for group in one.groups] == [1, 3, 4, 2]
    assert [one.count(word) for word in ("error", "warning", "note")] == [3, 1, 1]
    assert [one.count(word, failing=True) for word in ("error", "warning", "note")] == [0, 0, 1]


def test_a_code_of_two_severities_fails_by_the_worse() -> None:
    """A note does not hide the error behind it, and does not fail with it."""
    found = facts(findings=[finding("never-answered", 1, severity="note"), finding("never-answered", 2)])
    (one,) = verdict(found).traces
    assert [(group.severity, group.fails, group.seen) for group in one.groups] == [
        ("error", True, 1),
        ("note", False, 1),
    ]
    assert not verdict(found).ok


def test_a_severity_of_another_version() -> None:
    """What a newer version stored comes last, and fails for nothing."""
    found = facts(findings=[finding("not-json", 1, severity="terrible"), finding("blank-line", 2)])
    (one,) = verdict(found).traces
    assert [group.code for group in one.groups] == ["blank-line", "not-json"]
    assert not any(group.fails for group in one.groups)


def test_ok() -> None:
    """Nothing that fails, and no budget missed."""
    clean, bad, slow = facts(findings=[WARNING]), facts(findings=[ERROR]), facts(turns=[turn(1, 2 * 10**9)])
    assert verdict().ok
    assert verdict(clean, slow).ok
    assert not verdict(clean, bad).ok
    assert verdict(clean, slow, budgets=("turn.duration max < 3s",)).ok
    assert not verdict(clean, slow, budgets=("turn.duration max < 3s", "turn.duration max < 1s")).ok
    assert not verdict(clean, budgets=("turn.duration max < 3s",)).ok


def test_traces_are_taken_one_by_one() -> None:
    """The facts of one are let go before the next is read; the samples are kept."""
    opened: list[int] = []

    def some() -> Iterator[tuple[str, Facts, bool]]:
        for number in (1, 2, 3):
            opened.append(number)
            yield str(number), facts(turns=[turn(number, number)]), number == 2
            opened.append(-number)

    made = judge(some(), FailOn(), [parse("turn.duration max < 3ns")])
    assert opened == [1, -1, 2, -2, 3, -3]
    assert [(one.name, one.live) for one in made.traces] == [("1", False), ("2", True), ("3", False)]
    assert (made.budgets[0].value, made.budgets[0].trace, made.budgets[0].frame) == (3, 2, 3)
