"""Rules of one's own."""

from __future__ import annotations

import pytest

from acp_trace.redact.own import BadRules, parse
from acp_trace.redact.rules import Rule


def test_a_rule_of_a_method_and_one_of_an_update() -> None:
    """With a name, or with the path as its name."""
    text = """
        [[rule]]
        name = "gateway"
        method = "session/new"
        path = "/params/_meta/a~1b/*"
        [[rule]]
        update = "tool_call"
        path = "/params/update/rawInput/pin"
    """
    assert parse(text) == (
        Rule("gateway", ("params", "_meta", "a/b", "*"), ("session/new",), source="own"),
        Rule(
            "/params/update/rawInput/pin",
            ("params", "update", "rawInput", "pin"),
            (),
            ("tool_call",),
            source="own",
        ),
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[rule]", "is not TOML: Expected ']]' at the end of an array declaration (at line 1, column 7)"),
        ("", "contains no rule: each rule begins with [[rule]]"),
        ("rule = []", "contains no rule: each rule begins with [[rule]]"),
        ("rule = 1", "contains no rule: each rule begins with [[rule]]"),
        ("rule = [1]", "rule 1 is not a table: a rule begins with [[rule]]"),
        ("[[rules]]\npath = '/params'", "`rules` is not a table of rules: each rule begins with [[rule]]"),
        ("[[rule]]\nmethod = 'm'", "rule 1 has no `path`"),
        ("[[rule]]\npath = '/params'", "rule 1 needs either `method` or `update`"),
        (
            "[[rule]]\npath = '/params'\nmethod = 'm'\nupdate = 'u'",
            "rule 1 needs either `method` or `update`",
        ),
        ("[[rule]]\npath = '/params'\nmethod = 1", "rule 1: `method` is not a string, or is empty"),
        ("[[rule]]\npath = ''\nmethod = 'm'", "rule 1: `path` is not a string, or is empty"),
        ("[[rule]]\npaht = '/params'", "rule 1: `paht` is not one of path, method, update, name"),
        (
            "[[rule]]\npath = '/params'\nmethod = 'm'\n[[rule]]\npath = 'params/x'\nmethod = 'm'",
            "rule 2: path 'params/x' does not begin with /params or /result or /error",
        ),
        (
            "[[rule]]\npath = '/result/x'\nupdate = 'plan'",
            "rule 1: path '/result/x' does not begin with /params",
        ),
        (
            "[[rule]]\npath = '/params/sessionId'\nmethod = 'm'",
            "rule 1: path '/params/sessionId': sessionId is an id, and ids are never changed",
        ),
    ],
)
def test_bad_rules_are_explained(text: str, why: str) -> None:
    """In one line, with the place."""
    with pytest.raises(BadRules) as error:
        parse(text)
    assert str(error.value) == why
