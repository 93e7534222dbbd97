"""`install` with a real client: acpx starts its agent with the recorder and without, and its file comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.real import packages
from tests.real.agents import PY_SDK
from tests.real.mismatches import Mismatches
from tests.real.processes import Deadline, Fault, run
from tests.real.scenarios import PY_ACPX
from tests.real.stage import Stage, node, staged
from tests.support import ACP_TRACE

#: Another agent before it, and after it what acpx does not know; as a person of Windows writes it, without an end.
_CONFIG = (
    '{\r\n\t"timeout": 60,\r\n\t"agents": {\r\n\t\t"other": { "command": "other-agent --acp" },\r\n'
    '\t\t"mine":{"argv":%s}  \r\n\t},\r\n\t"ttl": 5, "x": "\\u00fc \u00fc"\r\n}'
)


def acpx(folder: Path, deadline: Deadline) -> list[str]:
    """Records the agent while the recorder is installed, not before and not after; the file is as it was."""
    mismatches = Mismatches()
    with staged(PY_SDK, folder / "stage") as stage:
        file = stage.home / ".acpx" / "config.json"
        file.parent.mkdir()
        text = (_CONFIG % json.dumps(PY_SDK.command)).encode()
        file.write_bytes(text)
        before = _session(stage, deadline)
        mismatches.same("traces before", _traces(stage, deadline), [])
        _command(stage, deadline, "install", "acpx", "mine", "--yes")
        mismatches.same(
            "whether the recorder is in the file", b'"acp_trace", "record"' in file.read_bytes(), True
        )
        recorded = _session(stage, deadline)
        _command(stage, deadline, "uninstall", "acpx", "--yes")
        mismatches.same("the file", file.read_bytes(), text)
        mismatches.same("files of acp-trace", [each.name for each in file.parent.glob("config.json?*")], [])
        after = _session(stage, deadline)
        traces = _traces(stage, deadline)
        mismatches.same("what acpx printed, with the recorder", recorded, before)
        mismatches.same("what acpx printed, after it", after, before)
        found = [(row["agent"]["name"], row["client"]["name"], row["turns"]) for row in traces]
        mismatches.same("the traces", found, [(PY_SDK.name, "acpx", 1)])
    return mismatches.faults


def _session(stage: Stage, deadline: Deadline) -> list[Any]:
    """Of one session with the agent, by its name in the file: exit code, and the kinds of all messages."""
    cli = packages.npm(*packages.ACPX) / "acpx" / "dist" / "cli.js"
    options = ["--cwd", str(stage.project), "--approve-all", "--format", "json"]
    code, printed = run(
        [str(node()), str(cli), *options, "mine", "exec", *PY_ACPX.prompts],
        env=stage.env,
        stderr=stage.folder / "stderr",
        deadline=deadline,
    )
    messages = [json.loads(line) for line in printed.splitlines()]
    return [code, *(message.get("method", "answer") for message in messages)]


def _traces(stage: Stage, deadline: Deadline) -> list[Any]:
    rows: list[Any] = json.loads(_command(stage, deadline, "ls", "--json"))
    return rows


def _command(stage: Stage, deadline: Deadline, *words: str) -> bytes:
    """What one of our commands prints, which has to end well."""
    stderr = stage.folder / "acp-trace.stderr"
    code, printed = run([*ACP_TRACE, *words], env=stage.env, stderr=stderr, deadline=deadline)
    if code:
        raise Fault(f"{words[0]}: exit code {code}: {stderr.read_text()}")
    return printed
