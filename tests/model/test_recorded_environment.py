"""What a trace says of its agent's environment."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_trace.model.proxy import environment_note, settings
from acp_trace.model.recorded_environment import (
    RecordedBase,
    RecordedEnvironment,
    environment_in,
    may_name_directory,
    recorded_environment,
)
from acp_trace.model.secrets import Secrets
from tests.model.writing import file, read
from tests.redact.redacting import redacted
from tests.replay.facing import entries


def _written(given: dict[str, str], *bases: str, cwd: str = "/") -> bytes:
    secrets = Secrets(given)
    note = environment_note.note(given, map(settings.base, bases), secrets)
    return file([note], agent={"argv": ["a"], "cwd": cwd})


def test_names_and_directories(tmp_path: Path) -> None:
    """One existing directory a variable: no lists, no files, not the root. Of a key its name alone."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "file").touch()
    given = {
        "HOME": str(home),
        "TMPDIR": f"{tmp_path}/",
        "PATH": f"{home}:{tmp_path}",
        "GONE": str(tmp_path / "gone"),
        "SHELL": str(tmp_path / "file"),
        "ROOT": "/",
        "HERE": ".",
        "PWD": str(home),
        "OPENAI_API_KEY": "sk-0123456789",
        "SHORT_TOKEN": "x",
        "EMPTY_TOKEN": "",
        "AN_AUTH": str(home),
        "OPENAI_BASE_URL": "http://u:pass-word@h/v1?key=in-the-url&sig=sk-0123456789",
    }
    lines = _written(given, f"OPENAI_BASE_URL={given['OPENAI_BASE_URL']}")
    environment = recorded_environment(read(lines).notes)
    assert environment == RecordedEnvironment(
        {"HOME": str(home), "TMPDIR": f"{tmp_path}/"},
        ("AN_AUTH", "OPENAI_API_KEY", "SHORT_TOKEN"),
        (RecordedBase("OPENAI_BASE_URL", "http://<cut>@h/v1?key=<cut>&sig=<cut>"),),
    )
    assert not any(secret in lines for secret in (b"sk-0123", b"pass-word", b"in-the-url"))


def test_a_secret_names_no_directory() -> None:
    """A replay looks at the values of the variables that a trace names, and compares texts with them."""
    names = ("HOME", "CODEX_HOME", "PWD", "AWS_SECRET_ACCESS_KEY", "MY_TOKEN")
    assert [name for name in names if may_name_directory(name)] == ["HOME", "CODEX_HOME"]


def test_a_place_in_a_variable() -> None:
    """Whoever looks whether a variable is set asks for its name."""
    names = ("OPENAI_BASE_URL", "CODEX_CONFIG#/openai_base_url")
    assert [RecordedBase(name, "").variable for name in names] == ["OPENAI_BASE_URL", "CODEX_CONFIG"]


def test_a_trace_without_it() -> None:
    """An older one says nothing."""
    assert recorded_environment(read(file([])).notes) == RecordedEnvironment()


@pytest.mark.parametrize(
    "words",
    [
        1,
        {},
        {"directories": ["/x"], "secrets": {"A": 1}, "bases": "x"},
        {"directories": {"A": 1}, "secrets": [1, None], "bases": [1, {"name": "A"}, {"url": 2}]},
    ],
)
def test_what_is_not_as_written_is_passed_over(words: Any) -> None:
    """Nobody knows who wrote a trace."""
    assert recorded_environment([(0, {"proxy": {}}), (1, {"environment": words})]) == RecordedEnvironment()


def _late(lines: bytes) -> bytes:
    """The same, where the note came only after a frame: its line says twice when that was."""
    frame = b'{"t":7,"from":"client","frame":{}}\n'
    header, note = lines.splitlines(keepends=True)[:2]
    return header + frame + re.sub(rb'^{"t":\d+,"model":{', b'{"t":7,"model":{"t":5,', note)


@pytest.mark.parametrize("written", [bytes, _late], ids=["in time", "late"])
def test_what_a_replay_knows(written: Callable[[bytes], bytes]) -> None:
    """The note of a machine with much to do comes after the client's first frame."""
    lines = written(_written({"OPENAI_API_KEY": "sk-0123456789"}))
    assert environment_in(entries(lines)).secrets == ("OPENAI_API_KEY",)


@pytest.mark.parametrize("written", [bytes, _late], ids=["in time", "late"])
def test_redacted(written: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """A home directory goes from it, and from all else, also if nothing but this names it."""
    monkeypatch.setattr("os.path.isdir", lambda _: True)
    given = {"HOME": "/home/somebody", "CODEX_HOME": "/home/somebody/.codex"}
    lines = written(_written(given, cwd="/srv/w"))
    out, _ = redacted(lines + b'{"t":9,"log":"see /home/somebody/x"}\n')
    assert b"somebody" not in out
    assert b"see <home>/x" in out
    assert recorded_environment(read(out).notes).directories == {
        "HOME": "<home>",
        "CODEX_HOME": "<home>/.codex",
    }
