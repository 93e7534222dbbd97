"""Each tool says what its command says with `--json`, a page at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.commands import Commands
from tests.http_story import http_trace
from tests.mcp_server.tools import Tools
from tests.report.model_story import story
from tests.support import REPOSITORY

SAMPLES = REPOSITORY / "sample_traces"
STORY, OTHER, MODEL = (
    SAMPLES / f"{name}.jsonl" for name in ("opencode-story", "opencode-acpx", "gemini-model")
)


def valued(item: dict[str, Any]) -> dict[str, Any]:
    """An item without the keys that have no value, as a page gives it."""
    return {key: value for key, value in item.items() if value is not None}


@pytest.fixture
def loaded(commands: Commands) -> Commands:
    """Three traces in the store."""
    commands.passes("load", STORY, OTHER, MODEL)
    return commands


def test_traces_are_those_of_ls(tools: Tools, loaded: Commands) -> None:
    """All of them, in its order, a page at a time; with its filters."""
    listed = loaded.json("ls")
    whole = tools.answer("list_traces")
    assert whole["traces"] == [valued(row) for row in listed]
    assert (whole["total"], whole["next_offset"]) == (3, None)
    first = tools.answer("list_traces", limit=2)
    rest = tools.answer("list_traces", limit=2, offset=first["next_offset"])
    assert first["traces"] + rest["traces"] == whole["traces"]
    assert rest["next_offset"] is None
    named = tools.answer("list_traces", agent="opencode", labels={"scene": "opencode-story"})
    assert [row["id"] for row in named["traces"]] == ["20261121T121624Z-87a1da"]
    assert tools.answer("list_traces", since="2099-01-01")["traces"] == []


def test_turns_have_names(tools: Tools) -> None:
    """A number, the number as text, and the name of a turn are the same."""
    answers = [
        tools.answer("list_frames", trace=STORY, turn=turn, session=session)
        for turn, session in ((1, None), ("1", None), ("S1.1", None), (1, "S1"))
    ]
    assert all(answer == answers[0] for answer in answers)
    assert tools.refusal("show_trace", trace=STORY, turn="S7.0").startswith("there is no session S7")
    calls = [tools.answer("list_model_calls", trace=MODEL, turn=turn) for turn in (0, "S1.0")]
    assert calls[0] == calls[1]


def test_runs_that_are_left_out_are_counted(tools: Tools, commands: Commands, tmp_path: Path) -> None:
    """As `ls` says it."""
    run = tmp_path / "run.jsonl"
    run.write_bytes(STORY.read_bytes().replace(b'{"acp_trace":1,', b'{"acp_trace":1,"origin":"replay",', 1))
    commands.passes("load", run)
    assert tools.answer("list_traces")["runs_left_out"] == 1
    assert "runs_left_out" not in tools.answer("list_traces", runs=True)
    assert tools.answer("list_traces", origin="replay")["total"] == 1


@pytest.mark.parametrize(("arguments", "options"), [({}, ()), ({"turn": 1}, ("--turn", "1", "--all")), ({"sections": ["logs"]}, ("--section", "logs")), ({"all": True}, ("--all",))])  # fmt: skip
@pytest.mark.parametrize("trace", [STORY, MODEL], ids=lambda path: path.stem)
def test_a_report_is_that_of_show(
    tools: Tools, commands: Commands, trace: Path, arguments: dict[str, Any], options: tuple[str, ...]
) -> None:
    """Line by line, as it is printed in a pipe."""
    shown = tools.answer("show_trace", trace=trace, limit=500, **arguments)
    printed = [line.rstrip() for line in commands.passes("show", trace, *options).splitlines()]
    assert shown["report"].split("\n") == printed
    assert shown["total"] == len(printed)


def test_a_report_comes_in_pages(tools: Tools) -> None:
    """Lines, joined again, are the report."""
    whole = tools.answer("show_trace", trace=STORY)["report"]
    lines: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = tools.answer("show_trace", trace=STORY, limit=7, offset=offset)
        lines += page["report"].split("\n")
        offset = page["next_offset"]
    assert "\n".join(lines) == whole


def test_findings_are_those_of_the_report(tools: Tools, commands: Commands) -> None:
    """With filters by severity, side and code."""
    told = commands.json("show", STORY)["findings"]
    findings = [{key: value for key, value in one.items() if value is not None} for one in told]
    assert tools.answer("list_findings", trace=STORY)["findings"] == findings
    for wanted in ({"severity": "warning"}, {"blame": "agent"}, {"code": "cancel-request-ignored"}):
        assert tools.answer("list_findings", trace=STORY, **wanted)["total"] == 1
    for other in ({"severity": "error"}, {"blame": "client"}, {"code": "nonsense"}):
        assert tools.answer("list_findings", trace=STORY, **other)["total"] == 0


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({"join": False}, ()),
        ({}, ("--join",)),
        ({"turn": 2}, ("--join", "--turn", "2")),
        ({"frames": "3,7-9"}, ("3,7-9", "--join")),
        (
            {"sender": "client", "method": "session/*"},
            ("--join", "--from", "client", "--method", "session/*"),
        ),
        ({"update": "tool_call*"}, ("--join", "--update", "tool_call*")),
        ({"grep": "HOLD"}, ("--join", "--grep", "HOLD")),
        ({"around": 29, "context": 2}, ("--join", "--around", "29", "-C", "2")),
        ({"since": "2s", "until": "2.43s"}, ("--join", "--since", "2s", "--until", "2.43s")),
        ({"logs": True}, ("--join", "--logs")),
        ({"offset": -3}, ("--join", "--tail", "3")),
    ],
    ids=str,
)
def test_frames_are_those_of_frames(
    tools: Tools, commands: Commands, arguments: dict[str, Any], options: tuple[str, ...]
) -> None:
    """With its filters; chunks are joined unless asked otherwise."""
    printed = commands.json("frames", STORY, *options)
    frames: list[Any] = []
    page = {"offset": arguments.pop("offset", 0), "next_offset": 0}
    while page["next_offset"] is not None:
        at = page["next_offset"] or page["offset"]
        page = tools.answer("list_frames", trace=STORY, message_bytes=12000, **arguments, offset=at)
        frames += page["frames"]
    assert frames == [valued(row) for row in printed]
    assert printed


def test_frames_of_one_stream(tools: Tools, tmp_path: Path) -> None:
    """Over HTTP, by its number."""
    path = tmp_path / "http.jsonl"
    path.write_bytes(http_trace())
    frames = tools.answer("list_frames", trace=path, stream=4)["frames"]
    assert [(frame["frame"], frame["stream"]) for frame in frames] == [(6, 4), (7, 4)]


def test_a_frame_is_read_whole(tools: Tools, commands: Commands) -> None:
    """And any part of it; without messages, a list is short."""
    (whole,) = commands.json("frames", STORY, "4")
    assert tools.answer("read_frame", trace=STORY, frame=4)["value"] == whole
    part = tools.answer("read_frame", trace=STORY, frame=4, pointer="/message/result/configOptions/1/options")
    assert part["value"] == whole["message"]["result"]["configOptions"][1]["options"]
    assert (part["type"], part["total"]) == ("array", 2)
    short = tools.answer("list_frames", trace=STORY, message_bytes=0)["frames"]
    slow = tools.answer("list_frames", trace=STORY, filter="took>1s turn:0,2 is:open,error or took>2s")[
        "frames"
    ]
    assert [row["frame"] for row in slow] == [42]
    assert "\n    took=1s\n        ^" in tools.refusal("list_frames", trace=STORY, filter="took=1s")
    assert not any({"message", "text"} & row.keys() for row in short)


@pytest.mark.parametrize("pointer", ["", "/trace", "/sessions/0/turns/1", "/exchanges/3", "/latency"])
def test_the_report_is_read_by_places(tools: Tools, commands: Commands, pointer: str) -> None:
    """What stands there in `show --json`."""
    value = commands.json("show", STORY)
    for key in pointer.split("/")[1:]:
        value = value[int(key) if isinstance(value, list) else key]
    read = tools.answer("read_report", trace=STORY, pointer=pointer)
    if pointer:
        assert read["value"] == value
    assert read["total"] == len(value)


def test_sql_gives_the_rows_of_query(tools: Tools, loaded: Commands) -> None:
    """A page of them, and how many there are; columns of one name are told apart."""
    sql = "SELECT trace_id, frame, frame FROM frames ORDER BY ALL"
    rows = loaded.json("query", sql)
    first = tools.answer("query_traces", sql=sql, limit=10)
    assert first["rows"] == rows[:10]
    assert first["total"] == len(rows)
    assert tools.answer("query_traces", sql=sql, limit=5, offset=10)["rows"] == rows[10:15]


def test_tables_are_those_of_the_schema(tools: Tools, commands: Commands) -> None:
    """Names first; columns of those that are asked for."""
    schema = commands.json("query", "--schema")
    assert [one["name"] for one in tools.answer("describe_tables")["tables"]] == [
        one["name"] for one in schema
    ]
    for table in schema:
        assert tools.answer("describe_tables", tables=[table["name"]])["tables"] == [table]


def test_differences_are_those_of_diff(tools: Tools, commands: Commands) -> None:
    """The whole document, with a page of its divergences."""
    said = commands("diff", STORY, OTHER, "--json")
    assert said.code == 1
    whole = commands_json(said.out)
    made = tools.answer("diff_traces", expected=STORY, actual=OTHER, limit=3)
    assert made["divergences"] == [valued(each) for each in whole["divergences"][:3]]
    assert made["total"] == len(whole["divergences"])
    for key in ("equal", "match", "environment", "counts", "model"):
        assert made[key] == whole[key]
    assert made["expected"] == {**whole["expected"], "name": str(STORY)}
    assert tools.answer("diff_traces", expected=STORY, actual=STORY, match="exact")["equal"] is True


def commands_json(text: str) -> Any:
    """JSON that a command printed which ended with another code than 0."""
    import json

    return json.loads(text)


def test_model_calls_are_those_of_model(tools: Tools, commands: Commands) -> None:
    """The list, by turn too; and one call, in parts."""
    calls = [call for row in commands.json("model", MODEL) for call in row["calls"]]
    assert tools.answer("list_model_calls", trace=MODEL)["calls"] == [valued(call) for call in calls]
    of_turn = tools.answer("list_model_calls", trace=MODEL, turn=1)["calls"]
    assert [call["call"] for call in of_turn] == [call["call"] for call in calls if call["turn"] == 1]
    assert of_turn
    whole = commands.json("model", MODEL, "--call", "2")
    assert tools.answer("read_model_call", trace=MODEL, call=2, pointer="/answer")["value"] == whole["answer"]
    system = tools.answer("read_model_call", trace=MODEL, call=2, pointer="/prompt/system")
    assert whole["prompt"]["system"].startswith(system["value"])
    assert system["total"] == len(whole["prompt"]["system"])


def test_model_changes_are_those_of_model_diff(tools: Tools, commands: Commands, tmp_path: Path) -> None:
    """A page of the changes, or of what others said."""
    paths = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    paths[0].write_bytes(story())
    paths[1].write_bytes(story(directory="/home/other/two", newer=True))
    whole = commands_json(commands("model", "diff", *paths, "--json").out)
    made = tools.answer("diff_model_calls", expected=paths[0], actual=paths[1])
    assert made["changes"] == [valued(each) for each in whole["changes"]]
    assert (made["equal"], made["pairs"]) == (False, len(whole["pairs"]))
    others = tools.answer("diff_model_calls", expected=paths[0], actual=paths[1], others=True)
    assert others["total"] == len(whole["others"])
