"""The group `metadata`: session_info_update, and what session/list says beside it."""

from __future__ import annotations

from typing import Any

from tests.analyze.findings.scenario import Found, Scenario, raises, spares, start
from tests.reading.talk import Said, answer, ask, opened, up, words

_NOON, _LATER = "2026-11-20T12:00:00Z", "2026-11-20T12:00:01Z"
_FLOOD_NS = 20_000_000  #: 51 of these apart make one second


def _info(session: str = "s", /, **fields: Any) -> Said:
    return up("session_info_update", session, **fields)


def _list(*sessions: Any) -> list[Said]:
    return [ask(1, "session/list"), answer(1, sessions=list(sessions))]


def _row(id: str = "s", **fields: Any) -> dict[str, Any]:
    return {"sessionId": id, "cwd": "/w", **fields}


_FIELDS = [
    raises(
        "info-wrong-type", "each field",
        [*start(), _info(title=5, updatedAt=1763640000), _info(_meta=["x"]), _info(_meta="x")],
        Found("info-wrong-type", "agent", 5, "s"), Found("info-wrong-type", "agent", 5, "s"),
        Found("info-wrong-type", "agent", 6, "s"), Found("info-wrong-type", "agent", 7, "s"),
    ),
    spares("info-wrong-type", "null clears", [*start(), _info(title=None, updatedAt=None, _meta=None)]),
    spares("info-wrong-type", "nothing at all", [*start(), _info()]),
    spares("info-wrong-type", "fields of its own", [*start(), _info(archived=True, _meta={"title": 5})]),
    raises("title-too-long", "501 characters", [*start(), _info(title="x" * 501)], Found("title-too-long", "agent", 5, "s")),
    raises("title-too-long", "501 characters outside the first plane", [*start(), _info(title="🐈" * 501)], Found("title-too-long", "agent", 5, "s")),
    spares("title-too-long", "500 characters", [*start(), _info(title="x" * 500)]),
    spares("title-too-long", "500 characters of four bytes", [*start(), _info(title="🐈" * 500)]),
    spares("title-too-long", "a long prompt is no title", [*start(), _info(_meta={"title": "x" * 501})]),
    raises("updated-at-invalid", "no zone, counted", [*start(), _info(updatedAt="2026-11-20T12:00:00"), _info(updatedAt="now")], Found("updated-at-invalid", "agent", 5, "s", 2)),
    raises("updated-at-invalid", "a day", [*start(), _info(updatedAt="2026-11-20")], Found("updated-at-invalid", "agent", 5, "s")),
    raises("updated-at-invalid", "no such day", [*start(), _info(updatedAt="2026-02-29T12:00:00Z")], Found("updated-at-invalid", "agent", 5, "s")),
    spares("updated-at-invalid", "JavaScript, Go, Python", [*start(), _info(updatedAt="2026-11-20T12:00:00.000Z"), _info(updatedAt="2026-11-20T13:00:00.123456789+01:00"), _info(updatedAt="2026-11-20T12:00:00.200000+00:00")]),
    spares("updated-at-invalid", "null", [*start(), _info(updatedAt=None)]),
    spares("updated-at-invalid", "another type is another matter", [*start(), _info(updatedAt=1)], Found("info-wrong-type", "agent", 5, "s")),
    raises("updated-at-goes-back", "a second", [*start(), _info(updatedAt=_LATER), _info(updatedAt=_NOON)], Found("updated-at-goes-back", "agent", 6, "s")),
    raises(
        "updated-at-goes-back", "later on the clock, earlier in time",
        [*start(), _info(updatedAt=_NOON), _info(updatedAt="2026-11-20T13:00:00+02:00")],
        Found("updated-at-goes-back", "agent", 6, "s"),
    ),
    spares("updated-at-goes-back", "the same instant in another offset", [*start(), _info(updatedAt=_NOON), _info(updatedAt="2026-11-20T07:00:00-05:00")]),
    spares("updated-at-goes-back", "the same again", [*start(), _info(updatedAt=_NOON), _info(updatedAt=_NOON)]),
    spares("updated-at-goes-back", "cleared in between", [*start(), _info(updatedAt=_LATER), _info(updatedAt=None), _info(updatedAt=_NOON)]),
    spares("updated-at-goes-back", "of another session", [*start(), *opened("t"), _info(updatedAt=_LATER), _info("t", updatedAt=_NOON)]),
    spares(
        "updated-at-goes-back", "one that is no time says nothing",
        [*start(), _info(updatedAt=_LATER), _info(updatedAt="yesterday"), _info(updatedAt=_NOON)],
        Found("updated-at-invalid", "agent", 6, "s"),
    ),
    raises(
        "info-foreign-field", "counted by field",
        [*start(), _info(sessionId="s", cwd="/w"), _info(cwd="/v"), _info(additionalDirectories=[])],
        Found("info-foreign-field", "agent", 5, "s"), Found("info-foreign-field", "agent", 5, "s", 2),
        Found("info-foreign-field", "agent", 7, "s"),
    ),
    spares("info-foreign-field", "inside _meta", [*start(), _info(_meta={"sessionId": "s", "cwd": "/w"})]),
    spares("info-foreign-field", "in another update", [*start(), up("usage_update", used=1, size=2, cwd="/w")]),
]  # fmt: skip

_MANY = [_info() for _ in range(50)]

