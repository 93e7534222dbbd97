"""Faults on purpose, each against real agents and real clients: `python -m tests.real.faulting FOLDER`.

What each of them does is kept in FOLDER, so that a run goes on where it was left, and is written as a table:
docs/evidence/faults-on-purpose.md. `--only NAME` plays one of them, `--table` only writes the page.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.replay.faults.declaration import parse
from tests.real import packages
from tests.real.agents import PY_SDK
from tests.real.client import drive
from tests.real.processes import Deadline, Fault, run
from tests.real.scenario import Scenario
from tests.real.scenarios import PY_WORK, SCENARIOS, TS_ACPX
from tests.real.stage import furnish, staged
from tests.replay.facing import entries
from tests.support import ACP_TRACE, REPOSITORY

PAGE = REPOSITORY / "docs" / "evidence" / "faults-on-purpose.md"
_PY_CLIENT = Path(__file__).with_name("py_client.py")
_TOAD_PILOT = Path(__file__).with_name("toad_pilot.py")
_TS_CLIENT = Path(__file__).parent / "network" / "ts_client.mjs"
_BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
_RECORD_S, _AGENT_S, _CLIENT_S, _MOCK_S = 120, 240, 60, 20
#: How long an agent may say nothing after a fault; a client is left to itself.
_SILENCE_S = 40

_PROMPT = "session/prompt #1"
_OF_CLIENT = (
    f"delay 2s on {_PROMPT}", f"bytes on {_PROMPT}", f"drop on {_PROMPT}", f"duplicate on {_PROMPT}",
    f"cut on {_PROMPT}", f"malformed-json on {_PROMPT}", f"malformed on {_PROMPT}",
    "malformed 1 on session/new #1", "malformed-json on initialize #1",
    "never on session/request_permission #1", "error on session/request_permission #1",
    "malformed on session/request_permission #1", "duplicate on session/request_permission #1",
    "drop on session/cancel #1", "reorder on session/cancel #1", "duplicate on session/cancel #1",
    f"noise on {_PROMPT}", f"close on {_PROMPT}", f"kill on {_PROMPT}",
)  # fmt: skip
_CHUNK = "agent_message_chunk #1"
_OF_AGENT = (
    f"delay 2s on {_PROMPT}", f"bytes on {_PROMPT}", f"drop on {_CHUNK}", f"never on {_PROMPT}",
    f"duplicate on {_CHUNK}", f"duplicate on {_PROMPT}", f"reorder on {_PROMPT}", "reorder on session/new #1",
    f"cut on {_CHUNK}", f"malformed-json on {_CHUNK}", f"malformed-json on {_PROMPT}",
    f"malformed on {_CHUNK}", f"malformed on {_PROMPT}", "malformed on session/new #1",
    f"unknown-update on {_PROMPT}", f"error on {_PROMPT}", "error on session/new #1",
    "drop on session/request_permission #1", "malformed on session/request_permission #1",
    f"late-chunk on {_PROMPT}", "ignore-cancel on session/prompt #3", "end-turn on session/prompt #3",
    f"noise on {_PROMPT}", f"close on {_CHUNK}", f"kill on {_PROMPT}",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Peer:
    """An agent or a client, with the scenario whose recording is played to it."""

    name: str
    scenario: Scenario
    faults: tuple[str, ...]
    play: Callable[[Peer, Path, str, Path], dict[str, Any]]


def _agent(peer: Peer, recording: Path, fault: str, folder: Path) -> dict[str, Any]:
    """Plays a recording with a fault to an agent: what replay says."""
    saved, deadline = folder / "run.jsonl", Deadline(_AGENT_S)
    with staged(peer.scenario.agent, folder / "stage") as stage:
        workspace = furnish(folder / "workspace")
        argv = [*ACP_TRACE, "replay", str(recording), "--workspace", str(workspace), "--json"]
        argv += ["--timeout", str(_SILENCE_S), "--save", str(saved), "--fault", fault]
        argv += ["--", *peer.scenario.agent.command]
        code, output = run(
            argv, env=stage.env, cwd=stage.project, stderr=folder / "stderr", deadline=deadline
        )
    if not output:
        return {"verdict": f"exit {code}", "effect": (folder / "stderr").read_text()[-200:], "named": []}
    told = json.loads(output)["replays"][0]
    return {**_verdict(told), "named": _named(saved, "client")}


def _verdict(told: dict[str, Any]) -> dict[str, Any]:
    codes = sorted({one["code"] for one in told["divergences"] if one["severity"] == "error"})
    effect = told["faults"][0]["effect"]
    return {"verdict": "passed" if told["passed"] else f"failed: {', '.join(codes)}", "effect": effect}


def _client(
    argv: Callable[[Path, list[str]], list[str]], *options: str
) -> Callable[[Peer, Path, str, Path], dict[str, Any]]:
    """What plays a recording with a fault to a client, whose command `argv` makes. `options`: of `mock`."""

    def play(peer: Peer, recording: Path, fault: str, folder: Path) -> dict[str, Any]:
        saved, report = folder / "run.jsonl", folder / "report"
        mock = [*ACP_TRACE, "mock", str(recording), "--fault", fault, "--save", str(saved), *options]
        told = [
            "/bin/sh",
            "-c",
            'report=$1; shift; exec setsid --wait "$@" 2>"$report"',
            "sh",
            str(report),
            *mock,
        ]
        hung = False
        with staged(peer.scenario.agent, folder / "stage") as stage:
            client = argv(stage.project, told)
            try:
                code, _ = run(
                    client,
                    env=stage.env,
                    cwd=stage.project,
                    stderr=folder / "stderr",
                    deadline=Deadline(_CLIENT_S),
                )
            except Fault:
                hung, code = True, -1
        _wait_for(saved)
        lines = report.read_text(errors="replace").splitlines() if report.exists() else []
        effect = next((line.rpartition(": ")[2] for line in lines if line.startswith(" fault ")), "")
        verdict = "passed" if lines and lines[0].startswith("passed") else "–" if hung else "failed"
        ended = f"still waiting after {_CLIENT_S} s" if hung else f"client ends with {code}"
        return {
            "verdict": verdict,
            "effect": ", ".join(filter(None, [effect, ended])),
            "named": _named(saved, "agent"),
        }

    return play


def _wait_for(saved: Path) -> None:
    """Waits until the mock, which is in a session of its own, has noticed that its client is gone."""
    for _ in range(_MOCK_S * 10):
        if saved.exists():
            return
        time.sleep(0.1)


def _acpx(project: Path, agent: list[str]) -> list[str]:
    from tests.real.stage import node

    cli = packages.npm(*packages.ACPX) / "acpx" / "dist" / "cli.js"
    words = [str(node()), str(cli), "--agent", shlex.join(agent), "--cwd", str(project), "--approve-all"]
    return [*words, "--format", "json", "exec", *TS_ACPX.prompts]


def _python(project: Path, agent: list[str]) -> list[str]:
    return ["../bin/python-sdk/bin/python", "-I", str(_PY_CLIENT), "-", str(project), "--", *agent]


def _typescript(project: Path, agent: list[str]) -> list[str]:
    from tests.real.stage import node

    modules = packages.npm(*packages.TS_NETWORK)
    return [str(node()), str(_TS_CLIENT), str(modules), json.dumps(agent), "-", str(project)]


def _toad(project: Path, agent: list[str]) -> list[str]:
    log = project.parent / "toad.log"
    python = packages.python_314(packages.TOAD) / "python"
    words = [str(python), "-I", str(_TOAD_PILOT), str(log), str(project), shlex.join(agent)]
    return ["/usr/bin/env", f"TOAD_LOG={log}", *words]


def _named(saved: Path, side: str) -> list[str]:
    """The findings that blame the side of the player."""
    if not saved.exists():
        return []
    analyzer = Analyzer()
    for entry in entries(saved.read_bytes()):
        analyzer.feed(entry)
    return sorted({finding.code for finding in analyzer.facts().findings if finding.blame == side})


PEERS = {
    peer.name: peer
    for peer in (
        Peer("TypeScript SDK agent", _BY_NAME["ts-sdk-work"], _OF_CLIENT, _agent),
        Peer("Python SDK agent", PY_WORK, _OF_CLIENT, _agent),
        Peer("opencode", _BY_NAME["opencode-work"], _OF_CLIENT, _agent),
        Peer("acpx", TS_ACPX, tuple(one for one in _OF_AGENT if "#3" not in one), _client(_acpx)),
        Peer("Python SDK client", PY_WORK, _OF_AGENT, _client(_python)),
        Peer("TypeScript SDK client", PY_WORK, _OF_AGENT, _client(_typescript)),
        Peer("Toad", PY_WORK, _OF_AGENT, _client(_toad, "--pace", "recorded")),
    )
}


#: Clients that start their agent themselves: how each is started.
_OWN = {"Python SDK client": _python, "TypeScript SDK client": _typescript, "Toad": _toad}


def _recording(peer: Peer, keep: Path) -> Path:
    """The recording of a peer's scenario, made once."""
    path = keep / f"{peer.name.replace(' ', '-')}.jsonl"
    if path.exists():
        return path
    recorder = [*ACP_TRACE, "record", "--out", str(path), "--"]
    with tempfile.TemporaryDirectory() as folder:
        if (of_sdk := _OWN.get(peer.name)) is not None:
            with staged(PY_SDK, Path(folder) / "stage") as stage:
                client = of_sdk(stage.project, [*recorder, *PY_SDK.command])
                stderr = Path(folder) / "stderr"
                deadline = Deadline(_RECORD_S)
                run(client, env=stage.env, cwd=stage.project, stderr=stderr, deadline=deadline)
        else:
            scenario = peer.scenario
            drive(scenario, Path(folder) / "stage", Deadline(_RECORD_S), [*recorder, *scenario.agent.command])
    return path


