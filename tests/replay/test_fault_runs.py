"""Faults on purpose against a real process: each kind, in both directions that can have it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Finding
from acp_trace.replay.drive.replay_and_compare import ComparedRun, replay_and_compare
from acp_trace.replay.faults import faulty
from acp_trace.replay.faults.declaration import KINDS, parse
from acp_trace.replay.settings import SettingError, Settings, changed, seconds
from acp_trace.trace.entries import Entry
from tests.commands import Commands
from tests.replay.facing import entries
from tests.replay.scenario import AGENT
from tests.support import ACP_TRACE, DEADLINE_S, WITHOUT_LOADER, Home, lines_of

_CLIENT = [sys.executable, "-I", "-S", str(Path(__file__).with_name("plain_client.py"))]
#: For the client to give up: longer than a fault delays anything.
_PATIENCE_S = 5


class Row(NamedTuple):
    """A fault, what the peer does, whether the rules are kept, and what blames the side with the fault.

    `patience_s`: how long the client waits for a message.
    """

    fault: str
    effect: str
    passed: bool = True
    named: tuple[str, ...] = ()
    patience_s: int = _PATIENCE_S


_CRASH = "ended with exit code 1"  # of an agent that reads JSON with no thought of anything else
_TO_AGENT = (
    Row("delay 300ms on session/prompt #2", "answered, went on"),
    Row("drop on session/prompt #2", "went on"),
    Row("never on session/request_permission #1", "went on", named=("never-answered",)),
    Row("duplicate on session/set_mode #1", "answered, went on", named=("id-reused",)),
    Row("duplicate on fs/write_text_file #1", "went on", named=("second-answer",)),
    Row("reorder on session/cancel #1", "went on"),
    Row("cut on session/prompt #2", _CRASH, passed=False, named=("not-json",)),
    Row("bytes on session/prompt #2", "answered, went on"),
    Row("malformed-json on session/prompt #2", _CRASH, passed=False, named=("not-json",)),
    Row("noise on session/prompt #2", _CRASH, passed=False, named=("not-json",)),
    Row("malformed 3 on session/prompt #2", "answered with error -32602, went on", named=("payload-*",)),
    Row("error on session/request_permission #1", "went on"),
    Row("close on session/prompt #2", _CRASH, named=("not-json",)),
    Row("kill on session/prompt #2", "ended with exit code 0"),
)
_TO_CLIENT = (
    Row("delay 300ms on session/prompt #1", "went on"),
    Row("drop on agent_message_chunk #1", "went on"),
    # It waits until the player has given up the answer, see LOST_NS.
    Row("drop on session/request_permission", "went on", patience_s=4 * _PATIENCE_S),
    Row("never on session/prompt #1", "left", named=("never-answered",)),
    Row("duplicate on session/prompt #1", "went on", named=("second-answer",)),
    Row("reorder on session/prompt #2", "went on", named=("update-after-settle",)),
    Row("cut on agent_message_chunk #1", "went on", named=("not-json",)),
    Row("bytes on session/prompt #1", "went on"),
    Row("malformed-json on agent_message_chunk #1", "went on", named=("not-json",)),
    Row("noise on agent_message_chunk #1", "went on", named=("not-json",)),
    Row("malformed on agent_message_chunk #1", "went on", named=("payload-*",)),
    Row("unknown-update mood on session/prompt #1", "went on", named=("unknown-update",)),
    Row("error -32000 on session/prompt #1", "went on"),
    Row("ignore-cancel on session/prompt #3", "went on", named=("cancel-other-stop-reason",)),
    Row("end-turn on session/prompt #3", "went on", named=("cancel-other-stop-reason",)),
    Row("late-chunk on session/prompt #1", "went on", named=("update-after-settle",)),
    Row("close on agent_message_chunk #1", "left", named=("not-json",)),
    Row("kill on session/prompt #1", "left", named=("never-answered",)),
)


def test_each_kind_is_tried_in_each_direction() -> None:
    """No kind is forgotten; those of the model have their own test."""
    for rows, own in ((_TO_AGENT, "client"), (_TO_CLIENT, "agent")):
        tried = {row.fault.split()[0] for row in rows}
        assert tried == {kind.name for kind in KINDS.values() if kind.parts and kind.own in (None, own)}


def _is_named(row: Row, findings: list[Finding], side: str) -> bool:
    codes = {finding.code for finding in findings if finding.blame == side}
    wanted = {code.rstrip("*") for code in row.named}
    return all(any(code.startswith(each) for code in codes) for each in wanted)


def _findings(run: list[Entry]) -> list[Finding]:
    analyzer = Analyzer()
    for entry in run:
        analyzer.feed(entry)
    return analyzer.facts().findings


def _played(recorded: list[Entry], *faults: str, **settings: Any) -> ComparedRun:
    given = {"fault": [*faults], "timeout": DEADLINE_S, **settings}
    return replay_and_compare(recorded, AGENT, changed(Settings(), given, Path()))


@pytest.mark.slow
@pytest.mark.parametrize("row", _TO_AGENT, ids=lambda row: row.fault)
def test_an_agent_under_a_fault(
    recorded: list[Entry], home: Home, row: Row, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it does is told, the rules judge it, and the analyser knows whose fault it was."""
    del home
    monkeypatch.setattr(faulty, "LOST_NS", seconds(0.5))
    found = _played(recorded, row.fault)
    (effect,) = found.verdict.faults
    codes = [each.code for each in found.verdict.comparison.failing]
    assert (effect.effect, found.verdict.passed) == (row.effect, row.passed), codes
    assert _is_named(row, _findings(found.played.entries), "client")
    assert json.loads(found.played.entries[0].data)["faults"] == [row.fault]


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the plain client and the scripted agent say to each other."""
    directory = tmp_path_factory.mktemp("plain")
    home = Home(directory)
    command = [*_CLIENT, str(_PATIENCE_S), "--", *ACP_TRACE, "record", "--no-load", "--", *AGENT]
    subprocess.run(command, env=home.environment, check=True, capture_output=True, timeout=4 * DEADLINE_S)
    (spooled,) = home.spooled()
    path = directory / "plain.jsonl"
    path.write_bytes(lines_of(spooled))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("row", _TO_CLIENT, ids=lambda row: row.fault)
def test_a_client_under_a_fault(conversation: Path, home: Home, tmp_path: Path, row: Row) -> None:
    """The same of a client, to which the agent is played."""
    saved = tmp_path / "run.jsonl"
    mock = [*WITHOUT_LOADER, "mock", str(conversation), "--fault", row.fault, "--save", str(saved)]
    made = subprocess.run(
        [*_CLIENT, str(row.patience_s), "--", *mock],
        check=False,
        env=home.environment,
        capture_output=True,
        timeout=4 * DEADLINE_S,
    )
    lines = made.stderr.decode().splitlines()
    (said,) = [line for line in lines if line.startswith(" fault ")]
    assert said.rpartition(": ")[2] == row.effect, lines
    assert json.loads(made.stdout)["exit_code"] == (0 if row.passed else 1), lines
    assert _is_named(row, _findings(entries(saved.read_bytes())), "agent")


@pytest.mark.slow
def test_a_seed_sends_the_same_bytes_twice(
    recorded: list[Entry], home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the same order, to an agent that does the same."""
    del home
    monkeypatch.setattr(faulty, "LOST_NS", seconds(0.5))

    def sent(seed: int) -> list[bytes]:
        played = _played(recorded, chaos=seed, cwd=str(tmp_path)).played
        return [str(played.faults).encode(), *(one.data for one in played.entries if one.sender == "client")]

    for seed in (3, 11):
        assert sent(seed) == sent(seed)
    assert sent(3) != sent(11)


