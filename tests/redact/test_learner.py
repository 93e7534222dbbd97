"""The first pass over a line."""

from __future__ import annotations

import pytest

from acp_trace.redact.homes import Homes
from acp_trace.redact.learner import Learner, before, decoded, encoded, may_teach
from acp_trace.redact.places import StringPlace
from acp_trace.redact.rules import RULES
from acp_trace.redact.spots import Spot, Spots
from acp_trace.redact.values import Values


@pytest.mark.parametrize(
    ("line", "teaches"),
    [
        ('{"t":1,"log":"see https://host/a?b=c"}', False),
        ('{"t":1,"log":"see https://host/a?token=c"}', True),
        ('{"t":1,"log":"<secret:1>"}', True),
        ('{"t":1,"log":"\\u0068ttps"}', True),
        ('{"t":1,"from":"agent","base64":"x"}', True),
        ('{"log":"x","t":1}', True),
    ],
)
def test_which_lines_are_worth_reading(line: str, teaches: bool) -> None:
    """Those with a secret in them, and those of which that cannot be told at a glance."""
    assert may_teach(line, ()) is teaches
    assert may_teach(line, (StringPlace(rules=RULES[:1]),))


def test_nothing_changes() -> None:
    """It only listens."""
    values, homes = Values(["userinfo of URLs", "token shapes"]), Homes()
    line = '{"agent":{"cwd":"/home/ann","argv":["/Users/bob/x"]},"labels":{"a":"https://token99@h"}}'
    assert Spots().splice(line, (), Learner(values, homes, (), line)) is None
    assert values.rules() == ["userinfo of URLs"]
    assert homes.names == ["ann", "bob"]


def test_the_argument_before() -> None:
    """Of the same list, right before."""
    last = (("params", "args", 0), "--token")
    assert before(last, Spot(("params", "args", 1))) == "--token"
    assert before(last, Spot(("params", "args", 2))) is None
    assert before(last, Spot(("params", "other", 1))) is None
    assert before(last, Spot(("params", "args"))) is None


def test_lines_that_are_no_utf_8() -> None:
    """Come back byte for byte."""
    line = decoded("/yBa/w==")
    assert line is not None
    assert encoded(line) == "/yBa/w=="
    assert decoded("no base64") is None
