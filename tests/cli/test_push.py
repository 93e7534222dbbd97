"""`push`, `pull`, `ls --at`, and addresses in the place of traces."""

from __future__ import annotations

import json
import re
import sys
import threading
from pathlib import Path

import pytest

from acp_trace.places import layout, packing
from tests.bucket.test_places import secret_trace
from tests.commands import Commands
from tests.posix import named_pipe
from tests.support import REPOSITORY, Fill

_STORY = REPOSITORY / "sample_traces" / "opencode-story.jsonl"
_CANCEL = REPOSITORY / "sample_traces" / "opencode-cancel-acpx.jsonl"


@pytest.fixture
def place(commands: Commands, tmp_path: Path, filled: Fill) -> str:
    """A directory with two traces."""
    place = str(tmp_path / "team")

    def fill() -> None:
        commands.passes("load", _STORY, _CANCEL)
        assert "2 traces pushed" in commands.passes("push", place)

    filled(fill)
    return place


def test_what_is_there_costs_nothing(commands: Commands, place: str) -> None:
    """A second push says so; filters and names choose."""
    assert "0 traces pushed, 2 there already" in commands.passes("push", place)
    assert "1 there already" in commands.passes("push", place, _STORY)
    assert commands("push", place, "--agent", "nobody").code == 4
    assert commands("push", place, _STORY, "--agent", "opencode").code == 2


def test_secrets(commands: Commands, place: str, tmp_path: Path) -> None:
    """Are refused with their number and what to do; the rest is pushed all the same."""
    secret = secret_trace(tmp_path / "secret.jsonl")
    said = commands("push", place, secret, _STORY)
    assert said.code == 1
    assert "contains 1 secret (" in said.err
    assert "1 trace refused: --redact" in said.err
    assert "1 there already" in said.out
    assert commands("push", place, secret, "--redact", "--as-is").code == 2
    report = commands.json("push", place, secret, "--redact")
    assert [(each["state"], each["packed_bytes"] > 0) for each in report["traces"]] == [("pushed", True)]


def test_an_address_is_a_trace(commands: Commands, place: str) -> None:
    """For every command; what is not there is told with what to type."""
    url = f"file://{place}"
    [newest, *_] = commands.json("ls", "--at", place)
    address = f"{url}/{newest['id'][-6:]}"
    assert commands.json("show", address)["trace"]["id"] == newest["id"]
    assert commands("diff", address, address).code == 0
    assert f"{newest['id']}  already there" in commands.passes("pull", place, newest["id"][-6:])
    for missing, code in (
        (f"{url}/zzzzzz", 3),
        (url.rpartition("/")[0], 3),
        ("s3:///x", 2),
        ("http://h/x", 2),
    ):
        said = commands("show", missing)
        assert (said.code, said.err.count("\n")) == (code, 1), said
    assert "acp-trace team ls" in commands("show", f"{url}/zzzzzz").err


def test_the_newest_of_a_place(commands: Commands, place: str) -> None:
    """`last` and `last~1` name it in an address as they do on this machine; `pull` takes them, too."""
    url = f"file://{place}"
    newest, oldest = (each["id"] for each in commands.json("ls", "--at", place))
    assert commands.json("show", f"{url}/last")["trace"]["id"] == newest
    assert commands.json("show", f"{place}/last~1")["trace"]["id"] == oldest
    assert commands.json("pull", place, "last~1")["pulled"][0]["id"] == oldest
    said = commands("show", f"{url}/last~2")
    assert (said.code, said.err) == (3, f"acp-trace: {url} has 2 traces; see `acp-trace team ls {url}`\n")


def test_a_directory_names_a_trace_too(commands: Commands, place: str, tmp_path: Path) -> None:
    """`DIR/ID`, as `pull` writes it; a file of that name comes first, and what is not there is told."""
    [newest, *_] = commands.json("ls", "--at", place)
    assert commands.json("show", f"{place}/{newest['id']}")["trace"]["id"] == newest["id"]
    assert "has no trace zzz" in commands("show", f"{place}/zzz").err
    assert "No such file" in commands("show", f"{tmp_path}/zzz").err