@pytest.mark.slow
def test_what_is_wrong_before_the_fault_still_fails(recorded: list[Entry], home: Home) -> None:
    """And what comes after it is a note: an agent that begins another conversation is not excused."""
    del home
    late = replay_and_compare(
        recorded,
        [*AGENT, "--fault", "another stop reason"],
        changed(Settings(), {"fault": "bytes on session/close #3"}, Path()),
    )
    assert not late.verdict.passed


@pytest.mark.slow
def test_a_lost_cancel_is_not_the_agents_hang(
    recorded: list[Entry], home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent that was never told to stop waits rightly."""
    del home
    monkeypatch.setattr(faulty, "LOST_NS", seconds(0.5))
    found = _played(recorded, "drop on session/cancel #1")
    assert found.verdict.passed, [each.code for each in found.verdict.comparison.failing]


def test_a_command_refuses_what_cannot_be(commands: Commands, tmp_path: Path, recorded_file: bytes) -> None:
    """Before anything is started: with exit code 2, and the methods that there are."""
    path = tmp_path / "recording.jsonl"
    path.write_bytes(recorded_file)
    said = commands("replay", str(path), "--fault", "drop on session/promt", "--", "/no/such/agent")
    assert (said.code, said.out) == (2, "")
    assert "did you mean session/prompt? It can be on: initialize, session/new" in said.err
    for option in (["--update"], ["--learn", "2"]):
        said = commands("replay", str(path), "--fault", "drop on initialize", *option, "--", "/no/such/agent")
        assert (said.code, "works only for runs without faults on purpose" in said.err) == (2, True), said.err


def test_a_mock_refuses_what_cannot_be(commands: Commands, tmp_path: Path, recorded_file: bytes) -> None:
    """Before it is an agent for anyone."""
    path = tmp_path / "recording.jsonl"
    path.write_bytes(recorded_file)
    said = commands("mock", str(path), "--fault", "model-429 on model")
    assert (said.code, said.out) == (2, "")
    assert "model-429 is a fault of the client: `mock` plays the agent" in said.err


def test_a_command_says_what_a_seed_chose(commands: Commands, tmp_path: Path, recorded_file: bytes) -> None:
    """As options, which can be repeated alone; and what was not reached."""
    path = tmp_path / "recording.jsonl"
    path.write_bytes(recorded_file)
    said = commands("replay", str(path), "--chaos", "7", "--json", "--", "/no/such/agent")
    told = json.loads(said.out)["replays"][0]["faults"]
    for each in told:
        assert f"--fault '{each['fault']}'" in said.err
        assert (each["frame"], each["effect"]) == (None, "not reached")


@pytest.mark.parametrize("seed", [-1, "x", True])
def test_a_seed_is_a_number(seed: Any) -> None:
    """From 0 on."""
    with pytest.raises(SettingError, match="chaos is"):
        changed(Settings(), {"chaos": seed}, Path())
    assert changed(Settings(), {"chaos": 0, "fault": "drop on initialize"}, Path()).is_faulty
    assert (
        parse("drop on initialize") in changed(Settings(), {"fault": ["drop on initialize"]}, Path()).faults
    )
