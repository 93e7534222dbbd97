"""`acp-trace show SESSION`: one session through the traces of several processes."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from acp_trace.store.connect import writing
from acp_trace.store.load import load
from tests.commands import Commands
from tests.support import request, result, trace, update

_IDS = "20261120T130000Z-aaaaa1", "20261120T130001Z-bbbbb2", "20261120T130002Z-ccccc3"


def _options(mode: str) -> list[dict[str, Any]]:
    choices = [{"value": one, "name": one} for one in ("build", "plan")]
    return [{"id": "mode", "name": "Mode", "type": "select", "currentValue": mode, "options": choices}]


def _process(
    at: int, session: str, method: str, mode: str, *more: tuple[str, Any], agent: str = "OpenCode"
) -> bytes:
    opened = {"sessionId": session} if method == "session/new" else {}
    named = {} if method == "session/new" else {"sessionId": session}
    return trace(
        ("client", request(0, "initialize", protocolVersion=1)),
        ("agent", result(0, protocolVersion=1, agentInfo={"name": agent, "version": "1"})),
        ("client", request(1, method, cwd="/w", mcpServers=[], **named)),
        ("agent", result(1, configOptions=_options(mode), **opened)),
        *more,
        id=_IDS[at],
        started_at=f"2026-11-20T13:00:0{at}Z",
    )


def _turn(session: str, text: str) -> list[tuple[str, Any]]:
    return [
        ("client", request(7, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])),
        ("agent", update(session, "session_info_update", title=f"About {text}")),
        ("agent", result(7, stopReason="end_turn")),
    ]


@pytest.fixture(scope="module")
def acpx_store(tmp_path_factory: pytest.TempPathFactory, empty_store: Path) -> Path:
    """A store with a session of three processes: the first sets a mode, which the second has forgotten."""
    directory = tmp_path_factory.mktemp("acpx")
    set_ = (
        "client",
        request(2, "session/set_config_option", sessionId="ses-one", configId="mode", value="plan"),
    )
    files = [
        _process(0, "ses-one", "session/new", "build", set_, ("agent", result(2, configOptions=_options("plan"))), *_turn("ses-one", "first")),
        _process(1, "ses-one", "session/resume", "build", *_turn("ses-one", "second")),
        _process(2, "ses-one", "session/load", "build", *_turn("ses-one", "third")),
    ]  # fmt: skip
    store = directory / "store.duckdb"
    shutil.copyfile(empty_store, store)
    with writing(store) as connection:
        for at, content in enumerate(files):
            path = directory / f"{at}.jsonl"
            path.write_bytes(content)
            load(connection, path)
    return store


@pytest.fixture
def acpx(commands: Commands, acpx_store: Path) -> Commands:
    """Commands in a home with a copy of that store."""
    commands.home.path.mkdir()
    shutil.copyfile(acpx_store, commands.home.store)
    return commands


@pytest.mark.parametrize("name", ["ses-one", "ses-", "one"])
def test_json(acpx: Commands, name: str) -> None:
    """Turns numbered through, each with its trace; what only several traces show is a finding."""
    found = acpx.json("show", name)
    assert (found["acp_trace_session"], found["session_id"], found["title"]) == (1, "ses-one", "About third")
    assert [(one["trace_id"], one["opened_by"], one["turns"]) for one in found["traces"]] == [
        (_IDS[0], "session/new", 1),
        (_IDS[1], "session/resume", 1),
        (_IDS[2], "session/load", 1),
    ]
    turns = [(one["number"], one["turn"], one["trace_id"], one["prompt"]) for one in found["turns"]]
    assert turns == [(0, 0, _IDS[0], "first"), (1, 0, _IDS[1], "second"), (2, 0, _IDS[2], "third")]
    assert found["config"]["final"] == {"mode": "build"}
    assert [one["trace_id"] for one in found["config"]["timeline"]] == [_IDS[0], _IDS[0], _IDS[1], _IDS[2]]
    assert found["metadata"]["final"] == {"title": "About third"}
    (lost,) = [one for one in found["findings"] if one["code"] == "config-lost"]
    assert (lost["trace_id"], lost["frame"], lost["severity"], lost["blame"]) == (
        _IDS[1],
        4,
        "warning",
        "agent",
    )


def test_one_turn(acpx: Commands) -> None:
    """By its number through all traces, in all that a turn can be shown as."""
    shown = acpx.passes("show", "ses-one", "--turn", "1")
    assert "trace bbbbb2" in shown
    assert 'turn 1  "second"' in shown
    assert "aaaaa1" not in shown
    (turn,) = acpx.json("show", "ses-one", "--turn", "1")["turns"]
    assert (turn["number"], turn["turn"], turn["trace_id"]) == (1, 0, _IDS[1])
    said = acpx.passes("show", "ses-one", "--turn", "1", "--transcript").splitlines()
    assert [line for line in said if line.startswith((" trace", "turn", "  "))] == [
        " trace bbbbb2   20 Nov 2026 13:00:01   session/resume",
        "  second",
        "turn 1 ended  end_turn  2 µs",
    ]
    done = acpx("show", "ses-one", "--turn", "3")
    assert (done.code, done.out) == (4, "")
    assert "there is no turn 3: the last one is turn 2" in done.err


def test_sections(acpx: Commands) -> None:
    """Those of all traces together once; the others trace by trace, with turns numbered through."""
    config = acpx.passes("show", "ses-one", "--section", "config")
    assert config.startswith(" Configuration  3\n")
    assert "Findings" not in config
    shown = acpx.passes("show", "ses-one", "--section", "findings", "--section", "timeline")
    assert shown.startswith(" Findings  ")
    named = [line.split() for line in shown.splitlines() if re.match(r" trace |.*#\d+ +turn ", line)]
    assert [line[1] if line[0] == "trace" else line[3] for line in named] == [
        *("aaaaa1", "0"),
        *("bbbbb2", "1"),
        *("ccccc3", "2"),
    ]


def test_the_conversation(acpx: Commands) -> None:
    """Trace by trace."""
    said = acpx.passes("show", "ses-one", "--transcript").splitlines()
    assert [line.strip() for line in said if line.startswith("  ")] == ["first", "second", "third"]
    assert [line for line in said if "ended" in line] == [
        f"turn {number} ended  end_turn  2 µs" for number in range(3)
    ]


def test_a_long_prompt_is_not_cut_in_the_middle(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on below itself, as far as it is kept."""
    monkeypatch.setenv("COLUMNS", "60")
    prompt = "look at every file in this repository and find all functions without tests"
    (tmp_path / "0.jsonl").write_bytes(
        _process(0, "ses-one", "session/new", "build", *_turn("ses-one", prompt))
    )
    commands.passes("load", tmp_path / "0.jsonl")
    rows = commands.passes("show", "ses-one").partition(" Turns ")[2].partition(" no output")[0].splitlines()
    assert prompt in " ".join(" ".join(row[22:] for row in rows[2:]).replace("end_turn  2 µs", "").split())


