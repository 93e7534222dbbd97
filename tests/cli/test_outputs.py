"""Files that commands write: never over an input or a trace, whole or not at all."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from acp_trace.trace.whole_files import BEING_WRITTEN, put
from tests.commands import Commands
from tests.posix import named_pipe, unix_socket
from tests.support import trace


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A trace that is to stay as it is."""
    path = tmp_path / "recording.jsonl"
    path.write_bytes(trace(("client", {"jsonrpc": "2.0", "id": 1, "method": "initialize"})))
    return path


@pytest.mark.parametrize(
    "words",
    [
        ["check", "TRACE", "--junit", "FILE"],
        ["check", "TRACE", "--sarif", "FILE"],
        ["check", "TRACE", "--json-file", "FILE"],
        ["diff", "OTHER", "TRACE", "--junit", "FILE"],
        ["replay", "TRACE", "--junit", "FILE", "--", "true"],
        ["replay", "TRACE", "--save", "FILE", "--", "true"],
        ["mock", "TRACE", "--junit", "FILE"],
    ],
    ids=" ".join,
)
def test_nothing_is_written_over_what_is_read(
    commands: Commands, recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """Under whatever name it is given: its own, another path to it, a hard link. Nor over any other trace."""
    monkeypatch.chdir(tmp_path)
    before, other = recording.read_bytes(), tmp_path / "other.jsonl"
    other.write_bytes(trace(id="other"))
    os.link(recording, tmp_path / "hard")
    for file in (
        str(recording),
        "recording.jsonl",
        f"../{tmp_path.name}/recording.jsonl",
        "hard",
        "other.jsonl",
    ):
        named = [
            {"TRACE": str(recording), "OTHER": str(other), "FILE": file}.get(word, word) for word in words
        ]
        said = commands(*named)
        text = " ".join(said.err.split())
        assert said.code == 2, (file, said)
        if "--save" in words and file == "other.jsonl":
            assert "exists and is not a run of a replay" in text
        elif file == "other.jsonl" and "OTHER" not in words:
            assert "is a trace: name another file" in text
        else:
            assert "is an input of this command: name another file" in text
    assert (recording.read_bytes(), other.read_bytes()) == (before, trace(id="other"))


def test_a_socket_is_no_place_for_a_report(commands: Commands, recording: Path, tmp_path: Path) -> None:
    """It belongs to a program that runs: nothing replaces it."""
    place = tmp_path / "s"
    with unix_socket() as listener:
        listener.bind(str(place))
        said = commands("check", recording, "--junit", place)
    assert (said.code, place.is_socket()) == (2, True)
    assert "is a socket: name another file" in " ".join(said.err.split())


def test_what_cannot_be_written_is_called_by_its_own_name(tmp_path: Path) -> None:
    """Not by the name that it has while it is written."""
    path = tmp_path / "gone" / "x"
    with pytest.raises(OSError, match="No such file") as found:
        put(path, [b"x"], private=True)
    assert found.value.filename == str(path)


def test_settings_and_pending_runs_are_inputs(commands: Commands, recording: Path) -> None:
    """A replay reads what stands beside its recording."""
    settings, pending = recording.with_suffix(".replay.toml"), recording.with_name("recording.jsonl.new")
    settings.write_text('match = "outcome"\n')
    pending.write_text("pending")
    for file in (settings, pending):
        assert (
            "is an input of this command" in commands("replay", recording, "--junit", file, "--", "true").err
        )
    assert pending.read_text() == "pending"


def test_two_options_with_one_file(commands: Commands, recording: Path, tmp_path: Path) -> None:
    """However it is named."""
    one, same = tmp_path / "x", tmp_path / "." / ".." / tmp_path.name / "x"
    assert "is already used by --junit" in commands("check", recording, "--junit", one, "--sarif", same).err
    assert (
        "is already used by --junit"
        in commands("replay", recording, "--junit", one, "--save", same, "--", "true").err
    )


def test_an_earlier_report_is_replaced(commands: Commands, recording: Path, tmp_path: Path) -> None:
    """With the modes of a new file; devices and pipes are written into."""
    report = tmp_path / "x.xml"
    report.write_text("earlier")
    commands.passes("check", "--fail-on", "never", recording, "--junit", report)
    assert report.read_text().startswith("<?xml")
    commands.passes("check", "--fail-on", "never", recording, "--junit", "/dev/null")
    pipe, heard = tmp_path / "pipe", list[str]()
    named_pipe(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    commands.passes("check", "--fail-on", "never", recording, "--junit", pipe)
    reader.join()
    assert heard[0].startswith("<?xml")
    assert {path.name for path in tmp_path.iterdir()} >= {"pipe", "recording.jsonl", "x.xml"}
    assert not list(tmp_path.glob(f"{BEING_WRITTEN}*"))


def test_whole_or_not_at_all(tmp_path: Path) -> None:
    """What fails in the middle leaves what was there, and nothing beside it."""
    file = tmp_path / "file"
    file.write_text("earlier")

    def pieces() -> list[bytes]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space left"):
        put(file, (piece for _ in range(1) for piece in pieces()), private=True)
    assert file.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("links", [True, False], ids=["with hard links", "without"])
def test_a_new_file_replaces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    """Not even one that appears while it is written."""
    if not links:

        def no_link(*_: object) -> None:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))

        monkeypatch.setattr(os, "link", no_link)
    file = tmp_path / "file"
    assert put(file, [b"ab", b"c"], private=True, new=True) == 3
    with pytest.raises(FileExistsError):
        put(file, [b"other"], private=True, new=True)
    assert file.read_bytes() == b"abc"
    assert list(tmp_path.iterdir()) == [file]


def test_a_name_as_long_as_names_may_be(tmp_path: Path) -> None:
    """What the file is called while it is written is short."""
    put(tmp_path / ("x" * 255), [b"abc"], private=False)
    assert [path.name for path in tmp_path.iterdir()] == ["x" * 255]


@pytest.mark.parametrize("words", [["check"], ["diff", "TRACE"], ["conform"]], ids=" ".join)
def test_the_document_stands_in_a_file_beside_the_report(
    commands: Commands, recording: Path, tmp_path: Path, words: list[str]
) -> None:
    """As `--json` prints it, with the same exit code; `-` is standard output."""
    file = tmp_path / "report.json"
    asked = [str(recording) if word == "TRACE" else word for word in words] + [str(recording)]
    text, document = commands(*asked), commands(*asked, "--json")
    both = commands(*asked, "--json-file", str(file))
    assert (both.code, both.out, file.read_text()) == (text.code, text.out, document.out)
    assert (document.code, commands(*asked, "--json-file", "-").out) == (text.code, document.out)
    twice = commands(*asked, "--json", "--json-file", "-")
    assert "--json-file - and --json both write to standard output" in " ".join(twice.err.split())
