"""`acp-trace model diff`: what two agents told their models."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import Commands
from tests.report.model_story import story
from tests.support import trace


@pytest.fixture
def traces(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A small agent, the same in another directory, and a newer version of it."""
    paths = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "c.jsonl"
    paths[0].write_bytes(story())
    paths[1].write_bytes(story(directory="/home/other/two"))
    paths[2].write_bytes(story(directory="/home/other/two", newer=True))
    return paths


def test_the_same_in_another_directory_is_equal(commands: Commands, traces: tuple[Path, Path, Path]) -> None:
    """Where the sessions were is no difference."""
    assert commands.passes("model", "diff", traces[0], traces[1]) == "equal  4 calls compared\n"
    assert commands.json("model", "diff", traces[0], traces[1])["changes"] == []


def test_a_newer_version(
    commands: Commands, traces: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line, a place in a schema, a tool less, a parameter more: each once, whatever the number of calls."""
    monkeypatch.setenv("COLUMNS", "80")
    said = commands("model", "diff", traces[0], traces[2])
    assert (said.code, said.err) == (1, "")
    assert [line for line in said.out.splitlines() if line[2:9] == "  model"] == [
        " 1  model-prompt-changed  calls 2–4",
        " 2  model-tools-changed  calls 2–4",
        " 3  model-tools-changed  calls 2–4",
        " 4  model-params-changed  calls 2–4",
    ]
    for words in (
        "\n      - - Answer in one line. Never guess",
        "\n      + - Answer in two lines. Never guess",
        "/properties/limit/description\n      - Lines\n      + Lines, 2000 if not given\n",
    ):
        assert words in said.out
    assert "Work in" not in said.out
    only = commands("model", "diff", traces[0], traces[2], "--call", "3")
    assert "4 changes  1 call compared" in only.out
    assert only.out.count("  call 3\n") == 4
    assert commands("model", "diff", traces[0], traces[2], "--call", "1").out == "equal  1 call compared\n"


def test_the_document(commands: Commands, traces: tuple[Path, Path, Path]) -> None:
    """Which call was compared with which, at which level; each change as data."""
    said = commands("model", "diff", traces[0], traces[2], "--json")
    assert said.code == 1
    import json

    found = json.loads(said.out)
    assert (found["equal"], found["expected"], found["actual"]) == (False, str(traces[0]), str(traces[2]))
    assert [(pair["expected"], pair["actual"], pair["level"]) for pair in found["pairs"]] == [
        (1, 1, "raw"),
        (2, 2, "loose"),
        (3, 3, "loose"),
        (4, 4, "loose"),
    ]
    params = found["changes"][-1]
    assert (params["code"], params["message"]) == ("model-params-changed", "parameter temperature added: 0")
    assert params["expected_calls"] == params["actual_calls"] == [2, 3, 4]
    assert params["diff"]["parameters"] == [
        {"path": "/temperature", "expected": None, "actual": "0", "text": []}
    ]


def test_wrong_lines(commands: Commands, traces: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """No model's side, no such call, no trace, standard input twice: a line each, and its exit code."""
    silent = tmp_path / "silent.jsonl"
    silent.write_bytes(trace())
    for words, code, told in (
        ((traces[0], silent), 4, "silent.jsonl has no calls of a model: record them with `record --model`"),
        ((traces[0], traces[1], "--call", "9"), 4, "a.jsonl has 4 calls of a model"),
        ((traces[0], tmp_path / "none.jsonl"), 3, "none.jsonl"),
        (("-", "-"), 2, "standard input can be read only once"),
    ):
        said = commands("model", "diff", *words)
        assert (said.out, said.code) == ("", code)
        assert told in said.err


def test_a_file_that_is_called_diff(
    commands: Commands, traces: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Is reached as `./diff`, or behind `--`."""
    (traces[0].parent / "diff").write_bytes(traces[0].read_bytes())
    monkeypatch.chdir(traces[0].parent)
    listed = commands.passes("model", traces[0])
    assert commands.passes("model", "./diff") == commands.passes("model", "--", "diff") == listed
    assert commands.passes("model", "diff", "diff", "./diff").startswith("equal")
