"""`acp-trace conform`: what it takes, what it writes, how it ends."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Commands
from tests.support import REPOSITORY, SAMPLES, error, request, result, trace

SMALL = str(REPOSITORY / "tests" / "conform" / "small_agent.py")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "give a peer to drive"),
        (["last", "--", "agent"], "give either -- AGENT or TRACE"),
        (["--url", "http://127.0.0.1:1/acp", "--", "agent"], "give either -- AGENT or --url"),
        (["--client", "--url", "http://127.0.0.1:1/acp"], "--url works only for an agent"),
        (["--prompt", "Hi", "last"], "--prompt works only if an agent is driven"),
        (["--prompt", " ", "--", "agent"], "the text is empty"),
        (["--login", "web", "last"], "--login works only if an agent is driven"),
        (["--client", "--login", "web", "--", "c"], "--login works only if an agent is driven"),
        (["--login", "", "--", "agent"], "the text is empty"),
        (["--agent-cwd", ".", "last"], "--agent-cwd works only with `-- AGENT`, and without --client"),
        (["--client", "--agent-cwd", ".", "--", "c"], "and without --client"),
        (["--agent-cwd", "no-such", "--", "agent"], "no-such is not a directory"),
        (["--timeout", "5", "last"], "--timeout works only if a peer is driven"),
        (["--timeout", "soon", "--", "agent"], "not a number of seconds"),
        (["--json", "--junit", "-", "last"], "both write to standard output"),
        (["--as", "agent:silent", "last"], "--as works only if a client is driven"),
        (["--client", "--as", "zed", "--", "c"], "zed is a client: only `drive` can act as it"),
        (
            ["--client", "--as", "noise", "--", "c"],
            "there is no agent 'agent:noise'; did you mean agent:noisy",
        ),
        (["--badge", "-", "last"], "is not a file"),
        (["--url", "http://example.org/acp"], "another machine"),
    ],
)
def test_misuse(commands: Commands, words: list[str], why: str) -> None:
    """One line, and 2."""
    said = commands("conform", *words)
    assert said.code == 2
    assert why in " ".join(said.err.split())


def test_a_recording(commands: Commands, tmp_path: Path) -> None:
    """It is judged, and nothing is driven; the same is in each report."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(
        trace(
            ("client", request(0, "initialize", protocolVersion=1)),
            ("agent", result(0, protocolVersion=1, agentCapabilities={})),
            ("client", request(1, "session/new")),
            ("agent", result(1, sessionId=7)),
        )
    )
    reports = [str(tmp_path / name) for name in ("j.xml", "p.html", "b.svg")]
    said = commands(
        "conform", str(file), "--json", "--junit", reports[0], "--html", reports[1], "--badge", reports[2]
    )
    assert said.code == 1
    document = json.loads(said.out)
    failed = {
        one["id"]
        for one in document["requirements"]
        if one["status"] == "fail" and one["tier"] == "mandatory"
    }
    assert failed == {"ACP-SCHEMA-001", "ACP-SESSION-001"}
    assert all(os.path.getsize(name) > 300 for name in reports)
    assert commands("conform", str(file), "--client").code == 0


def _tested(id_: str, status: str, message: str = "", *talk: tuple[str, Any]) -> dict[str, Any]:
    """A requirement of a report of acp-tck, with one test."""
    lines = [{"dir": dir_, "t": 1.0 + at, "raw": json.dumps(each)} for at, (dir_, each) in enumerate(talk)]
    test = {"nodeid": f"test_a.py::{id_}", "status": status, "message": message, "transcript": lines or None}
    return {
        "id": id_,
        "tier": "MANDATORY",
        "status": status,
        "tests": [] if status == "NOT_TESTED" else [test],
    }


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """A report in which one test failed because of the agent, and one because of something else."""
    begun = [
        ("sent", request(1, "initialize", protocolVersion=1)),
        (
            "received",
            result(1, protocolVersion=1, agentCapabilities={}, agentInfo={"name": "a", "version": "1"}),
        ),
        ("sent", request(2, "session/new")),
    ]
    new = [*begun, ("received", result(2, sessionId=7))]
    rows = [
        _tested("ACP-SESSION-001", "FAIL", "E   AssertionError: sessionId is 7", *new),
        _tested("ACP-INIT-002", "FAIL", "E   TimeoutError: too slow", *begun[:2]),
        _tested("ACP-INIT-001", "PASS"),
        _tested("ACP-LIST-001", "SKIPPED", "('a.py', 1, 'Skipped: not advertised')"),
        _tested("ACP-META-001", "PASS"),
        _tested("ACP-NEW-999", "NOT_TESTED"),
    ]  # fmt: skip
    path = tmp_path / "report.json"
    document = {"tck_version": "0.1.0", "protocol_version": 1, "agent_command": ["a"], "requirements": rows,
                "agent_info": {"name": "a", "version": "1"}, "verdict": {"conformant": False}}  # fmt: skip
    path.write_text(json.dumps(document))
    return path