def test_a_place_is_no_trace(commands: Commands, place: str) -> None:
    """Its address alone is told with what to type."""
    for words in ("show", f"file://{place}"), ("frames", f"file://{place}/"):
        said = commands(*words)
        url = f"file://{place}"
        what = f"{url} is a place: name a trace of it, {url}/ID or {url}/last; see `acp-trace team ls {url}`"
        assert (said.code, said.err) == (2, f"acp-trace: {what}\n")


def test_from_place_to_place(commands: Commands, place: str, tmp_path: Path) -> None:
    """`push` takes addresses as every command does."""
    assert "1 trace pushed" in commands.passes("push", tmp_path / "other", f"file://{place}/last")
    assert commands("push", tmp_path / "other", f"file://{place}/zzz").code == 3


@pytest.mark.parametrize(
    ("command", "does"),
    [("load", "team pull {place} last"), ("rm", "team prune {place}"), ("import", "team pull {place} last")],
)
def test_what_takes_no_address(commands: Commands, place: str, command: str, does: str) -> None:
    """Says which command does that in a place."""
    said = commands(command, f"file://{place}/last")
    assert (said.code, said.err.count("\n")) == (2, 1), said
    assert f"acp-trace {does.format(place=f'file://{place}')}" in said.err


def test_a_list_of_a_place(commands: Commands, place: str) -> None:
    """Before there are tables: by names."""
    assert len(commands.json("ls", "--at", place, "--agent", "OpenCode")) == 2
    assert commands.json("ls", "--at", place, "--since", "2030-01-01") == []
    assert "no trace that matches --agent x" in commands("ls", "--at", place, "--agent", "x").err
    assert "1 older one:" in commands.passes("ls", "--at", place, "-n", "1")


def test_old_traces_are_removed_for_everybody(commands: Commands, place: str) -> None:
    """Shown first with --dry-run; what stays is whole."""
    newest, oldest = (each["id"] for each in commands.json("ls", "--at", place))
    assert commands("prune", "--at", place).code == 2
    assert commands("prune", "--at", place, "--keep", "1", "--compact").code == 2
    assert "nothing to remove" in commands.passes("prune", "--at", place, "--older-than", "30000d")
    rows = "prune", "--at", place, "--keep", "1"
    assert commands.json(*rows, "--dry-run")["removed"] == [oldest]
    assert len(commands.json("ls", "--at", place)) == 2
    assert commands.passes(*rows) == f"removed {oldest}\n"
    assert [each["id"] for each in commands.json("ls", "--at", place)] == [newest]
    assert "nothing to remove" in commands.passes(*rows)


def test_how_many_are_removed(commands: Commands, place: str) -> None:
    """Is the last line, if there are several: the ids of many scroll past."""
    rows = "prune", "--at", place, "--keep", "0"
    assert commands.passes(*rows, "--dry-run").splitlines()[-1] == "would remove 2 traces of 2"
    assert commands.passes(*rows).splitlines()[-1] == "removed 2 traces of 2"


def test_into_files(commands: Commands, place: str, tmp_path: Path) -> None:
    """Byte for byte what was pushed."""
    ids = [each["id"] for each in commands.json("ls", "--at", place)]
    out = tmp_path / "out"
    out.mkdir()
    commands.passes("pull", place, *ids, "--out", out)
    assert {file.read_bytes() for file in out.iterdir()} == {_STORY.read_bytes(), _CANCEL.read_bytes()}
    assert commands("pull", place, *ids, "--out", tmp_path / "one.jsonl").code == 2


def test_nothing_is_pulled_for_a_wrong_id(commands: Commands, place: str, tmp_path: Path) -> None:
    """All ids are looked up first."""
    [newest, *_] = commands.json("ls", "--at", place)
    said = commands("pull", place, newest["id"], "zzz", "--out", tmp_path)
    assert (said.code, said.out, said.err.count("\n")) == (3, "", 1)
    assert "has no trace zzz" in said.err
    assert not (tmp_path / f"{newest['id']}.jsonl").exists()


def test_a_file_that_is_there_stops_no_other(commands: Commands, place: str, tmp_path: Path) -> None:
    """It stays as it is, and is told; the exit code is that of a file that cannot be written."""
    first, second = (each["id"] for each in commands.json("ls", "--at", place))
    there = tmp_path / f"{first}.jsonl"
    there.write_text("mine")
    said = commands("pull", place, first, second, "--out", tmp_path)
    assert (said.code, said.err) == (2, f"acp-trace: {there} already exists\n")
    assert said.out == f"{second}  written to {tmp_path / second}.jsonl\n"
    assert there.read_text() == "mine"


