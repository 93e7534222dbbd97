"""`acp_trace.open_trace`: the report as data, equal to the JSON that `show` prints."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import msgspec
import pytest

import acp_trace
from acp_trace.api import NoSuchSession, NoTrace, OpenTrace, UnknownTrace, open_trace
from acp_trace.report import model
from acp_trace.trace.home import Home as Folders
from tests.http_story import http_trace
from tests.report.story import frames
from tests.support import TRACES, Home, trace


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A trace file of the story."""
    path = tmp_path / "story.jsonl"
    path.write_bytes(trace(*frames()))
    return path


def _plain(path: Path) -> Any:
    with acp_trace.open_trace(str(path)) as opened:
        return msgspec.json.decode(msgspec.json.encode(opened.analyze()))


@pytest.mark.parametrize("path", TRACES[:3], ids=lambda path: path.name)
def test_it_says_what_show_says(home: Home, path: Path) -> None:
    """The same keys, the same values."""
    assert _plain(path) == home.json("show", str(path))


def test_ids_are_looked_up_in_the_home_that_is_given(home: Home, told: Path) -> None:
    """Without a variable in the environment; as a path, as text."""
    home.run("load", str(told))
    for where in (home.path, str(home.path)):
        with acp_trace.open_trace("last", home=where) as opened:
            assert opened.name == "20261120T130501Z-7f3a9c"


def test_data_is_typed_frozen_and_short_to_look_at(told: Path) -> None:
    """Values are Python values, absent ones UNSET; a report and a session print one line."""
    with acp_trace.open_trace(str(told)) as opened:
        report = opened.analyze()
    session = report.sessions[0]
    assert isinstance(report, model.Report)
    assert session.config.final == {"model": "big", "effort": "high"}
    assert session.metadata.timeline[0].changes[0].before is msgspec.UNSET
    assert session.metadata.timeline[0].changes[1].after == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        session.title = "x"  # type: ignore[misc]
    assert repr(report) == "<report of 20261120T130501Z-7f3a9c: 1 sessions, 2 turns, 7 exchanges, 9 findings>"
    assert repr(session) == "<session s 'A file': 2 turns, 2 cancellations>"
    assert repr(opened).startswith("<trace ")


def test_a_part_of_it(told: Path) -> None:
    """One session, later frames, another rule; frames themselves."""
    with acp_trace.open_trace(str(told)) as opened:
        assert [one.frame for one in opened.analyze(since_frame=18).findings] == [22, 23, 25, 26, 27, 28, 29]
        assert opened.analyze(meta_merge="replace").trace.meta_merge == "replace"
        assert sum(1 for _ in opened.frames()) == 29
        with pytest.raises(NoSuchSession, match="no session nope"):
            opened.analyze(session="nope")


def test_streams_of_http(tmp_path: Path) -> None:
    """In the report, as a table, and as a filter of frames."""
    path = tmp_path / "http.jsonl"
    path.write_bytes(http_trace())
    with acp_trace.open_trace(path) as opened:
        assert [frame.frame for frame in opened.frames(stream=4)] == [6, 7]
        events = opened.analyze().streams[3]
        assert (events.method, events.session_id, events.frames.agent) == ("GET", "s1", 2)
        rows = opened.table("streams").dicts()
        assert [row["status"] for row in rows] == [200, 200, 202, 200, 202, 404, None, 202]


def test_ids_are_looked_up_in_a_home(home: Home, told: Path) -> None:
    """The last one, an unknown one, none at all."""
    folders = Folders(home.path)
    with pytest.raises(NoTrace):
        open_trace("last", folders)
    home.run("load", str(told))
    with open_trace("last", folders) as opened:
        assert isinstance(opened, OpenTrace)
        assert opened.name == "20261120T130501Z-7f3a9c"
        assert not opened.live
        assert opened.analyze(meta_merge="shallow").trace.meta_merge == "shallow"
    with pytest.raises(UnknownTrace):
        open_trace("nothing-like-it", folders)