def test_beside_a_report_of_the_kit(commands: Commands, kit: Path) -> None:
    """Its transcripts are judged; each requirement stands in one relation to the verdict of the kit."""
    said = commands("conform", "--tck", kit, "--json")
    assert said.code == 1, said.err
    found = json.loads(said.out)["tck"]
    relations = {row["id"]: row["relation"] for row in found["requirements"]}
    assert {id_: relations[id_] for id_ in ("ACP-SESSION-001", "ACP-INIT-002", "ACP-INIT-001", "ACP-LIST-001",
                                            "ACP-META-001", "ACP-NEW-999", "ACP-SCHEMA-001")} == {
        "ACP-SESSION-001": "agree", "ACP-INIT-002": "disagree", "ACP-INIT-001": "agree", "ACP-LIST-001": "neither",
        "ACP-META-001": "only-tck", "ACP-NEW-999": "unknown", "ACP-SCHEMA-001": "only-conform",
    }  # fmt: skip
    assert (found["version"], found["protocol"], found["agent"], found["conformant"]) == (
        "0.1.0",
        1,
        "a 1",
        False,
    )
    assert sum(found["counts"].values()) == len(found["requirements"])
    text = commands("conform", "--tck", kit).out
    assert "Beside acp-tck 0.1.0 of a 1: not conformant" in text
    assert "ACP-INIT-002  acp-tck: fail  conform: pass\n   TimeoutError: too slow" in text
    assert "ACP-SCHEMA-001  acp-tck: nothing  conform: fail" in text


def test_a_recording_beside_a_report_of_the_kit(commands: Commands, kit: Path) -> None:
    """Then the recording is judged, and not the transcripts."""
    sample = REPOSITORY / "sample_traces" / "ts-sdk-agent-acpx.jsonl"
    said = commands("conform", sample, "--tck", kit, "--json")
    rows = {row["id"]: row for row in json.loads(said.out)["tck"]["requirements"]}
    assert (rows["ACP-SESSION-001"]["tck"], rows["ACP-SESSION-001"]["conform"]) == ("fail", "pass")


def test_what_is_no_report_of_the_kit(commands: Commands, tmp_path: Path, kit: Path) -> None:
    """One line, and no verdict; without any transcript there is nothing to judge."""
    other = tmp_path / "other.json"
    other.write_text("{}")
    said = commands("conform", "--tck", other)
    assert (said.code, said.out) == (3, "")
    assert "is not a report of acp-tck" in said.err
    assert commands("conform", "--tck", tmp_path / "none.json").code == 2
    assert "acp-tck has no requirements for clients" in " ".join(
        commands("conform", "--client", "--tck", kit).err.split()
    )
    passed = json.loads(kit.read_text())
    passed["requirements"] = [_tested("ACP-INIT-001", "PASS")]
    other.write_text(json.dumps(passed))
    said = commands("conform", "--tck", other)
    assert (said.code, "only acp-tck decides" in said.out) == (4, True)


