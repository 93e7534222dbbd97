"""Masks hide values and nothing else, are counted, and say what is wrong with them."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.compare.codes import Match
from acp_trace.normalize.masks import TYPES, MaskError, Masks, MaskUse, parse, suggest
from tests.compare.conversation import (
    OPTIONS,
    READ,
    Edit,
    base,
    both,
    changed,
    chunk,
    codes,
    compared,
    config,
    file,
    instead,
    permission,
    put,
    tool,
)
from tests.reading.talk import answer, chosen, refuse, reply, stop, up

UUID = "0d24e984-8f4e-4df6-8425-3b670769644d"


@pytest.mark.parametrize(
    ("text", "path", "kind"),
    [
        ("/params/update/title", ("params", "update", "title"), None),
        ("/params/update/title:string", ("params", "update", "title"), "string"),
        ("/result/configOptions/*/currentValue", ("result", "configOptions", "*", "currentValue"), None),
        ("/params/a~1b/c~0d:time", ("params", "a/b", "c~d"), "time"),
        ("/params/_meta/x:y/z", ("params", "_meta", "x:y", "z"), None),
        ("/params/x:y:uuid", ("params", "x:y"), "uuid"),
        ("/*/code:number", ("*", "code"), "number"),
    ],
)
def test_masks_that_mean_something(text: str, path: tuple[str, ...], kind: str | None) -> None:
    """Pointer and type."""
    mask = parse(text)
    assert (mask.path, mask.type, mask.text) == (path, kind, text)


@pytest.mark.parametrize(
    ("text", "says", "start", "end"),
    [
        ("", "expected a JSON pointer", 0, 1),
        ("title", "expected a JSON pointer", 0, 5),
        ("/params/title:strng", "expected a type: one of string, number, time, uuid", 14, 19),
        ("/params/title:", "expected a type", 14, 15),
        ("/params//title", "expected a key, an index or *", 8, 9),
        ("/params/", "expected a key", 8, 9),
        ("/params/a~2", "expected ~0 for ~, or ~1 for /", 9, 10),
        ("/update/title", "expected params, result or error", 1, 7),
        ("/reslt/x", "did you mean result?", 1, 6),
    ],
)
def test_masks_that_mean_nothing(text: str, says: str, start: int, end: int) -> None:
    """What was expected, and a caret under the place."""
    with pytest.raises(MaskError) as raised:
        parse(text)
    assert says in str(raised.value)
    assert (raised.value.start, raised.value.end) == (start, end)
    caret = str(raised.value).split("\n")[-1]
    assert caret == " " * (4 + start) + "^" + "~" * (end - start - 1)


@given(st.text(max_size=30))
def test_any_text_is_a_mask_or_is_told(text: str) -> None:
    """Nothing else is raised."""
    with contextlib.suppress(MaskError):
        assert parse(text).text == text
        return
    with pytest.raises(MaskError) as raised:
        parse(text)
    assert 0 <= raised.value.start < raised.value.end


@pytest.mark.parametrize(
    ("kind", "fits", "misfits"),
    [
        ("string", ["", "a"], [1, None, True, [], {}]),
        ("number", [1, 1.5, -2], ["1", True, None]),
        ("time", ["2026-11-20T13:05:01Z", "2026-11-20T13:05:01.123+01:00", "2026-11-20T13:05:01"],
         ["2026-11-20", "later", "2026-13-20T13:05:01Z", 17]),
        ("uuid", [UUID, UUID.upper()], [UUID[1:], UUID + "0", UUID.replace("-", ""), 5]),
    ],
)  # fmt: skip
def test_types(kind: str, fits: list[object], misfits: list[object]) -> None:
    """What is of a type and what is not."""
    assert all(TYPES[kind](value) for value in fits)
    assert not any(TYPES[kind](value) for value in misfits)


def test_values_are_hidden_and_shapes_are_not() -> None:
    """A mask on an object hides what is in it, key by key; two masks on one value count once more, no less."""
    masks = Masks([parse("/params/_meta"), parse("/params/*/n:number")])
    value = {"params": {"_meta": {"n": 1, "s": "x"}, "other": {"n": 2, "s": "y"}, "list": [{"n": 3}]}}
    hidden = masks.hide("expected", value)
    assert hidden["params"]["_meta"] == {"n": "\0number", "s": "\0string"}
    assert hidden["params"]["other"] == {"n": "\0number", "s": "y"}
    assert hidden["params"]["list"] == [{"n": 3}]
    assert value["params"]["other"] == {"n": 2, "s": "y"}
    other = masks.hide("actual", {"params": {"_meta": {"n": "1", "s": "x"}, "other": {"n": 2, "s": "y"}}})
    assert other["params"]["_meta"] != hidden["params"]["_meta"]


def test_two_masks_hide_no_change_of_type() -> None:
    """What one has hidden keeps its type for the next."""
    masks = Masks([parse("/params/x:number"), parse("/params/*")])
    hidden = [masks.hide("expected", {"params": {"x": value}}) for value in (1, 2, "a")]
    assert hidden[0] == hidden[1] != hidden[2]


@pytest.mark.parametrize(
    ("expected", "got", "mask"),
    [
        ("a", "b", "/params/x:string"),
        (1, 2.5, "/params/x:number"),
        (UUID, UUID.replace("0d", "1d"), "/params/x:uuid"),
        (UUID, "a", "/params/x:string"),
        ("2026-11-20T13:05:01Z", "2027-11-20T13:05:01Z", "/params/x:time"),
        (True, False, "/params/x"),
        (["a"], ["b"], "/params/x"),
        (["a"], ["b", "c"], None),
        (1, "1", None),
        (None, "1", None),
    ],
)
def test_the_mask_that_would_hide_it(expected: object, got: object, mask: str | None) -> None:
    """The closest type that fits both; none for another shape or type."""
    assert suggest(("params", "x"), expected, got) == mask


@pytest.mark.parametrize(
    ("edit", "mask"),
    [
        (instead("stop 1", stop(3, "max_tokens")), "/result/stopReason:string"),
        (instead("stop 2", stop(4)), "/result/stopReason"),
        (instead("no mode", refuse(6, -32603)), "/error/code:number"),
        (instead("exit", reply(4, exitCode=1, signal=None)), "/result/exitCode"),
        (both(instead("session", answer("new s", sessionId="s", configOptions=config("mid", choices="big mid small tiny"))),
              instead("was set", answer(2, configOptions=config("small", choices="big mid small tiny")))),
         "/result/configOptions/*/currentValue:string"),
        (instead("initialized", answer(0, protocolVersion=3, agentCapabilities={
            "loadSession": True, "promptCapabilities": {"image": True}}, authMethods=[{"id": "key", "name": "Key"}],
            agentInfo={"name": "agent", "version": "1"})),
         "/result/protocolVersion:number"),
        (instead("initialized", answer(0, protocolVersion=1, agentCapabilities={
            "loadSession": False, "promptCapabilities": {"image": True}}, authMethods=[{"id": "key", "name": "Key"}],
            agentInfo={"name": "agent", "version": "1"})),
         "/result/agentCapabilities/loadSession"),
    ],
)  # fmt: skip
def test_a_mask_hides_a_divergence(edit: object, mask: str) -> None:
    """Which is there without it, and names a mask where it has a place of its own."""
    assert codes(changed(edit)) != []  # type: ignore[arg-type]
    found = changed(edit, masks=[mask])  # type: ignore[arg-type]
    assert found.equal, found.failing
    assert found.counts.masked >= 1
    assert not found.idle


IN_A_RESULT = "/result/configOptions/*/currentValue"
IN_AN_UPDATE = "/params/update/configOptions/*/currentValue"


def test_a_value_is_masked_where_it_stands() -> None:
    """An option that the agent changes to something else: in the update, and not in a response."""
    ours, theirs = (
        file(put("stop 3", up("config_option_update", configOptions=config(model)))(base()))
        for model in ("mid", "big")
    )
    assert codes(compared(ours, theirs)) == ["config-final"]
    assert codes(compared(ours, theirs, masks=[IN_A_RESULT])) == ["config-final"]
    assert compared(ours, theirs, masks=[IN_AN_UPDATE]).equal


def test_a_mask_hides_no_change_that_came_or_went() -> None:
    """Its value is hidden, also as the last one; that the agent made a change is none."""
    edit = put("stop 3", up("config_option_update", configOptions=config("big")))
    assert codes(changed(edit)) == ["config-final"]
    (told,) = changed(edit, masks=[IN_A_RESULT, IN_AN_UPDATE]).failing
    assert (told.code, told.expected, told.got) == ("config-timeline", "no change", "big by the agent")


def test_a_divergence_names_its_mask() -> None:
    """And that mask hides it."""
    edit = both(
        instead("bye", chunk("Finished", messageId="m1")),
        instead("usage", up("usage_update", used=12, size=100)),
    )
    found = changed(edit, "exact")
    assert [one.mask for one in found.failing] == [
        "/params/update/content/text:string",
        "/params/update/used:number",
    ]
    assert changed(edit, "exact", [one.mask or "" for one in found.failing]).equal


@pytest.mark.parametrize(
    "edit",
    [
        instead("stop 1", stop(3, "max_tokens")),
        instead("stop 2", stop(4)),
        instead("no mode", refuse(6, -32603)),
        instead("web end", tool("c3", "failed")),
        instead("web", tool("c3", "pending", kind="execute", title="Web")),
        instead("allowed", chosen(1, optionId="no")),
        instead("allowed", chosen(1, "cancelled")),
        instead("permission", permission(1, "c2", options=[{**one, "name": one["name"] * 2} for one in OPTIONS])),
        instead("exit", reply(4, exitCode=1, signal=None)),
        instead("initialized", answer(0, protocolVersion=3, agentCapabilities={
            "loadSession": True, "promptCapabilities": {"image": True}}, authMethods=[{"id": "key", "name": "Key"}],
            agentInfo={"name": "agent", "version": "1"})),
        instead("plan", up("plan", entries=[{"content": "a", "status": "completed", "priority": "low"}])),
    ],
)  # fmt: skip
@pytest.mark.parametrize("match", ["semantic", "content", "exact"])
def test_no_mask_is_proposed_that_would_hide_a_defect(edit: Edit, match: Match) -> None:
    """A status that is masked makes a tool call that failed equal to one that did not."""
    ours = put("thought", up("plan", entries=[{"content": "a", "status": "pending"}]))(base())
    ours = [("plan" if name == "thought +0" else name, said) for name, said in ours if name != "plan"]
    found = compared(file(ours), file(edit(ours)), match)
    assert found.failing or match != "exact"
    assert [one.mask for one in found.failing if one.mask] == []


@pytest.mark.parametrize(
    ("path", "value", "other", "proposed"),
    [
        ("params/update/title", "a", "b", True),
        ("params/update/status", "completed", "failed", False),
        ("params/update", {"status": "a", "title": "b"}, {"status": "a", "title": "c"}, False),
        ("params/update/content/text", "a", "b", True),
        ("params/update/content/type", "text", "image", False),
        ("params/update/content/*/content/type", "text", "image", False),
        ("params/update/rawOutput/status", "a", "b", True),
        ("params/update/_meta/x/kind", "a", "b", True),
        ("params/update/configOptions/*/currentValue", "a", "b", True),
        ("params/update/currentModeId", "a", "b", False),
        ("params/options/*/name", "a", "b", False),
        ("params/path", "a", "b", True),
        ("error/code", -1, -2, False),
        ("error/message", "a", "b", True),
        ("result/agentCapabilities/loadSession", True, False, False),
    ],
)
def test_which_places_get_a_mask_proposed(path: str, value: object, other: object, proposed: bool) -> None:
    """Not those that say what became of something; whatever is of the agent's own making may be masked."""
    assert (suggest(path.split("/"), value, other) is not None) is proposed


