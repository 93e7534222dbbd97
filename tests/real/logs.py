"""Logs that other tools wrote while we recorded the same session: what `import` makes of them is what we have.

Each tool runs here, with `acp-trace record` as its agent, or before it. Compared is the report of the
imported log with that of our recording, without what the format does not hold: its times and its end.
Of logs of model traffic, the requests with their answers and the calls are compared.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from acp_trace.formats.reading import trace_lines
from acp_trace.formats.reading.log import Log, Sent
from acp_trace.trace.entries import SENT, Entry
from acp_trace.trace.parse import Parser
from tests.formats.reading.comparing import facts_without_times
from tests.formats.reading.model_side import calls_in, exchanges_in, said
from tests.real import asker, packages, teller
from tests.real.agents import PY_SDK
from tests.real.mismatches import Mismatches
from tests.real.model import AS_RECORDED, Model
from tests.real.processes import Deadline, Fault, run, started
from tests.real.scenarios import PY_WORK
from tests.real.stage import Stage, node, staged
from tests.support import ACP_TRACE, PYTHON

_PILOT = Path(__file__).with_name("toad_pilot.py")
_LISTENS = re.compile(rb"listening at \S*?:(\d+)\.")


def acpx(folder: Path, deadline: Deadline) -> list[str]:
    """The journal of a session of acpx with two prompts, and our recording of the agent that answered them."""
    mismatches = Mismatches()
    with staged(PY_SDK, folder / "stage") as stage:
        recorder = [*ACP_TRACE, "record", "--", *PY_SDK.command]
        cli = packages.npm(*packages.ACPX) / "acpx" / "dist" / "cli.js"
        common = [str(node()), str(cli), "--agent", shlex.join(recorder), "--cwd", str(stage.project)]
        for words in (
            ["sessions", "new"],
            ["READ notes.txt"],
            ["WRITE list.txt Eggs"],
            ["sessions", "close"],
        ):
            _must(stage, deadline, [*common, "--approve-all", *words])
        journals = sorted((stage.home / ".acpx" / "sessions").glob("*.ndjson"))
        rows = json.loads(_must(stage, deadline, [*ACP_TRACE, "ls", "--json"]))
        (prompted,) = [row["id"] for row in rows if row["turns"]]
        recorded = _must(stage, deadline, [*ACP_TRACE, "export", prompted])
        compare(mismatches, stage, deadline, "acpx", journals, recorded)
    return mismatches.faults


def tee(folder: Path, deadline: Deadline) -> list[str]:
    """Two files of `tee`, one before the agent and one behind it, and our recording of the same session."""
    mismatches = Mismatches()
    with staged(PY_SDK, folder / "stage") as stage:
        ways = [stage.folder / name for name in ("to_agent", "from_agent")]
        pipe = f"tee {ways[0]} | {shlex.join(PY_SDK.command)} | tee {ways[1]}"
        recording = stage.folder / "recorded.jsonl"
        agent = [*ACP_TRACE, "record", "--out", str(recording), "--", "/bin/sh", "-c", pipe]
        argv = [*PYTHON, teller.__file__, str(stage.project), json.dumps(PY_WORK.steps), *agent]
        _must(stage, deadline, argv)
        compare(mismatches, stage, deadline, "tee", ways, recording.read_bytes())
    return mismatches.faults


def toad(folder: Path, deadline: Deadline) -> list[str]:
    """The file that TOAD_LOG names, and our recording of the agent that Toad spoke with."""
    mismatches = Mismatches()
    with staged(PY_SDK, folder / "stage") as stage:
        log = stage.folder / "toad.log"
        agent = shlex.join([*ACP_TRACE, "record", "--", *PY_SDK.command])
        python = packages.python_314(packages.TOAD) / "python"
        argv = [str(python), "-I", str(_PILOT), str(log), str(stage.project), agent]
        _must(stage, deadline, argv, TOAD_LOG=str(log))
        recorded = _must(stage, deadline, [*ACP_TRACE, "export", "last"])
        compare(mismatches, stage, deadline, "toad", [log], recorded)
    return mismatches.faults


def mitmproxy(folder: Path, deadline: Deadline) -> list[str]:
    """The flows and the HTTP archive of mitmproxy, before which we recorded the same requests to a model."""
    mismatches = Mismatches()
    program = packages.python(packages.MITMPROXY) / "mitmdump"
    with staged(PY_SDK, folder / "stage") as stage, Model(AS_RECORDED) as model:
        flows, archive = stage.folder / "flows", stage.folder / "archive.har"
        mode = ["--mode", f"reverse:{model.url}@127.0.0.1:0", "--set", f"confdir={stage.home}"]
        argv = [str(program), *mode, "-w", str(flows), "--set", f"hardump={archive}"]
        errors, recording = stage.folder / "mitmdump.stderr", stage.folder / "recorded.jsonl"
        environment = {**stage.env, "PYTHONUNBUFFERED": "1"}
        with started(argv, env=environment, stderr=errors, deadline=deadline) as proxy:
            assert proxy.stdout is not None
            port = next(
                (found[1].decode() for line in proxy.stdout if (found := _LISTENS.search(line))), None
            )
            if port is None:
                raise Fault(f"mitmdump: {errors.read_text()}")
            base = ["--model-base", f"http://127.0.0.1:{port}/v1"]
            command = [*ACP_TRACE, "record", "--model", *base, "--out", str(recording)]
            _must(stage, deadline, [*command, "--", *PYTHON, asker.__file__])
        recorded = recording.read_bytes()
        mismatches.same("how many calls were recorded", len(calls_in(recorded)), 3)
        for format_name, file in (("mitmproxy", flows), ("har", archive)):
            imported = _imported(mismatches, stage, deadline, format_name, [file])
            exchanges = [list(map(said, exchanges_in(data))) for data in (imported, recorded)]
            mismatches.same(f"{format_name}: the requests", *exchanges)
            mismatches.same(f"{format_name}: the calls", calls_in(imported), calls_in(recorded))
    return mismatches.faults


def compare(
    mismatches: Mismatches,
    stage: Stage,
    deadline: Deadline,
    format_name: str,
    files: Sequence[Path],
    recorded: bytes,
) -> None:
    """Imports a log as a user does, and holds its messages and its report against our recording."""
    imported = _imported(mismatches, stage, deadline, format_name, files)
    header = json.loads(imported.splitlines()[0])
    lacks = tuple(one for one in header["imported"].get("lacks", ()) if one != "beginning")
    entries = [entry for entry in Parser().feed(recorded) if entry.kind in SENT]
    if "client_responses" in lacks:
        entries = [entry for entry in entries if entry.sender != "client" or b'"method"' in entry.data]
    found = [entry for entry in Parser().feed(imported) if entry.kind in SENT]
    mismatches.same("the messages", list(map(_message, found)), list(map(_message, entries)))
    log = Log([Sent(entry.data, entry.sender) for entry in entries], lacks=lacks)
    (expected,) = trace_lines.traces([log], format_name)
    mismatches.same("the report", _facts(imported), _facts(expected.data))


def _imported(
    mismatches: Mismatches, stage: Stage, deadline: Deadline, format_name: str, files: Sequence[Path]
) -> bytes:
    """The one trace that is made of files."""
    out = stage.folder / f"imported-{format_name}"
    out.mkdir()
    argv = [*ACP_TRACE, "import", *map(str, files), "--json", "--out", str(out)]
    told = json.loads(_must(stage, deadline, argv))
    mismatches.same("the formats", [one["format"] for one in told["imported"]], [format_name])
    (trace,) = out.iterdir()
    return trace.read_bytes()


def _message(entry: Entry) -> tuple[str | None, Any]:
    return entry.sender, json.loads(entry.data)


def _facts(data: bytes) -> dict[str, Any]:
    """Without sizes: most tools write messages anew."""
    return {
        table: [{key: value for key, value in row.items() if not key.endswith("bytes")} for row in rows]
        for table, rows in facts_without_times(data).items()
    }


def _must(stage: Stage, deadline: Deadline, argv: list[str], **variables: str) -> bytes:
    """What a command prints, which has to end well."""
    stderr = stage.folder / "command.stderr"
    code, printed = run(
        argv, env={**stage.env, **variables}, cwd=stage.project, stderr=stderr, deadline=deadline
    )
    if code:
        raise Fault(f"{shlex.join(argv[-3:])}: exit code {code}: {stderr.read_text()}")
    return printed
