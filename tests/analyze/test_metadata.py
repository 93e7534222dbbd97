"""The metadata timeline of a session (docs/report.md, Merging metadata); how _meta is merged stands in test_merge."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Facts
from acp_trace.analyze.merge import Rule
from acp_trace.trace.parse import Parser
from tests.analyze.findings.scenario import hello, start
from tests.reading.talk import Said, answer, ask, opened, prompt, stop, up
from tests.support import facts_of, trace

_Change = tuple[int, str, str | None, str | None]
_NOON = "2026-11-20T12:00:00Z"


def _info(session: str = "s", /, **fields: Any) -> Said:
    return up("session_info_update", session, **fields)


def _changes(found: Facts) -> list[_Change]:
    return [(one.frame, one.path, one.before, one.after) for one in found.metadata_changes]


def _of(*said: Said, version: int = 1) -> list[_Change]:
    """Changes of a session whose updates begin at frame 5."""
    return _changes(facts_of(*start(version), *said))


def _by(rule: Rule | None, *said: Said) -> Facts:
    parser, analyzer = Parser(), Analyzer(rule)
    for entry in parser.feed(trace(*start(), *said)):
        analyzer.feed(entry)
    return analyzer.facts()


def test_an_update_and_what_it_changes() -> None:
    """Title first, then updatedAt, then the leaves of _meta; values are JSON texts."""
    found = facts_of(*start(), _info(_meta={"a": {"b": 1}}, updatedAt=_NOON, title='"x"'))
    (update,) = found.metadata_updates
    assert (update.session_id, update.frame, update.t_ns, update.replayed, update.turn) == (
        "s",
        5,
        5000,
        False,
        None,
    )
    assert _changes(found) == [
        (5, "/title", None, '"\\"x\\""'),
        (5, "/updatedAt", None, f'"{_NOON}"'),
        (5, "/_meta/a/b", None, "1"),
    ]
    (session,) = found.sessions
    assert (session.title, session.updated_at, session.meta) == ('"x"', _NOON, '{"a":{"b":1}}')


def test_a_field_that_is_left_out_stays_and_null_clears() -> None:
    """Absent is not null."""
    assert _of(_info(title="a", updatedAt=_NOON), _info(title="b"), _info(title=None), _info(title=None)) == [
        (5, "/title", None, '"a"'),
        (5, "/updatedAt", None, f'"{_NOON}"'),
        (6, "/title", '"a"', '"b"'),
        (7, "/title", '"b"', None),
    ]


def test_an_empty_title_is_a_title() -> None:
    """Which is not the same as none."""
    assert _of(_info(title=""), _info(title="")) == [(5, "/title", None, '""')]


@pytest.mark.parametrize(
    "fields", [{}, {"title": 5}, {"updatedAt": []}, {"_meta": []}, {"_meta": "x"}, {"other": 1}]
)
def test_what_says_nothing_is_an_update_without_changes(fields: dict[str, Any]) -> None:
    """Wrong types count as absent; the update is kept."""
    found = facts_of(*start(), _info(title="a", updatedAt=_NOON, _meta={"x": 1}), _info(**fields))
    assert [one.frame for one in found.metadata_updates] == [5, 6]
    assert {one.frame for one in found.metadata_changes} == {5}
    assert (found.sessions[0].title, found.sessions[0].meta) == ("a", '{"x":1}')


def test_the_rest_of_an_update_counts_where_one_field_is_wrong() -> None:
    """Readers skip the field, not the update."""
    assert _of(_info(title=5, updatedAt="no time", _meta={"x": None, "y": 1})) == [
        (5, "/updatedAt", None, '"no time"'),
        (5, "/_meta/y", None, "1"),
    ]


def test_null_clears_all_of_meta() -> None:
    """Leaf by leaf."""
    assert _of(_info(_meta={"a": 1, "b": {"c": 2, "d": {}}}), _info(_meta=None), _info(_meta=None))[3:] == [
        (6, "/_meta/a", "1", None),
        (6, "/_meta/b/c", "2", None),
        (6, "/_meta/b/d", "{}", None),
    ]


@pytest.mark.parametrize(
    ("rule", "changes", "meta"),
    [
        ("rfd", [("/_meta/b", "1", None), ("/_meta/a/y", None, "2")], '{"a":{"x":1,"y":2},"c":1}'),
        ("shallow", [("/_meta/a/x", "1", None), ("/_meta/b", "1", None), ("/_meta/a/y", None, "2")], '{"a":{"y":2},"c":1}'),
        ("replace", [("/_meta/a/x", "1", None), ("/_meta/b", "1", "null"), ("/_meta/c", "1", None), ("/_meta/a/y", None, "2")], '{"a":{"y":2},"b":null}'),
    ],
)  # fmt: skip
def test_each_rule_has_its_timeline(
    rule: Rule, changes: list[tuple[str, str | None, str | None]], meta: str
) -> None:
    """The same traffic, told by three rules."""
    found = _by(rule, _info(_meta={"a": {"x": 1}, "b": 1, "c": 1}), _info(_meta={"a": {"y": 2}, "b": None}))
    assert [one[1:] for one in _changes(found) if one[0] == 6] == changes
    assert (found.sessions[0].meta, found.trace.meta_merge) == (meta, rule)


def test_the_rule_is_the_versions_unless_told() -> None:
    """`rfd` in protocol 1, `shallow` in draft 2."""
    said = [_info(_meta={"a": {"x": 1}}), _info(_meta={"a": {"y": 2}})]
    assert facts_of(*start(1), *said).sessions[0].meta == '{"a":{"x":1,"y":2}}'
    assert facts_of(*start(2), *said).sessions[0].meta == '{"a":{"y":2}}'
    assert _by(None, *said).trace.meta_merge == "rfd"


def test_a_rule_that_changes_with_the_version_is_told_as_a_change() -> None:
    """Before the handshake the proposal's rule holds; the first update after it says what is different."""
    early = [*opened(), _info(_meta={"a": {"x": 1}}), _info(_meta={"a": {"y": 2}})]
    found = facts_of(hello(2)[0], *early, hello(2)[1], _info(_meta={"b": 1}))
    assert [one for one in _changes(found) if one[0] == 7] == [
        (7, "/_meta/a/x", "1", None),
        (7, "/_meta/b", None, "1"),
    ]


def test_updates_in_a_turn_and_replayed_ones() -> None:
    """What is replayed belongs to no turn, even while one is open."""
    found = facts_of(
        *start(), prompt(1), _info(title="a"), ask(2, "session/load", sessionId="s"), _info(title="b"), answer(2),
        stop(1), _info(title="c"),
    )  # fmt: skip
    assert [(one.replayed, one.turn) for one in found.metadata_updates] == [
        (False, 0),
        (True, None),
        (False, None),
    ]
    assert found.sessions[0].title == "c"


def test_sessions_do_not_mix() -> None:
    """Each has its own state."""
    found = facts_of(*start(), *opened("t"), _info(title="a"), _info("t", title="b"))
    assert {one.session_id: one.title for one in found.sessions} == {"s": "a", "t": "b"}