def _reads(**given: Any) -> Edit:
    """Another input of the tool call that reads."""
    return instead("read", tool("c1", "pending", **{**READ, "rawInput": given}))


@pytest.mark.parametrize(
    ("edit", "mask", "says"),
    [
        (_reads(file="/w/a.txt"), "/params/update/rawInput/path", "hides no added or removed key"),
        (_reads(path=5), "/params/update/rawInput/path", "hides no change of type, from string to number"),
        (instead("bye", chunk("Finished", messageId="m1")), "/params/update/content/text:uuid",
         "hides nothing that is not of type uuid: Done"),
        (instead("usage", up("usage_update", used=11, size=100, cost={"amount": 1, "currency": "USD"})), "/params/update",
         "hides no added or removed key"),
    ],
)  # fmt: skip
def test_a_mask_is_refused(edit: object, mask: str, says: str) -> None:
    """The divergence stays, and says why."""
    found = changed(edit, "exact", [mask])  # type: ignore[arg-type]
    assert not found.equal
    assert says in (found.failing[0].refused or "")
    assert found.failing[0].mask is None
    assert found.masks[0].refused >= 1
    assert not found.idle


def test_uses_are_counted() -> None:
    """Values that were hidden, also where they are equal; a mask with nothing to hide is told."""
    found = changed(
        lambda named: named,
        "exact",
        ["/params/update/content/text", "/params/update/titel", "/result/stopReason"],
    )
    assert found.masks == [
        MaskUse("/params/update/content/text", 6, 0),
        MaskUse("/params/update/titel", 0, 0),
        MaskUse("/result/stopReason", 3, 0),
    ]
    assert [one.mask for one in found.idle] == ["/params/update/titel"]
    assert found.counts.masked == 9


def test_a_mask_of_what_a_level_does_not_look_at_is_idle() -> None:
    """Texts are nothing that `semantic` compares."""
    found = changed(lambda named: named, "semantic", ["/params/update/content/text", "/result/stopReason"])
    assert [one.mask for one in found.idle] == ["/params/update/content/text"]
