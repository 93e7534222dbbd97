"""The tee with real processes: every byte through, every frame written down, nothing of its own."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support import DEADLINE_S, Home, agent, entries_in, frames_in, lines_of, until

_ECHO = agent("for line in lines: say(line)")


def _only(home: Home) -> Path:
    (path,) = home.spooled()
    return path


def _stream(path: Path, sender: str) -> bytes:
    """What one side sent, from a trace, without our own parser."""
    out = b""
    for raw in lines_of(path).split(b"\n")[:-1]:
        entry: dict[str, Any] = json.loads(raw)
        if entry.get("from") != sender:
            continue
        if "text" in entry:
            out += entry["text"].encode()
        elif "base64" in entry:
            out += base64.b64decode(entry["base64"])
        else:
            tail = b',"partial":true}' if entry.get("partial") else b"}"
            out += raw[raw.index(b'"frame":') + 8 :].removesuffix(tail)
        out += b"" if entry.get("partial") else b"\n"
    return out


@pytest.mark.parametrize(
    "said",
    [
        b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"n":1e5}}\n{"id":1}\n',
        b"this is not json\n\n\r\n\xff\xfe\n",
        b'{"a":1}\r\n{"b": 2 }\r\n',
        b'{"text":"\\ud83d"}\n',
        b'{}{}\n{"a":\n1}\n',
        b'{"last":"frame without newline"}',
        b"not even json at the end",
        b"",
    ],
)
def test_both_directions_pass_byte_for_byte(home: Home, said: bytes) -> None:
    """Only the agent's bytes, also where they are no JSON or end without newline."""
    with home.start(agent("for line in lines: say(line)")) as recording:
        out, err, code = recording.finish(said)
    assert (out, err, code) == (said, b"", 0)
    assert _stream(_only(home), "client") == said
    assert _stream(_only(home), "agent") == said


def test_a_character_split_by_every_read(home: Home) -> None:
    """The agent writes byte by byte, the client reads it whole, the trace holds one frame."""
    message = '{"text":"é € 😀"}\n'.encode()
    slow = agent(f"for byte in {message!r}: say(bytes([byte])); time.sleep(0.001)")
    with home.start(slow) as recording:
        out, _, _ = recording.finish()
    assert out == message
    (frame,) = frames_in(_only(home))
    assert frame["frame"] == {"text": "é € 😀"}


def test_a_partial_line_is_forwarded_at_once(home: Home) -> None:
    """A client that shows progress must not wait for the newline."""
    half = agent("say(b'{\"half\":'); next(lines); say(b'1}\\n')")
    with home.start(half) as recording:
        assert os.read(recording.stdout.fileno(), 100) == b'{"half":'
        out, _, _ = recording.finish(b"go on\n")
    assert out == b"1}\n"
    assert [entry["frame"] for entry in frames_in(_only(home)) if entry["from"] == "agent"] == [{"half": 1}]


def test_a_frame_is_in_the_trace_before_the_other_side_has_it(home: Home) -> None:
    """Write first, forward second: whoever got a frame can find it in the file already."""
    with home.start(_ECHO) as recording:
        for number in range(50):
            line = b'{"n":%d}\n' % number
            recording.say(line)
            assert recording.hear() == line
            assert _only(home).read_bytes().count(line[:-1]) == 2
        recording.finish()


def test_twenty_thousand_frames_to_a_slow_client(home: Home) -> None:
    """The agent is gone before the client reads the first frame of its burst."""
    burst = agent(
        "os.write(2, b'%d\\n' % os.getpid()); say(b''.join(b'%05d\\n' % n for n in range(10000, 30000)))"
    )
    with home.start(burst) as recording:
        pid = int(recording.stderr.readline())
        until(lambda: not Path(f"/proc/{pid}").exists(), "the agent's end")
        with pytest.raises(subprocess.TimeoutExpired):  # it waits for the client as long as it takes
            recording.process.wait(0.5)
        got = [int(line) for line in recording.stdout]
        recording.stdin.close()
        assert recording.process.wait() == 0
    assert got == list(range(10000, 30000))
    assert [entry["frame"] for entry in frames_in(_only(home))] == got


def test_a_flood_in_both_directions_at_once(home: Home) -> None:
    """The agent reads nothing before it has written all; only independent pumps get through."""
    many = 8000  # far more than all pipes hold
    flood = agent(
        'data = b\'{"from":"agent","pad":"%s"}\\n\' % (b\'y\' * 90)\n'
        f"say(data * {many})\n"  # all of it, before it reads anything
        f"for _ in range({many}): next(lines)"
    )
    line = b'{"from":"client","pad":"%s"}\n' % (b"x" * 90)
    with home.start(flood) as recording:
        watch = threading.Timer(DEADLINE_S, recording.process.kill)  # a deadlock would last for ever
        watch.start()
        writer = threading.Thread(target=recording.say, args=(line * many,))
        writer.start()
        got = [recording.hear() for _ in range(many)]
        writer.join()
        recording.stdin.close()
        assert recording.process.wait() == 0
        watch.cancel()
    assert len(set(got)) == 1
    senders = [entry["from"] for entry in frames_in(_only(home))]
    assert (senders.count("client"), senders.count("agent")) == (many, many)


