"""`import_log` and `OpenTrace.export`: what the commands make, byte for byte; nothing printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import acp_trace
from acp_trace import api
from acp_trace.formats.writing.formats import WRITERS
from tests.commands import Commands
from tests.support import SAMPLES, request, trace

DATA = Path(__file__).parent.parent / "formats" / "data"
TOAD = DATA / "toad" / "toad.log"
ACPX = sorted((DATA / "acpx").glob("*.ndjson"))
STORY = next(path for path in SAMPLES if path.name == "opencode-story.jsonl")


def test_a_log_becomes_a_trace_in_the_store(commands: Commands) -> None:
    """As the command says it, once; another time it is there already."""
    (first,) = acp_trace.import_log(TOAD)
    (again,) = acp_trace.import_log(TOAD, from_="toad")
    (told,) = commands.json("import", TOAD)["imported"]
    assert (first.state, again.state, told["state"]) == ("loaded", "already there", "already there")
    assert (first.id, first.format, first.frames) == (told["id"], told["format"], told["frames"])
    assert (first.times, first.senders_inferred) == (told["times"], told["senders_inferred"])
    assert [unused.why for unused in first.unused[:5]] == [one["why"] for one in told["first_unused"]]
    assert [row.id for row in acp_trace.list_traces(origin="imported")] == [first.id]


def test_into_files(commands: Commands, tmp_path: Path) -> None:
    """A directory takes several connections, a file one; neither is written over."""
    made = acp_trace.import_log(*ACPX, out=tmp_path)
    assert len(made) > 1
    assert sorted(path.stem for path in tmp_path.iterdir()) == sorted(one.id for one in made)
    file = tmp_path / "one.jsonl"
    acp_trace.import_log(TOAD, out=file)
    before = file.read_bytes()
    with pytest.raises(FileExistsError):
        acp_trace.import_log(TOAD, out=file)
    assert file.read_bytes() == before
    with pytest.raises(ValueError, match="not a directory, and there are several connections"):
        acp_trace.import_log(*ACPX, out=tmp_path / "new.jsonl")
    assert commands.json("ls") == []


def test_what_is_no_log_is_told_before_anything_is_kept(commands: Commands, tmp_path: Path) -> None:
    """In the command's words."""
    other = tmp_path / "notes.txt"
    other.write_text("nothing\n")
    with pytest.raises(api.NotALog, match="no JSON-RPC message in it") as raised:
        acp_trace.import_log(TOAD, other)
    assert str(raised.value) in commands("import", other).err
    assert commands.json("ls") == []
    with pytest.raises(api.NotALog, match="`acp-trace import` takes it"):
        acp_trace.import_log(STORY)
    with pytest.raises(ValueError, match="'x' is not one of"):
        acp_trace.import_log(TOAD, from_="x")
    with pytest.raises(FileNotFoundError):
        acp_trace.import_log(tmp_path / "gone")


@pytest.mark.parametrize("to", ["lines", *WRITERS])
def test_an_export_is_what_the_command_writes(commands: Commands, tmp_path: Path, to: str) -> None:
    """In memory and in a file."""
    words = [] if to == "lines" else ["--to", to]
    commands.passes("export", STORY, "--out", tmp_path / "command", "--unredacted", *words) if words else (
        commands.passes("export", STORY, "--out", tmp_path / "command")
    )
    with acp_trace.open_trace(STORY) as opened:
        made = opened.export(to=to, unredacted=True)
        written = opened.export(tmp_path / "file", to=to, unredacted=True)
    assert made.data == (tmp_path / "command").read_bytes() == (tmp_path / "file").read_bytes()
    assert (made.size, written.size) == (len(made.data or b""),) * 2
    assert (written.file, written.data) == (tmp_path / "file", None)
    with acp_trace.open_trace(STORY) as opened, pytest.raises(FileExistsError):
        opened.export(tmp_path / "file", to=to, unredacted=True)


def test_one_side_and_tables(tmp_path: Path) -> None:
    """The bytes that a side sent; the tables as Parquet."""
    with acp_trace.open_trace(STORY) as opened:
        sent = opened.export(side="client").data
        assert sent == b"".join(frame.data + b"\n" for frame in opened.frames(sender="client"))
        made = opened.export(tmp_path / "tables", to="parquet")
    assert made.size == sum(path.stat().st_size for path in (tmp_path / "tables").iterdir())


def test_secrets_are_refused_or_told(commands: Commands, tmp_path: Path) -> None:
    """Refused where a file is made to be shown; otherwise what there is, in words."""
    token = "ghp_" + "a1B2" * 9
    path = tmp_path / "secret.jsonl"
    path.write_bytes(
        trace(
            ("client", request(0, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": token}]))
        )
    )
    with acp_trace.open_trace(path) as opened:
        with pytest.raises(api.HasSecrets, match=r"this trace contains 1 secret .*unredacted=True"):
            opened.export(to="markdown")
        assert token in (opened.export(to="markdown", unredacted=True).data or b"").decode()
        told = opened.export(to="jsons").secrets
    assert told is not None
    assert told in commands("export", path, "--out", tmp_path / "out").err
    with acp_trace.open_trace(STORY) as opened:
        assert json.loads(opened.export(to="perfetto").data or b"")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"to": "x"}, "'x' is not one of lines, perfetto"),
        ({"side": "x"}, "'x' is not one of client, agent"),
        ({"side": "agent", "to": "har"}, "cannot be combined"),
        ({"content": True}, "content needs to='otlp'"),
        ({"to": "parquet"}, "needs a directory"),
    ],
)
def test_words_that_mean_nothing_are_value_errors(words: dict[str, object], message: str) -> None:
    """Before anything is written."""
    with acp_trace.open_trace(STORY) as opened, pytest.raises(ValueError, match=message):
        opened.export(**words)  # type: ignore[arg-type]
