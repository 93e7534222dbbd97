"""Scenarios of session_info_update: every way in which metadata can change, clear and be wrong."""

from __future__ import annotations

from typing import Any

from tests.reading.talk import Said, answer, ask, hello, opened, prompt, stop, tell, up, words


def info(**fields: Any) -> Said:
    return up("session_info_update", **fields)


_NESTED: list[Said] = [
    info(_meta={"a": {"b": 1, "c": {"d": None, "e": []}}, "f": None, "n": {}}),
    info(_meta={"a": {"b": 2}}),  # from here on a deep and a shallow reader disagree
    info(_meta={"a": {"c": {"e": None}}}),
    info(_meta={"a": {"b": {"x": 1}}, "n": {"y": {}}}),
    info(_meta={"a": 7}),  # and from here on they do not, until
    info(_meta={"a": {"z": None}, "g": {"h": None, "k": 1}}),  # nulls inside of a new object
    info(_meta={"a": {"w": 1}}),
    info(_meta={"a": None, "g": None}),
    info(_meta={}),
    info(_meta=None),
    info(_meta={"only": "this"}),
]
_ALIKE: list[Any] = [1, 1.0, True, "1", 1, [1], [1.0], [{"a": 1}], [{"a": True}], 0, False, {}]
_VALUES = [info(_meta={"v": one}) for one in _ALIKE]

SCENARIOS: dict[str, list[Said]] = {
    "metadata, nested": [*hello(), *opened(), *_NESTED],
    "metadata, nested, draft 2": [*hello(2), *opened(), *_NESTED],
    "metadata, values that look alike": [*hello(), *opened(), *_VALUES, *_VALUES[:2]],
    "metadata, fields": [
        *hello(),
        info(title="before there is a session", updatedAt="2026-11-20T13:05:01Z"),
        *opened(),
        info(title="t" * 500, updatedAt="2026-11-20T14:05:01.5+01:00"),
        info(title="t" * 501),
        info(title=None),
        info(title=None, updatedAt=None),
        info(title=5, updatedAt={}, _meta=[]),
        info(title="x", updatedAt=False, _meta="m"),
        info(title=""),
        info(),
        info(_meta={"a/b": {"~": 1, "": 2}, "": {"": 3}}),
        info(_meta={"a/b": {"~": 1.0}, "title": "not this one"}),
        tell(
            "client",
            "session/update",
            sessionId="s",
            update={"sessionUpdate": "session_info_update", "title": "c"},
        ),
    ],
    "metadata, times": [
        *hello(),
        *opened(),
        *opened("other"),
        *(
            up("session_info_update", session=session, updatedAt=time)
            for session, times in {
                "s": ["2026-11-20t13:05:01z", "2026-12-31T23:59:60Z", "2026-02-29T00:00:00Z", "now"],
                "other": ["2024-02-29T00:00:00-00:00", "2026-11-20T13:05:01"],
                "third": ["2026-11-20 13:05:01Z"],
                "fourth": ["2026-11-20T24:00:00Z"],
                "fifth": ["2026-11-20T13:05Z"],
            }.items()
            for time in times
        ),
    ],
    "metadata, turns and replays": [
        *hello(),
        *opened(),
        prompt(1),
        info(title="in a turn"),
        words(),
        stop(1),
        info(title="between turns"),
        ask(2, "session/load", sessionId="s", cwd="/w"),
        info(title="replayed", _meta={"a": {"b": 1}}),
        up("session_info_update", session="other", title="not replayed"),
        answer(2),
        info(title="after it", _meta={"a": {"c": 1}}),
        prompt(3),
        prompt(4),
        info(_meta={"a": None}),
        stop(3),
        info(_meta={"a": {"d": 1}}),
        stop(4),
    ],
    "metadata, the version changes": [
        *opened(),
        info(_meta={"a": {"b": 1}}),
        *hello(1),
        info(_meta={"a": {"c": 1}}),
        *hello(2),
        info(_meta={"a": {"d": 1}}),
        *hello("2"),
        info(_meta={"a": {"e": 1}}),
    ],
}