def test_a_line_longer_than_any_buffer(home: Home) -> None:
    """No limit on a line's length."""
    line = b'{"big":"%s"}\n' % (b"B" * 3_000_000)
    with home.start(_ECHO) as recording:
        out, _, code = recording.finish(line)
    assert (out, code) == (line, 0)
    assert _stream(_only(home), "agent") == line


def test_stderr_passes_through_and_is_logged(home: Home) -> None:
    """Also what is no UTF-8, and a last line without newline."""
    loud = agent("os.write(2, b'warn \\xff\\nlast words'); say(b'{}\\n')")
    with home.start(loud) as recording:
        out, err, _ = recording.finish()
    assert (out, err) == (b"{}\n", b"warn \xff\nlast words")
    logs = [entry["log"] for entry in entries_in(_only(home)) if "log" in entry]
    assert logs == ["warn \\xff", "last words"]


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ({"jsonrpc": "2.0", "method": "notifications/initialized"}, b"this is MCP, not ACP"),
        ({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}, b""),
        (
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "session/prompt",
                "params": {"prompt": "Content-Length: 5"},
            },
            b"",
        ),
    ],
)
def test_another_protocol_is_told_at_the_end(home: Home, first: dict[str, Any], told: bytes) -> None:
    """By what its client says first; whoever records ACP hears nothing."""
    with home.start(_ECHO) as recording:
        _, err, code = recording.finish(json.dumps(first).encode() + b"\n")
    assert code == 0
    assert told in err if told else not err


def test_stderr_lines_are_cut_only_where_they_are_too_long(home: Home) -> None:
    """A line without end must not fill the memory; what was written before it does not count."""
    loud = agent(
        "os.write(2, b'x' * 65500 + b'\\n' + b'y' * 30); next(lines)\nos.write(2, b'z\\n' + b'w' * 200000)"
    )
    with home.start(loud) as recording:
        assert len(recording.stderr.read(65531)) == 65531
        recording.finish(b"go on\n")
    logs = [entry["log"] for entry in entries_in(_only(home)) if "log" in entry]
    assert logs[:2] == ["x" * 65500, "y" * 30 + "z"]
    assert "".join(logs[2:]) == "w" * 200_000
    assert len(logs) > 3


def test_times_and_order(home: Home) -> None:
    """Times never go back, and a response stands after its request."""
    with home.start(_ECHO) as recording:
        for number in range(20):
            recording.say(b'{"n":%d}\n' % number)
            recording.hear()
        recording.finish()
    entries = entries_in(_only(home))[1:]
    times = [entry["t"] for entry in entries]
    assert times == sorted(times)
    assert [entry["from"] for entry in frames_in(_only(home))] == ["client", "agent"] * 20
    end = {"exit_code": 0, "signal": None, "client_left": True, "frames": {"client": 20, "agent": 20}}
    assert entries[-1]["end"] == end


def test_the_header_says_what_was_started_and_holds_no_environment_value(home: Home, tmp_path: Path) -> None:
    """Arguments and folder, labels; never a value of the environment."""
    show = agent("say(os.environ['SECRET_TOKEN'] + '\\n')")
    options = ["--label", "task=T 1", "--label", "x=a=b"]
    with home.start(show, *options, env={"SECRET_TOKEN": "hunter2"}, cwd=tmp_path) as recording:
        out, _, _ = recording.finish()
    assert out == b"hunter2\n"  # the agent has it
    path = _only(home)
    found = entries_in(path)[0]
    assert found["agent"] == {"argv": show, "cwd": str(tmp_path)}
    assert found["labels"] == {"task": "T 1", "x": "a=b"}
    assert found["id"] == path.stem
    assert b"hunter2" not in lines_of(path).split(b"\n")[0]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_memory_stays_flat(home: Home) -> None:
    """Under 60 MB whatever passes: 100 MB of frames to a client that reads slowly."""
    flood = agent("data = b'{\"pad\":\"%s\"}\\n' % (b'x' * 200) * 500\nfor _ in range(1000): say(data)")
    with home.start(flood) as recording:
        recording.stdin.close()
        peak, read = 0, 0
        while data := os.read(recording.stdout.fileno(), 1 << 16):
            read += len(data)
            if read % (1 << 20) < len(data):
                status = Path(f"/proc/{recording.process.pid}/status").read_text()
                peak = int(status.partition("VmHWM:")[2].split()[0])
        assert recording.process.wait() == 0
    assert read > 100_000_000
    assert 0 < peak < 60_000  # kB
