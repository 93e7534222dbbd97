"""`acp-trace follow` tells what frames mean: metadata, configuration, cancels, findings."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.commands import Commands
from tests.http_story import http_trace
from tests.report import turn_story
from tests.report.story import frames
from tests.support import (
    ACP_TRACE,
    DEADLINE_S,
    END,
    REPOSITORY,
    Home,
    agent,
    header,
    line,
    request,
    result,
    trace,
    until,
    update,
)


@pytest.fixture
def told(tmp_path: Path) -> str:
    """A trace file of the story."""
    path = tmp_path / "story.jsonl"
    path.write_bytes(trace(*frames()))
    return str(path)


def test_events_alone(commands: Commands, told: str) -> None:
    """Without the frames, each with its frame's number: also turns, tool calls and permissions."""
    head, talkers, *lines, closing = commands.passes("follow", told, "--events").splitlines()
    assert head.split()[0] == "20261120T130501Z-7f3a9c"
    assert head.endswith("opencode acp")
    assert talkers == " Agent 2 ⇄ Editor 1   protocol 1"
    assert closing == " ended: exit 0   14 ▸ 15 ◂ frames   30 µs"
    said = [" ".join(line.split()) for line in lines]
    assert [line.split()[0] for line in said][:14] == [
        "6",
        "7",
        "9",
        "9",
        "10",
        "11",
        "11",
        "12",
        "13",
        "14",
        "15",
        "15",
        "16",
        "17",
    ]
    for event in (
        '7 0.000 • turn 0 begins "Write a file"',
        "10 0.000 • tool edit Write a file pending",
        "11 0.000 • asked permission: Write a file waits",
        "13 0.000 • asked permission: Write a file cancelled after 2 µs",
        "14 0.000 • tool edit Write a file failed after 4 µs",
        "15 0.000 • turn 0 ends cancelled after 8 µs",
        "15 0.000 • cancel session/cancel of #7 ─▸ 1 update cancelled after 3 µs",
    ):
        assert event in said


def test_a_call_of_the_model_is_an_event_when_it_has_ended(commands: Commands, tmp_path: Path) -> None:
    """It has no frame. In JSON it is a row of its own."""
    path = tmp_path / "model.jsonl"
    path.write_bytes(turn_story.trace_file())
    lines = commands.passes("follow", path, "--events").splitlines()
    calls = [" ".join(line.split()) for line in lines if "• model" in line]
    assert calls == [
        "2.220 • model call 1 claude-sonnet-4-5, asks for bash tool_use after 1.90 s",
        "4.580 • model call 2 claude-sonnet-4-5 error 429 after 180 ms",
        "8.000 • model call 3 claude-sonnet-4-5 end_turn after 2.40 s",
        "8.900 • model call 4 claude-sonnet-4-5 end_turn after 600 ms",
        "11.310 • model call 5 claude-sonnet-4-5 aborted after 1.26 s",
        "15.950 • model call 6 claude-sonnet-4-5 end_turn after 2.90 s",
    ]
    rows = [json.loads(row) for row in commands.passes("follow", path, "--json").splitlines()]
    told = [
        (row["t_ns"], row["facts"]["model_calls"]) for row in rows if "model_calls" in row.get("facts", {})
    ]
    assert [(t_ns, call["call"], call["turn"]) for t_ns, (call,) in told][:2] == [
        (2_220_000_000, 1, 0),
        (4_580_000_000, 2, 0),
    ]
    assert len(told) == 6


def test_what_is_loaded_again_is_no_event(commands: Commands, tmp_path: Path) -> None:
    """A tool call of the history neither begins nor ends; one that begins and ends at once is one event."""
    call = {"toolCallId": "c", "title": "Old", "status": "completed"}
    path = tmp_path / "load.jsonl"
    path.write_bytes(trace(
        ("client", request(1, "session/load", sessionId="s", cwd="/", mcpServers=[])),
        ("agent", update("s", "tool_call", **call)),
        ("agent", result(1)),
        ("client", request(2, "session/prompt", sessionId="s", prompt=[])),
        ("agent", update("s", "tool_call", **(call | {"title": "New"}))),
    ))  # fmt: skip
    printed = commands.passes("follow", path, "--events")
    assert "Old" not in printed
    assert printed.count("New") == 1


def test_events_from_a_stored_trace_and_as_json(home: Home, told: str) -> None:
    """A line a frame; `facts` where the frame meant something."""
    home.run("load", told)
    rows = [json.loads(line) for line in home.run("follow", "last", "--json").splitlines()]
    assert len(rows) == 29
    assert [row["frame"] for row in rows if "facts" in row][:10] == [4, 6, 9, 11, 12, 15, 16, 17, 19, 22]
    assert rows[21]["facts"]["cancellations"][0]["outcome"] == "completed"
    alone = home.run("follow", "last", "--json", "--events").splitlines()
    assert len(alone) == 16


def test_filters_are_for_frames(home: Home, told: str) -> None:
    """What frames mean is shown also of those that are not."""
    out = home.run("follow", told, "--method", "session/close")
    assert "session/prompt" not in out.replace("of #", "")
    assert "update-after-settle" in out


def test_one_stream(commands: Commands, tmp_path: Path) -> None:
    """Its frames alone."""
    path = tmp_path / "http.jsonl"
    path.write_bytes(http_trace())
    rows = [
        json.loads(row) for row in commands.passes("follow", path, "--stream", "4", "--json").splitlines()
    ]
    assert [row["frame"] for row in rows if row.get("stream") == 4] == [6, 7]
    printed = commands.passes("follow", path, "--stream", "4")
    assert "agent_message_chunk" in printed
    assert "initialize" not in printed