_FLOODS = [
    raises(
        "info-flood",
        "51 in a second",
        [*start(), *_MANY, _info()],
        Found("info-flood", "agent", 55, "s"),
        step=_FLOOD_NS,
    ),
    raises(
        "info-flood",
        "52, counted",
        [*start(), *_MANY, _info(), _info()],
        Found("info-flood", "agent", 55, "s", 2),
    ),
    spares("info-flood", "50 in a second", [*start(), *_MANY]),
    spares("info-flood", "51 in a second and a bit", [*start(), *_MANY, _info()], step=_FLOOD_NS + 1),
    spares("info-flood", "51 of two sessions", [*start(), *opened("t"), *_MANY, _info("t")]),
    spares("info-flood", "51 updates of other kinds", [*start(), *_MANY, *[words()] * 51]),
]

_LISTS = [
    raises(
        "list-disagrees", "each field by itself, counted",
        [*start(), _info(title="a", updatedAt=_LATER, _meta={"x": 1}), *_list(_row(title="b", updatedAt=_NOON, _meta={"x": 2})), *_list(_row(title="c"))],
        Found("list-disagrees", "agent", 7, "s", 2), Found("list-disagrees", "agent", 7, "s"), Found("list-disagrees", "agent", 7, "s"),
    ),
    raises("list-disagrees", "a title that was cleared", [*start(), _info(title=None), *_list(_row(title="b"))], Found("list-disagrees", "agent", 7, "s")),
    raises("list-disagrees", "a time that was cleared", [*start(), _info(updatedAt=None), *_list(_row(updatedAt=_NOON))], Found("list-disagrees", "agent", 7, "s")),
    raises(
        "list-disagrees", "a time, where the update had none that can be read",
        [*start(), _info(updatedAt="now"), *_list(_row(updatedAt=_NOON))],
        Found("updated-at-invalid", "agent", 5, "s"), Found("list-disagrees", "agent", 7, "s"),
    ),
    raises("list-disagrees", "1 is not 1.0 in _meta", [*start(), _info(_meta={"x": 1}), *_list(_row(_meta={"x": 1.0}))], Found("list-disagrees", "agent", 7, "s")),
    spares("list-disagrees", "an update while the list is under way", [*start(), _info(title="a"), _list()[0], _info(title="b"), _list(_row(title="a"))[1]]),
    spares("list-disagrees", "the same", [*start(), _info(title="a", _meta={"x": {"b": 1, "a": 2}}), *_list(_row(title="a", _meta={"x": {"a": 2, "b": 1}}))]),
    spares("list-disagrees", "the same instant in another offset", [*start(), _info(updatedAt=_NOON), *_list(_row(updatedAt="2026-11-20T13:00:00+01:00"))]),
    spares("list-disagrees", "a clock that was read twice", [*start(), _info(updatedAt=_LATER), *_list(_row(updatedAt="2026-11-20T12:00:00.001Z"))]),
    spares("list-disagrees", "null gives nothing", [*start(), _info(title="a", updatedAt=_NOON, _meta={"x": 1}), *_list(_row(title=None, updatedAt=None, _meta=None))]),
    spares("list-disagrees", "no member gives nothing", [*start(), _info(title="a", updatedAt=_NOON, _meta={"x": 1}), *_list(_row())]),
    spares("list-disagrees", "of another session", [*start(), *opened("t"), _info(title="a"), *_list(_row("t", title="b"), _row("u", title="c"))]),
    spares("list-disagrees", "no session_info_update", [*start(), *_list(_row(title="b", updatedAt=_NOON, _meta={"x": 1}))]),
    spares("list-disagrees", "a field that no update has named", [*start(), _info(title="a"), *_list(_row(title="a", updatedAt=_NOON, _meta={"x": 1}))]),
    spares("list-disagrees", "no list, no sessions, no object", [*start(), _info(title="a"), *_list(), *_list("s", {"title": "b"}), ask(1, "session/list"), answer(1)]),
    spares("list-disagrees", "the title was changed before the answer", [*start(), _info(title="a"), ask(1, "session/list"), _info(title="b"), answer(1, sessions=[_row(title="b")])]),
    raises(
        "meta-merge-differs", "a nested object is patched",
        [*start(), _info(_meta={"x": {"a": 1}}), _info(_meta={"x": {"b": 1}})],
        Found("meta-merge-differs", "agent", 6, "s"),
    ),
    raises("meta-merge-differs", "a nested null", [*start(), _info(_meta={"x": {"a": None}})], Found("meta-merge-differs", "agent", 5, "s")),
    raises(
        "meta-merge-differs", "in draft 2 too, again after they agreed",
        [*start(2), *[_info(_meta={"x": one}) for one in ({"a": 1}, {"b": 1}, {"c": 1}, None, {"a": 1}, {"b": 1})]],
        Found("meta-merge-differs", "agent", 6, "s"), Found("meta-merge-differs", "agent", 10, "s"),
    ),
    spares("meta-merge-differs", "the top level", [*start(), _info(_meta={"a": 1}), _info(_meta={"b": 1, "a": None}), _info(_meta=None)]),
    spares("meta-merge-differs", "a nested object that is told whole", [*start(), _info(_meta={"x": {"a": 1}}), _info(_meta={"x": {"a": 2}})]),
    spares("meta-merge-differs", "an array is a value", [*start(), _info(_meta={"x": [{"a": 1}]}), _info(_meta={"x": [{"b": None}]})]),
    spares("meta-merge-differs", "an object instead of a value", [*start(), _info(_meta={"x": 1}), _info(_meta={"x": {"a": 1}})]),
]  # fmt: skip

SCENARIOS: list[Scenario] = [*_FIELDS, *_FLOODS, *_LISTS]
