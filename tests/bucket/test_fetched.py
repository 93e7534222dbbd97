"""Traces of a place by their addresses: in Python, and in the tools for coding agents."""

from __future__ import annotations

import errno
import tempfile
from functools import partial
from pathlib import Path

import pytest

import acp_trace
from acp_trace.api import BadAddress, NotInPlace, PlaceError
from acp_trace.mcp_server.opening import allow
from acp_trace.mcp_server.worker import answer
from acp_trace.places import packing
from acp_trace.places.address import url_of
from acp_trace.places.fetched import FetchedSource
from acp_trace.places.opening import open_place
from acp_trace.store.sources import FileSource
from acp_trace.team.bucket.push import Push
from acp_trace.trace.home import Home as TraceHome
from tests.api import cancelled_turn
from tests.support import REPOSITORY, Home

pytest.importorskip("obstore")

STORY = REPOSITORY / "sample_traces" / "opencode-story.jsonl"
CANCEL = REPOSITORY / "sample_traces" / "opencode-cancel-acpx.jsonl"


def pushed(place: str, *files: Path) -> list[str]:
    """The addresses of these traces in the place, after they were pushed."""
    url = url_of(place, "/")
    done = Push(open_place(url, make=True), "keep").all([partial(FileSource, file) for file in files])
    return [f"{url}/{one.id}" for one in done]


def test_an_address_opens_the_trace(place: str, home: Home) -> None:
    """Its name is its id, its bytes and its report are those of the file; nothing comes into the store."""
    (address,) = pushed(place, STORY)
    with acp_trace.open_trace(address) as fetched, acp_trace.open_trace(STORY) as file:
        assert fetched.name == address.rpartition("/")[2]
        assert not fetched.live
        assert fetched.export().data == STORY.read_bytes()
        assert fetched.analyze() == file.analyze()
        assert fetched.table("turns").rows == file.table("turns").rows
    with acp_trace.open_trace(f"{url_of(place, '/')}/{address[-6:]}") as fetched:
        assert address.endswith(fetched.name)
    assert not home.store.exists()


def test_two_addresses_are_compared(place: str) -> None:
    """As two files are."""
    story, cancel = pushed(place, STORY, CANCEL)
    found = acp_trace.diff_traces(story, cancel)
    assert found.expected == story.rpartition("/")[2]
    assert found.divergences == acp_trace.diff_traces(STORY, CANCEL).divergences
    assert acp_trace.diff_traces(story, STORY).equal


def test_an_address_is_replayed(
    place: str, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run is a trace of this machine; there is no file that it could become."""
    (address,) = pushed(place, cancelled_turn.project(tmp_path, monkeypatch))
    replay = acp_trace.replay_trace(address, ["my-agent"])
    assert replay.passed
    agent = tmp_path / "bin" / "my-agent"
    agent.write_text(agent.read_text("utf-8").replace('"cancelled"', '"end_turn"'), "utf-8")
    replay = acp_trace.replay_trace(address, ["my-agent"])
    assert not replay.passed
    assert "--update" not in replay.report
    assert home.path.is_dir()


def test_what_names_no_trace(place: str, tmp_path: Path) -> None:
    """Each is an error of its own, in one line."""
    (address,) = pushed(place, STORY)
    url = url_of(place, "/")
    for text, error, line in (
        ("http://host/x", BadAddress, "http:// is not known"),
        ("s3://bucket", BadAddress, "s3://bucket is not a trace in a place: s3://bucket/ID"),
        ("s3://u:p@bucket/x", BadAddress, "an address must not contain a user"),
        (f"{url}/no-such-id", NotInPlace, f"{url} has no trace no-such-id"),
        (f"file://{tmp_path}/none/x", PlaceError, "none does not exist"),
        (f"file://{REPOSITORY}/x", PlaceError, f"file://{REPOSITORY} is not a place for traces"),
    ):
        with pytest.raises(error) as raised:
            acp_trace.open_trace(text)
        assert line in str(raised.value)
        assert "\n" not in str(raised.value)
    with pytest.raises(NotInPlace) as raised:
        FetchedSource(f"{address[:-1]}z")
    assert address.rpartition("/")[2] in raised.value.candidates


def test_a_trace_that_is_cut_off_in_the_place(tmp_path: Path) -> None:
    """Not half of it is shown."""
    (address,) = pushed(str(tmp_path / "team"), STORY)
    (object_,) = (tmp_path / "team").rglob("*.zst")
    object_.write_bytes(object_.read_bytes()[:-100])
    with pytest.raises(PlaceError, match="is cut off"):
        acp_trace.open_trace(address)


def test_tools_open_the_places_of_their_server(place: str, home: Home) -> None:
    """And no other place, whatever an agent asks for."""
    (address,) = pushed(place, STORY)
    url = url_of(place, "/")
    arguments = {"trace": address}
    shown = answer(TraceHome(home.path), [url], "show_trace", arguments)
    assert not shown.is_error
    assert address.rpartition("/")[2] in shown.text
    for places, line in (
        ((), "this server reads traces of no place: `acp-trace mcp --at DEST` adds one"),
        (("s3://other",), "this server reads traces of s3://other"),
    ):
        refused = answer(TraceHome(home.path), places, "show_trace", arguments)
        assert (refused.is_error, refused.fault) == (True, None)
        assert refused.text == f"{address} cannot be read: {line}"
    missing = answer(TraceHome(home.path), [url], "show_trace", {"trace": f"{url}/no-such-id"})
    assert (missing.is_error, missing.fault) == (True, None)
    assert missing.text.startswith(f"{url} has no trace no-such-id")
    allow(())


def test_no_space_for_what_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told where there is none: that is not the place."""
    (address,) = pushed(str(tmp_path / "team"), STORY)

    def full(_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(packing, "unpacked", full)
    with pytest.raises(OSError, match="No space left") as raised:
        FetchedSource(address)
    assert raised.value.filename == tempfile.gettempdir()