def test_logs_between_the_frames(commands: Commands, tmp_path: Path) -> None:
    """With the frames, without them only on request; to programs only on request."""
    path = tmp_path / "logs.jsonl"
    path.write_bytes(header() + line(t=1, log="one\x1b") + line(t=2, **{"from": "agent"}, frame={"a": 1}))
    printed = commands.passes("follow", path)
    assert printed.index("stderr: one\\e") < printed.index("bad")
    for options in (["--no-logs"], ["--events"], ["--method", "*"]):
        assert "stderr" not in commands.passes("follow", path, *options)
    assert "stderr" in commands.passes("follow", path, "--events", "--logs")
    rows = [json.loads(row) for row in commands.passes("follow", path, "--json", "--logs").splitlines()]
    assert [row.get("log") for row in rows] == ["one\x1b", None]
    assert len(commands.passes("follow", path, "--json").splitlines()) == 1


def test_a_live_trace(home: Home) -> None:
    """A finding is there as soon as its frame is, and the command ends when the trace does."""
    with home.start(agent("say('noise\\n'); next(lines, None)")) as recording:
        assert recording.hear() == b"noise\n"
        until(home.spooled, "the trace file")
        recording.stdin.close()
        recording.process.wait(20)
    out = home.run("follow", str(home.spooled()[0]), "--events")
    assert "not-json agent" in out


def test_a_turn_that_is_silent(home: Home) -> None:
    """Once a silence, as soon as it has lasted so long; between turns nobody waits for anything."""
    stalled = []
    with home.start(agent("next(lines); next(lines, None)")) as recording:
        path = until(home.spooled, "the trace file")[0]
        argv = [*ACP_TRACE, "follow", str(path), "--json", "--stall", "50ms"]
        with subprocess.Popen(argv, stdout=subprocess.PIPE, env=home.environment) as following:
            assert following.stdout is not None
            recording.say(json.dumps(request(1, "session/prompt", sessionId="s")).encode() + b"\n")
            for line in following.stdout:
                row = json.loads(line)
                if "stalled_ns" in row:
                    stalled.append(row["stalled_ns"])
                    recording.stdin.close()
            assert following.wait(DEADLINE_S) == 0
    assert len(stalled) == 1
    assert stalled[0] >= 50_000_000


def test_a_time_that_is_none(commands: Commands, told: str) -> None:
    """One line says what a time looks like."""
    said = commands("follow", told, "--stall", "soon")
    assert said.code == 2
    assert "such as 60s" in said.err


def test_an_empty_name(home: Home, told: str) -> None:
    """The beginning of every id, of what is stored and of what is live: it names none of them."""
    home.run("load", told)
    with home.start(agent("for line in lines: say(line)")) as recording:
        recording.say(b"{}\n")
        recording.hear()
        done = home.outcome("follow", "")
        recording.finish()
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"the name of the trace is empty" in done.stderr


def test_what_only_the_end_shows(commands: Commands, tmp_path: Path) -> None:
    """A crash in a turn, and the cancel that nobody answered any more: before the closing line."""
    text = trace(
        ("client", request(1, "session/new", cwd="/", mcpServers=[])),
        ("agent", result(1, sessionId="s")),
        ("client", request(2, "session/prompt", sessionId="s", prompt=[])),
        ("client", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}),
        end=False,
    )
    path = tmp_path / "crash.jsonl"
    path.write_bytes(text + line(t=9000, end=END | {"exit_code": 1}))
    printed = [" ".join(row.split()) for row in commands.passes("follow", path, "--events").splitlines()]
    end = [
        "3 0.000 • turn 0 never ended",
        "4 0.000 • cancel session/cancel of #3 unanswered",
        "3 0.000 • error agent-crashed agent the agent ended with exit code 1 while session/prompt #3 was open",
        (
            "3 0.000 • note never-answered agent session/prompt was never answered; "
            "open for 6 µs when the trace ended (follows from #3)"
        ),
        (
            "4 0.000 • note cancel-unanswered agent session/prompt #3 was never answered after session/cancel; "
            "5 µs later the trace ended (follows from #3)"
        ),
        "ended: exit 1 3 ▸ 1 ◂ frames 9 µs",
    ]
    assert printed[-len(end) :] == end
    frames_too = [" ".join(row.split()) for row in commands.passes("follow", path).splitlines()]
    assert frames_too[-len(end) + 1 :] == end[1:]
    *_, last = map(json.loads, commands.passes("follow", path, "--json").splitlines())
    assert "frame" not in last
    codes = [finding["code"] for finding in last["facts"]["findings"]]
    assert codes == ["agent-crashed", "never-answered", "cancel-unanswered"]
    assert last["facts"]["cancellations"][0]["outcome"] == "unanswered"
    # Who ends a run owes nobody an answer, and neither does the agent.
    path.write_bytes(text + line(t=9000, end=END | {"exit_code": None, "aborted": "timeout"}))
    assert "unanswered" in commands.passes("follow", path, "--events").splitlines()[-2]


def test_a_filter(commands: Commands) -> None:
    """With what is known by then: turns, and findings that come with their frame; never what only the end shows."""
    sample = REPOSITORY / "sample_traces" / "opencode-story.jsonl"
    out = commands.passes("follow", sample, "--json", "--where", "turn:S1.1 session:s1 kind:request,response")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["frame"] for row in rows if "facts" not in row] == [27]
    assert commands("follow", sample, "--where", "is:open").code == 2
    said = commands("follow", sample, "--where", "severity:warning")
    assert "\n    42 " in said.out
    assert "\n    41 " not in said.out
