"""What a put leaves that was killed: how it is called, and that it is found, and removed."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from acp_trace.places.place import PlaceError
from acp_trace.team.bucket import unfinished
from tests.lake.traces import place_at

_LIMIT = 1000
#: The kernel kills it as soon as a file has so many bytes: in the middle of a put.
_KILLED = f"""
import resource, signal, sys
from acp_trace.places.opening import open_place
from acp_trace.places.place import SharedPlace
place = open_place(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, ({_LIMIT}, {_LIMIT}))
place.put("traces/a.jsonl.zst", b"x" * {5 * _LIMIT})
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs SIGXFSZ")
def test_a_put_that_is_killed_in_its_middle(tmp_path: Path) -> None:
    """It leaves its file half-written, under the name that is looked for; the next put is not disturbed."""
    place = place_at(str(tmp_path / "team"))
    ended = subprocess.run([sys.executable, "-c", _KILLED, place.url], check=False)
    assert signal.Signals(-ended.returncode).name == "SIGXFSZ"
    assert list(place.names("traces/")) == []
    later = datetime.now(UTC) + timedelta(days=2)
    found = unfinished.unfinished(place, "traces", lambda name: name == "traces/a.jsonl.zst", later)
    assert {name: file.stat().st_size for name, file in found.items()} == {"traces/a.jsonl.zst#1": _LIMIT}
    assert place.put("traces/a.jsonl.zst", b"whole")
    unfinished.remove(place, [*found.values(), tmp_path / "gone"])
    assert [file.name for file in (tmp_path / "team" / "traces").iterdir()] == ["a.jsonl.zst"]
    assert place.read("traces/a.jsonl.zst") == b"whole"


def test_what_cannot_be_removed(tmp_path: Path) -> None:
    """It is told in one line, with the file."""
    place = place_at(str(tmp_path / "team"))
    (tmp_path / "team" / "d").mkdir()
    with pytest.raises(PlaceError, match=r"team: .*/d cannot be removed: "):
        unfinished.remove(place, [tmp_path / "team" / "d"])
