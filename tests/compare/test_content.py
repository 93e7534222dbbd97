"""What is shown, aspect by aspect: what counts as lost, when it may be compared, where it stands."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.compare.codes import Match
from acp_trace.compare.content import aspects, shapes
from acp_trace.compare.content.readings import read
from acp_trace.normalize.normalizer import Level, Normalizer
from acp_trace.normalize.pointers import NOTHING
from acp_trace.protocol.updates import BY_KIND
from tests.compare.conversation import (
    READ,
    base,
    both,
    chunk,
    codes,
    compared,
    config,
    drop,
    file,
    instead,
    put,
    texts,
    tool,
)
from tests.reading.talk import answer, up


def _path(text: str) -> str:
    return text.replace("/w", "‹cwd›")


@pytest.mark.parametrize(
    ("shape", "value", "there"),
    [
        (shapes.title, "Read", ["title"]),
        (shapes.title, " Undefined ", []),
        (shapes.title, 5, []),
        (shapes.filled("diff"), [{}], ["diff"]),
        (shapes.filled("diff"), [], []),
        (shapes.entries, [{"content": ""}, {"content": "x"}], ["entries"]),
        (shapes.entries, {"content": "x"}, []),
        (shapes.locations, [{"line": 3}], []),
        (shapes.inside, [{"path": "a.txt"}, {"path": "/w/b"}, {"path": "file:///w/c"}], ["directory"]),
        (shapes.inside, [{"path": "/w/b"}, {"path": "C:\\x"}], []),
        (shapes.new_text, [{"newText": "None"}], ["new text"]),
        (shapes.figures, {"used": (0, 10), "size": (-1, 10), "cost": (0, 0)}, ["used"]),
    ],
)
def test_shapes(shape: shapes.Shape, value: Any, there: list[str]) -> None:
    """What of a value is there, whatever it says."""
    assert shape(value, _path) == there


def test_frames_add_up() -> None:
    """The latest that says something counts; kinds of content and choices are collected."""
    frames = [
        {"title": "bash", "rawInput": {}, "content": texts("…")},
        {"title": "ls", "rawInput": {"command": "ls"}, "content": [{"type": "diff", "path": "/w/a"}]},
        {"title": "", "rawInput": None, "content": []},
    ]
    sources = [(at, "tool_call_update", {"params": {"update": update}}) for at, update in enumerate(frames)]
    readings = read(aspects.OF_CALL, sources)
    shown = {(row.what, row.shape): value for row, value in zip(aspects.OF_CALL, readings, strict=True)}
    assert [(value.frame, value.value) for value in readings[:2]] == [(1, {"command": "ls"}), (1, "ls")]
    assert shown["content", shapes.names].value == {"text": True}
    assert shown["diff", shapes.new_text].value == [{"type": "diff", "path": "/w/a"}]
    assert shown["locations", shapes.inside].value is NOTHING


@pytest.mark.parametrize(
    ("name", "said", "told"),
    [
        (
            "read end",
            tool("c1", "completed"),
            ('tool call "Read a.txt" no longer has text', "text", "nothing"),
        ),
        (
            "usage",
            up("usage_update", used=-1, size=100),
            ("usage: used is no longer a positive number", "used 10, size 100", "used -1, size 100"),
        ),
        (
            "title",
            up("session_info_update", title="undefined", updatedAt="2026-11-20T13:05:01Z"),
            ("the session no longer has a title", "A file", '"undefined", which is not a title'),
        ),
        (
            "found",
            up("agent_message_chunk", content={"type": "resource_link", "uri": "file:///a", "name": "a"}),
            (
                "agent message: a resource_link in place of the text",
                "Found it",
                "a resource_link in place of the text",
            ),
        ),
    ],
)
def test_what_is_gone_is_said_in_words(name: str, said: Any, told: tuple[str, str, str]) -> None:
    """Not in figures of our own; what stands in its place is named as what it is."""
    (found,) = compared(file(base()), file(instead(name, said)(base()))).failing
    assert (found.message, found.expected, found.got) == told


def test_every_row_is_about_a_known_update() -> None:
    """A kind that nothing sends would never be compared."""
    kinds = {kind for row in (*aspects.OF_TURN, *aspects.OF_SESSION) for kind in row.of}
    assert kinds - {""} <= BY_KIND.keys()


def _told(expected: Any, actual: Any, match: Any = "semantic") -> list[str]:
    return codes(compared(file(expected), file(actual), match))


def test_what_depends_on_the_input_is_not_held_against_another_input() -> None:
    """Another command may put out nothing; but an edit without a diff shows less, whatever was edited."""
    other = {**READ, "rawInput": {"path": "/w/b.txt"}}
    quiet = both(
        instead("read", tool("c1", "pending", **other)), instead("read end", tool("c1", "completed"))
    )
    assert _told(base(), quiet(base())) == []
    edits = put("edit", tool("c2", "pending", rawInput={"text": "a"}))(base())
    others = put("edit", tool("c2", "pending", rawInput={"text": "b"}))(base())
    assert _told(edits, instead("edit end", tool("c2", "completed"))(others)) == ["content-lost"]
    assert _told(edits, others) == []


def test_the_same_place_is_outside_of_another_directory() -> None:
    """Updates that are equal to the byte do not show the same where the directories are others."""
    here = file(base())
    assert "content-outside" in codes(compared(here, here.replace(b'"cwd":"/w"', b'"cwd":"/v"')))


def test_a_directory_is_the_same_however_a_text_spells_it() -> None:
    """As for the matcher of model calls (tests/normalize/test_forms.py)."""
    here, there = (
        file(instead("hello 2", chunk(f"{name}, kept in ~/.agent{slug}"))(base())).replace(b'"/w"', cwd)
        for name, slug, cwd in (
            ("My Shop", "/-home-ann-My-Shop", b'"/home/ann/My Shop"'),
            ("qz81", "/-tmp-qz81", b'"/tmp/qz81"'),
        )
    )
    assert codes(compared(here, there, "content")) == []
    assert codes(compared(here, there.replace(b"qz81, kept", b"qz82, kept"), "content")) == [
        "content-differs"
    ]


def test_a_key_is_an_id_or_a_path_as_a_value_is() -> None:
    """As codex-acp 2.6.0 names subagents, and Codex the files that it changes; a difference is pointed at."""

    def said(id: str, path: str, state: str = "ready") -> bytes:
        input_ = {"agentsStates": {id: {"status": state}}, "changes": {path: {"type": "add"}}}
        call = tool("c8", "pending", kind="other", title="spawn", rawInput=input_)
        return file(put("hello 2", call)(base()))

    first, second = "01a2260f-ac24-7113-a51a-e1d3b6370faa", "01a2263e-306b-76f2-8cd5-948b4a666a47"
    here = said(first, "/w/a.txt")
    there = said(second, "/w/a.txt").replace(b'"/w', b'"/v')
    assert codes(compared(here, there, "content")) == []
    assert codes(compared(here, said(second, "/w/b.txt"), "content")) == ["content-differs"]
    (other,) = compared(here, said(second, "/w/a.txt", "failed"), "content").failing
    assert (other.pointer, other.mask) == (
        f"/params/update/rawInput/agentsStates/{first}/status",
        "/params/update/rawInput/agentsStates/*/status:string",
    )
    masks = [other.mask or ""]
    assert codes(compared(here, said(second, "/w/a.txt", "failed"), "content", masks)) == []


def test_a_tool_call_that_a_cancel_stopped_shows_what_it_shows() -> None:
    """How far it got is chance; what was over before is compared."""
    shown = {"kind": "read", "title": "Look", "rawInput": {"path": "/w"}}
    begun = put("slow", tool("c8", "pending", **shown), tool("c8", "in_progress", content=texts("a")))(base())
    less = put("slow", tool("c8", "pending", **shown), tool("c8", "in_progress"))(base())
    assert _told(begun, less) == _told(begun, less, "content") == []
    over, nothing = (
        put("slow", tool("c8", "pending", **shown), tool("c8", "completed", content=content))(base())
        for content in (texts("a"), [])
    )
    assert _told(over, nothing) == ["content-lost"]


def test_a_text_that_a_cancel_cut_short_is_its_beginning() -> None:
    """At `content`; what both had said before must be the same."""
    slow = instead("slow", up("agent_message_chunk", content={"type": "text", "text": "Let me"}))(base())
    assert _told(base(), slow, "content") == _told(slow, base(), "content") == []
    other = instead("slow", up("agent_message_chunk", content={"type": "text", "text": "Let us"}))(base())
    assert _told(base(), other, "content") == ["content-differs"]


def test_a_text_that_a_cancel_cut_short_is_not_empty() -> None:
    """It may be cut before its first word; after as many chunks there would have been one."""
    late = put("cancel", up("agent_message_chunk", content={"type": "text", "text": "Let me"}))
    empty = instead("slow", up("agent_message_chunk", content={"type": "text", "text": ""}))(base())
    assert _told(base(), empty) == ["content-lost"]
    both_ = put("prompt 2", up("agent_message_chunk", content={"type": "text", "text": ""}))(base())
    assert _told(both_, late(drop("slow")(both_))) == []


def test_how_far_a_turn_got_when_the_client_left_is_chance() -> None:
    """Of a turn that has no end in either trace, what both did is compared."""
    found = {"type": "content", "content": {"type": "text", "text": "It is there"}}
    without_terminal = both(
        drop("shell", "terminal", "wait", "exit", "release", "released"),
        instead("web end", tool("c3", "completed", content=[found])),
    )(base())
    names = [name for name, _ in without_terminal]
    left, less = without_terminal[: names.index("found") + 1], without_terminal[: names.index("web end")]
    assert _told(left, less) == _told(less, left) == []
    text = instead("found", up("agent_message_chunk", content={"type": "text", "text": "Found it all"}))
    assert _told(left, text(left), "content") == _told(text(left), left, "content") == []
    assert _told(left, drop("web", "web end")(left)) == ["tool-call-missing"]


def test_an_option_that_vanished_takes_its_choices_along() -> None:
    """One cause, one divergence."""
    gone = both(
        instead("session", answer("new s", sessionId="s", configOptions=config()[:1])),
        instead("was set", answer(2, configOptions=config("small")[:1])),
    )
    assert _told(base(), gone(base())) == ["option-missing"]


def test_of_a_trace_without_end_nothing_is_missed() -> None:
    """What a session offers may have come later."""
    cut = file(drop("commands")(base())[:20], end=False)
    assert "choice-missing" not in codes(compared(file(base()), cut))


def test_no_message_is_searched_where_texts_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """To look for ids, times and directories in all that was shown cost half of a comparison."""
    searched: list[str] = []
    words = Normalizer.words

    def words_and_noted(self: Normalizer, text: str, level: Level) -> str:
        searched.append(text)
        return words(self, text, level)

    monkeypatch.setattr(Normalizer, "words", words_and_noted)
    levels: dict[Match, bool] = {"semantic": False, "exact": False, "content": True}
    for level, is_searched in levels.items():
        searched.clear()
        assert codes(compared(file(base()), file(base()), level)) == []
        assert any("shall read" in each for each in searched) is is_searched, level


def _before_and_after(name: str, before: Any, after: Any, match: Match = "content") -> list[str]:
    """The messages about one frame that is another."""
    was, now = (file(instead(name, said)(base())) for said in (before, after))
    return [one.message for one in compared(was, now, match).failing]


#: What usage must have.
_USAGE = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}


def _ended(**result: Any) -> Any:
    return answer(5, stopReason="end_turn", **result)


@pytest.mark.parametrize(
    ("name", "before", "after", "told"),
    [
        (
            "stop 3",
            _ended(usage=_USAGE | {"inputTokens": 1000, "outputTokens": 10}),
            _ended(usage=_USAGE | {"inputTokens": 10_000, "outputTokens": 10}),
            ["session/prompt usage /inputTokens 1000 → 10000"],
        ),
        (
            "stop 3",
            _ended(usage=_USAGE | {"inputTokens": 1000}),
            _ended(usage=_USAGE | {"inputTokens": 1100, "thoughtTokens": 3}),
            [],
        ),
        ("stop 3", _ended(), _ended(usage=_USAGE | {"inputTokens": 1}), []),
        (
            "stop 3",
            _ended(usage=_USAGE | {"inputTokens": 1}),
            _ended(),
            ["session/prompt no longer has usage"],
        ),
        (
            "fetch end",
            tool("c4", "failed", rawOutput={"error": "no host", "duration": {"secs": 1}}),
            tool("c4", "failed", rawOutput={"error": "no way", "duration": {"secs": 2}}),
            ['tool call "Page": raw output /error no host → no way'],
        ),
        (
            "fetch end",
            tool("c4", "failed", rawOutput="no host"),
            tool("c4", "failed"),
            ['tool call "Page" no longer has raw output'],
        ),
        (
            "fetch end",
            tool("c4", "failed", rawOutput="no host", content=texts("no host")),
            tool("c4", "failed", rawOutput="no way", content=texts("no way")),
            ['tool call "Page": content /0/content/text no host → no way'],
        ),
        (
            "fetch end",
            tool("c4", "failed", _meta={"tool": {"name": "web"}}),
            tool("c4", "failed"),
            ['tool call "Page": metadata {"tool":{"name":"web"}} → nothing'],
        ),
    ],
)
def test_what_an_end_says(name: str, before: Any, after: Any, told: list[str]) -> None:
    """Figures of usage, and what a tool gave: each once."""
    assert _before_and_after(name, before, after) == told


def test_what_is_lost_is_told_where_it_was() -> None:
    """Not at a later frame that shows nothing."""
    later = put("read end", tool("c1", content=[]), tool("c1"))
    gone = both(later, instead("read end", tool("c1", "completed", content=[])))
    (found,) = compared(file(later(base())), file(gone(base()))).failing
    assert found.code == "content-lost"
    assert found.expected_event is not None
    assert found.expected_event.frame == 1 + [name for name, _ in base()].index("read end")


def test_all_models_are_gone() -> None:
    """As one of them is told, so are all."""
    models = {"currentModelId": "a", "availableModels": [{"modelId": id_, "name": id_} for id_ in "ab"]}
    opened = answer("new s", sessionId="s", configOptions=config(), models=models)
    told = _before_and_after(
        "session", opened, answer("new s", sessionId="s", configOptions=config()), "semantic"
    )
    assert told == ["no longer offered: models a, b"]


_MODELS = {
    "currentModelId": "a",
    "availableModels": [{"modelId": id_, "name": id_, "description": "Good"} for id_ in "ab"],
}


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ({**_MODELS, "currentModelId": "b"}, ["the session: model at the beginning a → b"]),
        (
            {**_MODELS, "availableModels": [{"modelId": id_, "name": id_, "description": "Best"} for id_ in "ab"]},
            ["the session: model a description Good → Best"],
        ),
    ],
    ids=["another one", "another description"],
)  # fmt: skip
def test_which_model_is_chosen_and_what_is_said_of_it(now: Any, told: list[str]) -> None:
    """As of the modes and the options of a session."""
    was, after = (
        answer("new s", sessionId="s", configOptions=config(), models=each) for each in (_MODELS, now)
    )
    assert _before_and_after("session", was, after) == told


def test_a_cost_that_was_none() -> None:
    """A price that nobody asked for is another one."""
    was = up("usage_update", used=10, size=100)
    now = up("usage_update", used=10, size=100, cost={"amount": 99.5, "currency": "USD"})
    assert _before_and_after("usage", was, now) == ["the session: usage, cost 0 → 99.5"]


def test_a_title_for_a_while_stands_where_it_was_shown() -> None:
    """Not where the tool call begins."""
    passing = put("web", tool("c3", title="rm -rf /"), tool("c3", title="Web"))
    (found,) = compared(file(base()), file(passing(base())), "content").failing
    assert found.message == 'tool call "Web": intermediate title Web → rm -rf /'
    assert found.got_event is not None
    assert found.got_event.frame == 1 + [name for name, _ in base()].index("web") + 1


@pytest.mark.parametrize("used", [10**400, -(10**400)], ids=["large", "negative"])
def test_a_figure_that_no_float_holds(used: int) -> None:
    """JSON has numbers of any length: it is another figure, and no error."""
    giant = up("usage_update", used=used, size=100)
    assert _before_and_after("usage", up("usage_update", used=1.5, size=100), giant) != []
    assert _before_and_after("usage", giant, giant) == []