def test_a_trace_without_a_frame(commands: Commands, tmp_path: Path) -> None:
    """There is nothing to judge."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(trace())
    assert commands("conform", str(file)).code == 4
    file.write_bytes(trace(("client", request(0, "initialize")), ("agent", error(0, -1, "x"))))
    assert commands("conform", str(file)).code != 4


def test_a_directory(commands: Commands, tmp_path: Path) -> None:
    """All recordings in it are judged, as `matrix` and `replay` take them."""
    assert commands("conform", str(tmp_path)).code == 4
    for name in ("a", "b"):
        file = tmp_path / f"{name}.jsonl"
        file.write_bytes(trace(("client", request(0, "initialize")), ("agent", error(0, -1, name))))
    (tmp_path / "a.replay.toml").write_text("timeout = 5")
    said = commands("conform", "--json", str(tmp_path))
    failures = next(one for one in json.loads(said.out)["requirements"] if one["id"] == "ACP-INIT-003")
    assert failures["status"] == "not-exercised"
    assert (
        commands("conform", str(tmp_path)).out
        == commands("conform", *sorted(map(str, tmp_path.glob("*.jsonl")))).out
    )


@pytest.mark.parametrize("sample", SAMPLES[:3], ids=lambda path: path.stem)
def test_the_samples(commands: Commands, sample: Path) -> None:
    """Real recordings: a client and an agent, each judged."""
    for words in ([], ["--client"]):
        assert commands("conform", str(sample), *words).code in (0, 1)


def test_no_such_peer(commands: Commands, tmp_path: Path) -> None:
    """It ends with 5, in a line."""
    said = commands("conform", "--traces", str(tmp_path / "t"), "--", str(tmp_path / "nothing"))
    assert (said.code, said.out) == (5, "")
    assert said.err.startswith("acp-trace: cannot start the agent")
    assert list((tmp_path / "t").iterdir()) == []


def test_traces_need_a_directory_of_their_own(commands: Commands, tmp_path: Path) -> None:
    """Nothing that is there is overwritten."""
    (tmp_path / "mine.jsonl").write_text("mine")
    said = commands("conform", "--traces", str(tmp_path), "--", "agent")
    assert said.code == 2
    assert "is not empty" in said.err


@pytest.mark.slow
def test_an_agent(commands: Commands) -> None:
    """Its traces go to the store, under the labels of what was tried."""
    said = commands("conform", "--json", "--cancel-prompt", "HOLD", "--", sys.executable, SMALL)
    assert said.code == 0
    tried = said.err.splitlines()
    assert tried[:2] == ["acp-trace: tried initialize", "acp-trace: tried version"]
    assert tried[-1] == "acp-trace: tried delete"
    document = json.loads(said.out)
    assert document["ok"]
    rows = json.loads(commands("ls", "-n", "0", "--json").out)
    assert {one["trace"] for one in document["requirements"]} - {None} <= {row["id"] for row in rows}
    assert len(rows) > 10


@pytest.mark.slow
def test_an_agent_that_never_speaks(commands: Commands) -> None:
    """It could not be run: 5, and the report says how it ended."""
    said = commands("conform", "--json", "--", sys.executable, "-c", "raise SystemExit(3)")
    assert said.code == 5
    failed = {one["id"] for one in json.loads(said.out)["requirements"] if one["status"] == "fail"}
    assert failed == {"ACT-CRASH-001"}


#: A client that says one prompt: what it is given is an executable file.
CLIENT = """
import json, os, subprocess, sys
agent = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def ask(id_, method, **params):
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
    agent.stdin.write(json.dumps(message).encode() + b"\\n"); agent.stdin.flush()
    for line in agent.stdout:
        got = json.loads(line)
        if got.get("id") == id_ and "method" not in got:
            return got.get("result")
        if "id" in got:
            options = got["params"].get("options") or [{"optionId": "x"}]
            answer = {"result": {"outcome": {"outcome": "selected", "optionId": options[0]["optionId"]}}}
            if got["method"] != "session/request_permission":
                answer = {"error": {"code": -32601, "message": "no"}}
            if FAULT == "other-option" and "result" in answer:
                answer["result"]["outcome"]["optionId"] = "other"
            reply = {"jsonrpc": "2.0", "id": got["id"], **answer}
            agent.stdin.write(json.dumps(reply).encode() + b"\\n"); agent.stdin.flush()
        elif FAULT == "dies" and "_acp_trace_unknown" in str(got):
            os._exit(1)
    if FAULT == "waits":
        import time; time.sleep(600)
import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)
ask(0, "initialize", protocolVersion=1, clientCapabilities={})
session = ask(1, "session/new", cwd=os.getcwd(), mcpServers=[])["sessionId"]
ask(2, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "hello"}])
agent.stdin.close(); agent.wait()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "ids"),
    [
        ("", set()),
        ("other-option", {"ACT-CLIENT-PERMISSION-001"}),
        ("dies", {"ACT-CLIENT-SURVIVES-001"}),
        ("waits", {"ACT-CLIENT-SURVIVES-003"}),
    ],
)
def test_a_client(commands: Commands, tmp_path: Path, fault: str, ids: set[str]) -> None:
    """Each fault fails its requirement, and no other."""
    file = tmp_path / "client.py"
    file.write_text(CLIENT.replace("FAULT", repr(fault)))
    kept = tmp_path / "traces"
    words = ["--client", "--json", "--timeout", "15", "--traces", str(kept)]
    said = commands("conform", *words, "--", sys.executable, str(file), "{agent}")
    document = json.loads(said.out)
    assert {one["id"] for one in document["requirements"] if one["status"] == "fail"} == ids
    assert said.code == (1 if ids else 0)
    assert document["notes"] == []
    assert {each.stem for each in kept.iterdir()} >= {"normal", "cancel", "early-end"}
    assert all(stat.S_IMODE(each.stat().st_mode) & 0o077 == 0 for each in kept.iterdir())


@pytest.mark.slow
def test_a_client_and_an_agent_that_went_wrong(commands: Commands, tmp_path: Path) -> None:
    """Only that agent is played; the client is not blamed for what it does."""
    file, kept = tmp_path / "client.py", tmp_path / "traces"
    file.write_text(CLIENT.replace("FAULT", "''"))
    words = ["--client", "--as", "agent:updates-before-session", "--as", "string-ids", "--traces", str(kept)]
    said = commands("conform", *words, "--", sys.executable, str(file), "{agent}")
    assert said.code == 0, said.out + said.err
    assert {each.name for each in kept.iterdir()} == {
        "agent-string-ids.jsonl",
        "agent-updates-before-session.jsonl",
    }
    assert "update-before-session" in commands("show", kept / "agent-updates-before-session.jsonl").out


@pytest.mark.slow
def test_a_client_without_an_agent(commands: Commands) -> None:
    """It has to start what it is given."""
    said = commands("conform", "--client", "--", sys.executable, "-c", "pass")
    assert said.code == 5
    assert "the client did not start its agent" in said.err