def _play(peer: Peer, keep: Path, done: dict[str, Any], fault: str) -> tuple[str, dict[str, Any]]:
    if fault in done:
        return fault, done[fault]
    folder = Path(tempfile.mkdtemp())
    try:
        return fault, peer.play(peer, _recording(peer, keep), fault, folder)
    except Fault as why:
        return fault, {"verdict": "", "effect": str(why), "named": []}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(words: list[str]) -> int:
    """Plays what is not there yet, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("keep", type=Path)
    parser.add_argument("--only", choices=PEERS)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args(words)
    asked.keep.mkdir(parents=True, exist_ok=True)
    for peer in PEERS.values():
        if asked.table or asked.only not in (None, peer.name):
            continue
        path = asked.keep / f"{peer.name.replace(' ', '-')}.json"
        done = json.loads(path.read_text()) if path.exists() else {}
        try:
            _recording(peer, asked.keep)
        except packages.OutOfReach as why:
            print(f"{peer.name}: {why}", flush=True)
            continue
        with ThreadPoolExecutor(asked.jobs) as pool:
            for fault, told in pool.map(
                lambda one, of=peer, d=done: _play(of, asked.keep, d, one), peer.faults
            ):
                done[fault] = told
                path.write_text(json.dumps(done, indent=1))
                print(f"{peer.name}: {fault}: {told}", flush=True)
    by_hand = PAGE.read_text("utf-8").partition(_BY_HAND)[1:]
    PAGE.write_text("".join([*_page(asked.keep), *by_hand]), "utf-8")
    return 0


def _page(keep: Path) -> Iterator[str]:
    yield _INTRODUCTION
    for peer in PEERS.values():
        path = keep / f"{peer.name.replace(' ', '-')}.json"
        if not path.exists():
            continue
        done = json.loads(path.read_text())
        yield f"\n## {peer.name}\n\n| fault | what it did | verdict | findings on the player's side |\n"
        yield "| --- | --- | --- | --- |\n"
        for fault in peer.faults:
            if (told := done.get(fault)) is not None:
                named = ", ".join(f"`{code}`" for code in told["named"])
                mark = "" if told["named"] or not parse(fault).kind.named else "none"
                yield f"| `{fault}` | {told['effect']} | {told['verdict']} | {named or mark} |\n"


#: From here on, the page is not made by this script.
_BY_HAND = "\n## Faults of the model\n"
_INTRODUCTION = """\
# Faults on purpose: what real agents and clients do

Made by `python -m tests.real.faulting FOLDER`, which CI does not run: it installs the agents and clients at the
versions that `tests/real/packages.py` names. Each is recorded once. Then the recording is played to it with
[one fault](../faults.md) at a time: to an agent by `replay`, to a client by `mock`. If the agent has a model, a stand-in answers for it.

*What it did* is the `effect` of `--json`. *Verdict* is that of the rules: it fails if the peer crashes, hangs,
or leaves a request without an answer. The last column lists the findings that blame the side with the fault:
acp-trace recognises its own fault. Some kinds break no rule of the protocol, so no finding
names them; `none` marks a kind that breaks a rule on other messages, but not on this one. A client that waits forever
keeps the rules; it was ended after a minute. In Toad, prompts are typed and keys are pressed by
`tests/real/toad_pilot.py`, which waits for the answer to each.
"""


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
