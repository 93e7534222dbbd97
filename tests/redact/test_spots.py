"""Where a string stands."""

from __future__ import annotations

import json

import pytest

from acp_trace.redact.places import StringPlace
from acp_trace.redact.rules import ARGUMENTS, RULES, Rule
from acp_trace.redact.splice import parts
from acp_trace.redact.spots import Spots, spot
from acp_trace.trace import json_pointer
from tests.rows import each

UPDATE = "session/update"


def test_no_rule_leads_to_what_is_kept() -> None:
    """A rule that can change nothing would be a mistake."""

    def check(rule: Rule) -> None:
        path = [
            "frame",
            *(0 if part == "*" else part for part in rule.path),
            *(["x"] if rule.deep else []),
        ]
        place = StringPlace(("frame",), rule.methods[0], (rule,))
        found = spot(path, "string", (place,))
        assert found is not None
        assert found.rule is rule

    each(RULES, check, lambda rule: rule.pointer)


def test_keys_change_only_in_data() -> None:
    """A key of the protocol is no secret, whatever a secret is called; nor is the name of an id."""
    place = StringPlace(("frame",), UPDATE, ())
    assert spot(["frame", "params", "update"], "key", (place,)) is None
    assert spot(["frame", "params", "update", "rawInput"], "key", (place,)) is None
    assert spot(["frame", "params", "update", "rawInput", "sessionId"], "key", (place,)) is None
    assert spot(["frame", "params", "update", "rawInput", "/home/x"], "key", (place,)) is not None


def test_a_rule_ends_where_its_path_ends() -> None:
    """Unless it is deep: then all below belongs to it."""
    for deep in (True, False):
        rule = Rule("r", json_pointer.read("/params/a/*"), ("m",), deep=deep)
        place = StringPlace(("frame",), "m", (rule,))
        rules = [
            found.rule if (found := spot(["frame", "params", *path], "string", (place,))) else None
            for path in (["a"], ["a", 0], ["a", "b"], ["a", 0, "b"], ["b", 0])
        ]
        assert rules == [None, rule, rule, rule if deep else None, None]


def test_each_message_of_a_batch_has_its_own_rules() -> None:
    """And what is outside of all of them has none."""
    rule = Rule("r", json_pointer.read("/params/a"), ("m",))
    places = (StringPlace(("frame", 0), "n"), StringPlace(("frame", 1), "m", (rule,)))
    first, second = (spot(["frame", at, "params", "a"], "string", places) for at in (0, 1))
    assert first is not None
    assert second is not None
    assert (first.rule, second.rule) == (None, rule)


@pytest.mark.parametrize(
    ("path", "changes"),
    [
        (["log"], True),
        (["text"], True),
        (["gap", "reason"], True),
        (["end", "error"], True),
        (["labels", "id"], True),
        (["agent", "cwd"], True),
        (["from"], False),
        (["id"], False),
        (["started_at"], False),
        (["recorder", "name"], False),
        (["platform", "system"], False),
        (["redacted", "by"], False),
    ],
)
def test_what_of_a_line_may_change(path: list[str | int | None], changes: bool) -> None:
    """Texts, folders, labels; not what says which trace it is and what the line is."""
    assert (spot(path, "string", ()) is not None) is changes
    assert spot(path, "number", ()) is None
    assert (spot(path, "key", ()) is not None) is (path == ["labels", "id"])


def test_the_agents_arguments_have_a_rule() -> None:
    """Of the header."""
    found = spot(["agent", "argv", 1], "string", ())
    assert found is not None
    assert found.rule is not None
    assert (found.rule.name, found.rule.how) == (ARGUMENTS, "arguments")


def _texts(spots: Spots, text: str, place: StringPlace, *, every: bool = False) -> list[str]:
    """What of a line may change."""
    cut = parts(text)
    return [cut[one.at] for one in spots.of(cut, (place,), every=every)]


def test_lines_of_one_shape_differ_only_in_their_texts() -> None:
    """Another message, another key or another method is looked at for itself."""
    spots = Spots()
    update, other = StringPlace(method=UPDATE), StringPlace(method="_x/y")
    line = '{"t":%d,"frame":{"params":{"a":{"sessionId":"%s","text":"%s"}}}}'
    assert _texts(spots, line % (1, "s", "a"), update) == ['"a"']
    assert _texts(spots, line % (23, "r", '\\"b'), update) == ['"\\"b"']
    assert _texts(spots, line % (1, "s", "a"), other) == ['"text"', '"a"']
    assert _texts(spots, (line % (1, "s", "a")).replace('"text"', '"type"'), update) == []
    assert len(_texts(spots, line % (1, "s", "a"), update, every=True)) == 9
    assert len(spots._made) == 3


def test_shapes_of_untrusted_lines_do_not_fill_the_memory() -> None:
    """Neither many shapes nor large ones; nor is a key kept that only its place makes a key."""
    spots = Spots()
    for name in range(1000):
        _texts(spots, f'{{"frame":{{"k{name}":"x"}}}}', StringPlace())
    assert len(spots._made) < 100
    before = dict(spots._made)
    for text in (
        json.dumps({"frame": ["x"] * 9000}),
        json.dumps({"frame": {"k" * 99_999: 1}}),
        '{"frame" :{"a" :"x"}}',
    ):
        assert _texts(spots, text, StringPlace()) == _texts(Spots(), text, StringPlace())
    assert spots._made == before