@pytest.mark.parametrize("missing", ["obstore.store", "zstd"])
def test_without_the_packages(
    commands: Commands, place: str, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    """One line says how to install them, also where one of the two is there."""
    zstd = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    monkeypatch.setitem(sys.modules, zstd if missing == "zstd" else missing, None)
    monkeypatch.delitem(sys.modules, "acp_trace.team.bucket.objects", raising=False)
    if missing == "zstd":
        monkeypatch.delattr(zstd, raising=False)
    said = commands("push", f"{place}-2")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "pip install 'acp-trace[team]'" in said.err


def test_a_pipe_is_read_once(commands: Commands, place: str, tmp_path: Path) -> None:
    """Opening it twice would wait for ever for somebody who writes it again."""
    pipe = tmp_path / "pipe"
    named_pipe(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(_STORY.read_bytes()))
    writer.start()
    assert "1 there already" in commands.passes("push", place, pipe)
    writer.join()


def test_pull_goes_on_after_a_bad_object(commands: Commands, place: str, tmp_path: Path) -> None:
    """Of each it says what became of it; in JSON, too."""
    bad, good = commands.json("ls", "--at", place)
    whole = (Path(place) / bad["key"]).read_bytes()
    (Path(place) / bad["key"]).write_bytes(whole[:-9])
    for out in ((), ("--out", tmp_path)):
        said = commands("pull", place, bad["id"], good["id"], *out)
        assert (said.code, said.err.count("\n"), said.out.count("\n")) == (3, 1, 1)
        assert "is cut off" in said.err
        assert good["id"] in said.out
    said = commands("pull", place, bad["id"], good["id"], "--json")
    assert (said.code, said.err.count("\n")) == (3, 1)
    rows = json.loads(said.out)["pulled"]
    assert [(row["id"], row["state"], row["why"] is None) for row in rows] == [
        (bad["id"], "failed", False),
        (good["id"], "already there", True),
    ]


def test_what_is_no_trace_is_named_once(commands: Commands, place: str, tmp_path: Path) -> None:
    """By `push` as by `load`; and by `pull`, where it is in the place."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n")
    for words in ("load", bad), ("push", place, bad):
        said = commands(*words)
        assert (said.code, said.err.count(str(bad))) == (3, 1), said
        assert said.err.startswith(f"acp-trace: {bad} is not a trace: line 1 ")
    newer = "20261101T000000Z-0bad01", b'{"acp_trace":99,"id":"x"}\n', "trace format 99 is newer"
    for id_, lines, why in (newer, ("20261101T000000Z-0bad02", b"", "is empty")):
        object_ = Path(place, layout.key(id_, "x"))
        object_.parent.mkdir(parents=True, exist_ok=True)
        object_.write_bytes(b"".join(packing.packed([lines])))
        between = " " if why.startswith("is ") else ": "
        assert commands("pull", place, id_).err.startswith(f"acp-trace: {id_}{between}{why}")


def test_nothing_that_a_terminal_obeys_comes_from_a_place(commands: Commands, tmp_path: Path) -> None:
    """Not from the header of another trace, which `push` tells of."""
    header, _, rest = _STORY.read_bytes().partition(b"\n")
    (other := tmp_path / "other.jsonl").write_bytes(
        re.sub(rb'"started_at":"[^"]*', rb'"started_at":"\\u001b[2J', header) + b"\n" + rest
    )
    commands.passes("push", tmp_path / "team", other, "--as-is")
    said = commands("push", tmp_path / "team", _STORY)
    assert "which began at" in said.err
    assert "\x1b" not in said.err


def test_a_new_place_is_told(commands: Commands, tmp_path: Path) -> None:
    """Once: whoever mistypes an address learns of it."""
    place = tmp_path / "taem"
    told = f"acp-trace: file://{place} is a new place for traces\n"
    assert [commands("push", place, _STORY).err for _ in range(2)] == [told, ""]
    assert commands("push", tmp_path / "other", "--after-recording").err.endswith(
        "is a new place for traces\n"
    )
