"""docs/replay.md, What was there: files that messages name, and the two notes that are made of them."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.replay.files_named import below, files_before, missing, written_outside
from acp_trace.replay.plan.recording import read
from acp_trace.trace.parse import Parser
from tests.support import error, request, result, trace, update

Frame = tuple[str, dict[str, Any]]


def call(id_: str, **fields: Any) -> Frame:
    """All that is told of a tool call, at once."""
    return "agent", update("s", "tool_call", toolCallId=id_, **fields)


def done(id_: str, kind: str, *paths: str, status: str = "completed", **more: Any) -> Frame:
    return call(id_, kind=kind, status=status, locations=[{"path": path} for path in paths], **more)


def diff(path: str, old: str | None) -> dict[str, Any]:
    return {"type": "diff", "path": path, "oldText": old, "newText": "new"}


def asks(method: str, answer: Any, **params: Any) -> list[Frame]:
    return [("agent", request(7, method, sessionId="s", **params)), ("client", answer)]


def before(*frames: Frame, directories: tuple[str, ...] = ("/w",)) -> list[str]:
    messages = read(Parser().feed(trace(*frames))).messages
    return list(files_before(((each.frame, each.sender, each.text) for each in messages), directories))


def outside(*frames: Frame) -> str | None:
    note = written_outside(Parser().feed(trace(*frames)), ["/tmp/1", "/private/tmp/1"])
    return None if note is None else note.message


@pytest.mark.parametrize(
    ("frames", "paths"),
    [
        (asks("fs/read_text_file", result(7, content="x"), path="/w/a"), ["/w/a"]),
        (asks("fs/read_text_file", error(7, 1), path="/w/a"), []),
        (asks("fs/read_text_file", result(7, content="x"), path="/v/a"), []),
        ([done("1", "read", "/w/a", "b", "/w/../x")], ["/w/a", "/w/b"]),
        ([done("1", "read", "/w/a", status="failed")], []),
        ([call("1", kind="read", locations=[{"path": "/w/a"}]), call("1", status="completed")], ["/w/a"]),
        ([done("1", "edit", "/w/a", content=[diff("/w/a", "old")])], ["/w/a"]),
        ([done("1", "edit", "/w/a", content=[diff("/w/a", None)]), done("2", "read", "/w/a")], []),
        ([*asks("fs/write_text_file", result(7), path="/w/a"), done("2", "read", "/w/a")], []),
        ([done("1", "execute", title="touch a.txt"), done("2", "read", "/w/a.txt")], []),
        ([done("1", "search", "/w")], []),
        ([done("1", "read", "/w")], []),
        (
            [("client", request(1, "session/prompt", sessionId="s",
              prompt=[{"type": "resource_link", "uri": "file:///w/a%20b", "name": "a b"}]))],
            ["/w/a b"],
        ),
    ],
)  # fmt: skip
def test_the_files_that_a_recording_read(frames: list[Frame], paths: list[str]) -> None:
    """Not those that the agent made, nor those that could not be read."""
    assert before(*frames) == paths


def test_the_note_of_files_that_are_missing() -> None:
    """Three of them by name."""
    note = missing({name: frame for frame, name in enumerate("abcde", 4)}, " (it is empty)")
    assert note.message == (
        "the run's directory does not have a, b, c and 2 more, which the agent read in the recording (it is empty)"
    )
    assert (note.code, note.expected) == ("files-missing", 4)


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        ([done("1", "edit", "/tmp/1/a", "a", "/private/tmp/1/b")], None),
        ([done("1", "read", "/etc/passwd")], None),
        ([done("1", "edit", "/etc/passwd", status="failed")], None),
        ([done("1", "edit", "/etc/passwd")], "wrote /etc/passwd"),
        ([done("1", "other", content=[diff("/tmp/1/../2", "old")])], "wrote /tmp/1/../2"),
        (asks("fs/write_text_file", result(7), path="/tmp/12/a"), "asked to write /tmp/12/a"),
        (asks("fs/write_text_file", error(7, 1), path="/tmp/12/a"), None),
        (
            [*asks("terminal/create", result(7, terminalId="t"), command="ls", cwd="/"), done("1", "delete", "/b"),
             done("2", "move", "/b", "/c")],
            "wrote /b, /c and asked for a terminal in /",
        ),
    ],
)  # fmt: skip
def test_what_was_written_outside_of_the_directories(frames: list[Frame], message: str | None) -> None:
    """As far as messages say it."""
    note = outside(*frames)
    assert note == (message and f"the agent {message}, outside of the run's directories")


def test_odd_messages_say_nothing() -> None:
    """Whatever stands where a path should."""
    odd: list[Any] = [None, 3, [], {}, [3], [{"path": 3}], "x"]
    frames = [call("1", status="completed", kind="edit", locations=one, content=one) for one in odd]
    frames += [("client", request(1, "session/prompt", prompt=one)) for one in odd]
    frames += [("agent", {"method": "fs/write_text_file", "id": 1, "params": one}) for one in odd]
    frames += [("agent", {"method": one, "id": 1, "params": {"path": "fs/"}}) for one in odd]
    frames += [
        ("client", {"id": 1, "result": "resource_link"}),
        ("agent", {"method": "session/update tool_call"}),
    ]
    assert outside(*frames) is None
    assert before(*frames) == []


def test_the_directory_of_a_path() -> None:
    """The innermost."""
    assert below("/w/in/a", ["/w", "/w/in"]) == ("/w/in", "a")
    assert below("/w", ["/w/"]) == ("/w/", "")
    assert below("/work", ["/w"]) is None
    assert below("/x", ["/"]) == ("/", "x")


def test_paths_of_windows() -> None:
    """A file in the directory is named as on any system; none is missing because of its slashes."""
    frames = [
        done("1", "read", r"c:\w\src\a", "b", r"C:\v\c"),
        done("2", "edit", "C:/w/d"),
        done("3", "read", r"C:\W\d"),
    ]
    messages = read(Parser().feed(trace(*frames))).messages
    paths = files_before(((each.frame, each.sender, each.text) for each in messages), [r"C:\w"])
    assert [below(path, [r"C:\w"]) for path in paths] == [(r"C:\w", "src/a"), (r"C:\w", "b")]


def test_what_was_written_outside_of_directories_of_windows() -> None:
    r"""In a run on Windows alone: on Linux, `C:\a` is a name in the agent's directory."""
    entries = list(Parser().feed(trace(done("1", "edit", r"c:\W\a", r"C:\v\b"))))
    note = written_outside(entries, [r"C:\w"])
    assert note is not None
    assert note.message == "the agent wrote C:\\v\\b, outside of the run's directories"
    assert written_outside(entries, ["/tmp/1"]) is None
