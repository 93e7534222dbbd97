"""Bad arguments and bad traces: one line that says what is wrong and what to do, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.commands import Commands
from tests.mcp_server.test_tools import MODEL, STORY
from tests.mcp_server.tools import Tools
from tests.posix import named_pipe
from tests.support import trace


@pytest.mark.parametrize(
    ("name", "arguments", "line"),
    [
        ("nonsense", {}, "there is no tool 'nonsense'; there are list_traces, "),
        ("show_traces", {}, "there is no tool 'show_traces'; did you mean show_trace"),
        ("list_traces", {"limt": 3}, "list_traces has no argument 'limt'; did you mean limit"),
        ("list_traces", {"limit": 0}, "list_traces: Expected `int` >= 1 - at `$.limit`"),
        ("list_traces", {"limit": "many"}, "list_traces: Expected `int`, got `str` - at `$.limit`"),
        ("list_traces", {"since": "soon"}, "since: 'soon' is neither an age nor a date: write 12h, 30d, "),
        ("list_traces", {"origin": "x"}, "list_traces: Invalid enum value 'x' - at `$.origin`"),
        (
            "show_trace",
            {"trace": "last"},
            "there is no trace yet: record one with `acp-trace record -- AGENT`",
        ),
        ("show_trace", {"trace": "zzzzzz"}, "there is no trace zzzzzz; call list_traces"),
        ("show_trace", {"trace": "-"}, "standard input is the connection to the MCP client: name a file, "),
        ("show_trace", {"trace": "./gone.jsonl"}, "gone.jsonl: No such file or directory"),
        ("show_trace", {"trace": "."}, "there is no trace .; call list_traces"),
        ("show_trace", {"trace": "./"}, "./ is not a regular file"),
        ("show_trace", {"trace": "/dev/zero"}, "/dev/zero is not a regular file"),
        ("show_trace", {"trace": __file__}, f"{__file__} is not a trace"),
        ("show_trace", {"trace": "STORY", "turn": 9}, "there is no turn 9: the last one is turn 2"),
        (
            "show_trace",
            {"trace": "STORY", "session": "x"},
            "there is no session x in this trace; it has ses_",
        ),
        ("show_trace", {"trace": "STORY", "sections": ["x"]}, "show_trace: Invalid enum value 'x' - at `$.s"),
        ("list_frames", {"trace": "STORY", "frames": "x"}, "'x' is not a frame or a range of frames: 12, "),
        ("list_frames", {"trace": "STORY", "grep": "("}, "'(' is not a regular expression: "),
        ("list_frames", {"trace": "STORY", "since": "x"}, "'x' is not a time in the trace, such as 1.5s, "),
        ("list_frames", {"trace": "STORY", "turn": 9}, "there is no turn 9: the last one is turn 2"),
        ("read_frame", {"trace": "STORY"}, "read_frame: Object missing required field `frame`"),
        ("read_frame", {"trace": "STORY", "frame": 99}, "there is no frame 99 in "),
        (
            "read_frame",
            {"trace": "STORY", "frame": 1, "pointer": "x"},
            "'x' is not a JSON Pointer: it begins ",
        ),
        (
            "read_frame",
            {"trace": "STORY", "frame": 1, "pointer": "/x"},
            "there is no '/x'; there are frame, ",
        ),
        (
            "read_frame",
            {"trace": "STORY", "frame": 1, "pointer": "/frame/0"},
            "there is no '/frame/0'; what ",
        ),
        (
            "read_report",
            {"trace": "STORY", "pointer": "/sessions/7"},
            "there is no '/sessions/7'; the array ",
        ),
        ("query_traces", {"sql": "DROP TABLE traces"}, "query takes one statement that reads: SELECT, WITH"),
        ("query_traces", {"sql": "SELECT * FROM 'x.csv'"}, ""),
        ("query_traces", {"sql": "SELECT * FROM read_text('/etc/hostname')"}, "query does not accept read_t"),
        ("describe_tables", {"tables": ["turn"]}, "there is no table 'turn'; did you mean turns"),
        ("diff_traces", {"expected": "STORY"}, "diff_traces: Object missing required field `actual`"),
        (
            "diff_traces",
            {"expected": "STORY", "actual": "STORY", "match": "x"},
            "diff_traces: Invalid enum value 'x'",
        ),
        ("diff_traces", {"expected": "STORY", "actual": "STORY", "masks": ["x"]}, ""),
        (
            "diff_traces",
            {"expected": "STORY", "actual": "STORY", "masks": ["/params/nothing"]},
            "nothing to hide for the mask /params/nothing at this level",
        ),
        ("list_model_calls", {"trace": "STORY"}, "opencode-story.jsonl has no calls of a model: record"),
        ("read_model_call", {"trace": "MODEL", "call": 99}, "there is no call 99: the last one is call 8"),
        ("diff_model_calls", {"expected": "STORY", "actual": "MODEL"}, " has no calls of a model: record th"),
        (
            "diff_model_calls",
            {"expected": "MODEL", "actual": "MODEL", "call": 99},
            "there is no call 99: the last one is call 8",
        ),
    ],
)
def test_what_means_nothing_is_one_line(
    tools: Tools, name: str, arguments: dict[str, Any], line: str
) -> None:
    """It begins as it is written here, says no place in our code, and is one line unless DuckDB draws."""
    places = {"STORY": str(STORY), "MODEL": str(MODEL)}
    arguments = {
        key: places.get(value, value) if isinstance(value, str) else value for key, value in arguments.items()
    }
    said = tools.refusal(name, **arguments)
    assert line in said
    assert said
    assert "Traceback" not in said
    assert "\n" not in said or name == "query_traces"


def test_null_is_what_was_not_given(tools: Tools) -> None:
    """Models fill in every argument; numbers come as text as well."""
    given = {"trace": STORY, "turn": "1", "session": None, "grep": None, "limit": "2"}
    assert len(tools.answer("list_frames", **given)["frames"]) == 2


def test_a_pipe_is_not_waited_for(tools: Tools, tmp_path: Path) -> None:
    """Nobody may ever write into it."""
    named_pipe(tmp_path / "pipe.jsonl")
    assert tools.refusal("show_trace", trace=tmp_path / "pipe.jsonl").endswith("is not a regular file")


def test_the_id_of_a_session_leads_to_its_traces(tools: Tools, commands: Commands) -> None:
    """As the commands say it."""
    commands.passes("load", STORY)
    said = tools.refusal("show_trace", trace="ses_e01f6aa65ffen69FSBO9bmQEBn")
    assert "it is a session" in said
    assert "87a1da" in said


def test_traces_without_a_common_frame_are_not_equal(tools: Tools, tmp_path: Path) -> None:
    """Nothing that was compared is not the same as no difference."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_bytes(trace())
    said = tools.refusal("diff_traces", expected=tmp_path / "a.jsonl", actual=tmp_path / "b.jsonl")
    assert said.startswith("nothing was compared")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("show_trace", {"trace": "x" * 100_000}),
        ("query_traces", {"sql": f"SELECT {'x' * 19_000}"}),
        ("list_frames", {"trace": "STORY", "grep": "(" + "x" * 100_000}),
        ("describe_tables", {"tables": ["x" * 100_000]}),
    ],
)
def test_a_refusal_is_short(tools: Tools, name: str, arguments: dict[str, Any]) -> None:
    """Whatever it repeats of the arguments: a model pays for every character."""
    given = {key: str(STORY) if value == "STORY" else value for key, value in arguments.items()}
    assert len(tools.refusal(name, **given)) <= 2_000
