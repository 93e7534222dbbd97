"""`just planted`: python tests/real/planted/run.py [--only AGENT] [--keep DIR] [--show] [--write] [WORD …].

Plants one fault after another into a replay of each real agent that `just hermetic` has recorded and replayed,
and asks for its verdict at each level. Prints what was missed and what was named wrongly. With words: only the
faults that have one in their names. `--show` prints what a user sees of each fault, and no table. `--write` puts
the table into docs/evidence/planted-faults.md. Ends with 1
if a fault that docs/diff.md says is compared is reported nowhere at `content`, or an unchanged agent fails.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from acp_trace.replay.drive import snapshot
from acp_trace.report.ci.places import Place
from acp_trace.report.statements.replays import Replayed
from acp_trace.report.text.replays import report
from tests.real import packages
from tests.real.planted import table
from tests.real.planted.judging import AnyFault, Stage
from tests.real.planted.table import AREAS, Planted
from tests.real.planted.tape import Tape

_WIDTH = 100  #: of a report


def main(argv: Sequence[str]) -> int:
    """The script: 0 if all was reported."""
    parser = argparse.ArgumentParser(description="Faults, planted into replays of real agents.")
    parser.add_argument("words", metavar="WORD", nargs="*", help="a word of a fault's name")
    parser.add_argument("--only", metavar="AGENT", action="append")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="where recordings are; default: the cache")
    parser.add_argument("--write", action="store_true", help="put the table into the docs")
    parser.add_argument("--show", action="store_true", help="print the report of each fault, and no table")
    asked = parser.parse_args(argv)
    keep = asked.keep or packages.cache() / "hermetic" / "recordings"
    agents = [
        path.parent
        for path in sorted(keep.glob("*/a.jsonl"))
        if asked.only is None or path.parent.name in asked.only
    ]
    if not agents:
        parser.error(f"no recordings in {keep}: make some with `just hermetic record replay`")
    if asked.show:
        for directory in agents:
            for shown in shows(directory, asked.words):
                print(shown)
        return 0
    with ProcessPoolExecutor(2) as pool:
        found = [each for told in pool.map(planted, agents, [asked.words] * len(agents)) for each in told]
    print(table.said(found))
    if asked.write:
        table.write(found)
    return int(table.is_faulty(found))


def planted(directory: Path, words: Sequence[str] = ()) -> list[Planted]:
    """What is said of each fault in the first replay of an agent; the first row is of the unchanged one."""
    stage = _stage(directory)
    found = [Planted(directory.name, "", "", stage.said(None))]
    found += (Planted(directory.name, area, fault.name, stage.said(fault)) for area, fault in _chosen(words))
    return found


def shows(directory: Path, words: Sequence[str]) -> Iterator[str]:
    """What `acp-trace replay` prints of each fault in the first replay of an agent."""
    stage = _stage(directory)
    places = [Place("-"), Place("-")]
    for _, fault in _chosen(words):
        verdict = stage.verdict(fault)
        if verdict is not None:
            replayed = Replayed(fault.name, verdict.comparison, verdict.passed, False, 1, 1, 0)
            yield report(replayed, places, _WIDTH, all_=False).plain


def _stage(directory: Path) -> Stage:
    run = min((directory / "runs").glob("*.jsonl"), key=lambda path: int(path.stem))
    recording = directory / "a.jsonl"
    trace = recording.read_bytes()
    kept = snapshot.find(recording, Tape(trace).lines[0].get("workspace_snapshot", ""))
    return Stage(trace, run.read_bytes(), None if kept is None else kept.end)


def _chosen(words: Sequence[str]) -> Iterator[tuple[str, AnyFault]]:
    for area, faults in AREAS.items():
        for fault in faults:
            if not words or any(word in fault.name for word in words):
                yield area, fault


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