def test_every_key_of_the_json_is_explained(acpx: Commands) -> None:
    """In docs/report.md."""
    page = (
        (Path(__file__).parents[2] / "docs" / "report.md")
        .read_text()
        .partition("## A session over several traces")[2]
    )
    found = acpx.json("show", "ses-one")
    for key in (*found, *found["traces"][0], "number"):
        assert f"`{key}`" in page, key


@pytest.mark.parametrize("width", [60, 80, 140])
def test_the_screen(acpx: Commands, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """Fits, and has the lost mode in it."""
    monkeypatch.setenv("COLUMNS", str(width))
    shown = acpx.passes("show", "ses-one")
    assert max(map(len, shown.splitlines())) <= width
    assert "3 traces   3 turns" in shown
    assert "config-lost  agent  bbbbb2 #4" in shown
    assert "plan → build" in shown
    assert "no output" in shown, "where the time of each turn went"
    for options in (["--section=timeline", "--section=latency", "--section=metadata"], ["--turn=1"]):
        assert max(map(len, acpx.passes("show", "ses-one", *options).splitlines())) <= width, options
    assert 'mode was set to "plan" in #6 of aaaaa1, and' in " ".join(shown.split())


def test_what_is_meant(acpx: Commands, tmp_path: Path) -> None:
    """A trace comes first; an id that may be several is said to be; what is of one trace alone is refused."""
    assert acpx.json("show", "aaaaa1")["acp_trace_report"] == 1
    assert "there is no trace nothing" in acpx("show", "nothing").err
    for command in ("frames", "check", "diff"):
        done = acpx(command, "ses-o")
        assert done.code == 3
        assert (
            "there is no trace ses-o; it is a session: acp-trace show ses-one (traces aaaaa1, bbbbb2, ccccc3)"
        ) in done.err
    done = acpx("show", "ses-one", "--since-frame", "3")
    assert (done.code, "--since-frame is for one trace: acp-trace show" in done.err) == (2, True)
    done = acpx("show", "ses-one", "--html", "page.html")
    assert (done.code, "--html is for one trace: acp-trace show" in done.err) == (2, True)
    for option in (("--json",), ("--transcript",), ("--section", "latency")):
        done = acpx("show", "last", "--html", "page.html", *option)
        assert (done.code, f"--html cannot be combined with {option[0]}" in done.err) == (2, True)
    other = tmp_path / "other.jsonl"
    other.write_bytes(_process(0, "ses-two", "session/new", "build").replace(b"aaaaa1", b"ddddd4"))
    acpx.passes("load", other)
    assert "ses- may be any of 2 sessions; did you mean ses-" in acpx("show", "ses-").err
    other.write_bytes(
        _process(0, "ses-one", "session/new", "build", agent="Other").replace(b"aaaaa1", b"eeeee5")
    )
    acpx.passes("load", other)
    assert "2 agents have a session ses-one" in acpx("show", "ses-one").err


def test_a_legacy_mode_that_only_the_option_shows(commands: Commands, tmp_path: Path) -> None:
    """It was set by session/set_mode; later traces have no modes, only the option `mode`."""
    set_ = ("client", request(2, "session/set_mode", sessionId="ses-one", modeId="plan"))
    files = [
        _process(0, "ses-one", "session/new", "build", set_, ("agent", result(2))),
        _process(1, "ses-one", "session/resume", "build"),
        _process(2, "ses-one", "session/load", "build"),
    ]
    for at, content in enumerate(files):
        (tmp_path / f"{at}.jsonl").write_bytes(content)
    commands.passes("load", *(tmp_path / f"{at}.jsonl" for at in range(len(files))))
    shown = commands.passes("show", "ses-one").partition("Configuration")[2].splitlines()
    assert [" ".join(row.split()) for row in shown[2:] if row] == [
        "aaaaa1 #4 mode build on opening",
        "aaaaa1 #6 mode (legacy) plan by client",
        "bbbbb2 #4 mode (legacy) plan → build on opening",
    ]
