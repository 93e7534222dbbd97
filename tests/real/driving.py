"""`just real-drive`: python tests/real/driving.py [--only AGENT] [--keep DIR] [--write].

Has `acp-trace drive --all --model` talk to real agents at their providers' own addresses, which a stand-in answers
for, and replays each recording without a model. Prints what of the announced features was exercised; `--write`
puts that into docs/evidence/drive.md. Ends with 1 if a replay failed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.real import builds, packages
from tests.real.ending import last_line, run_to_end
from tests.real.hermetic_run import ALONE, Place
from tests.real.model import AS_RECORDED, Model
from tests.real.providers import HOSTED, MAPPED, Hosted
from tests.support import ACP_TRACE

#: What the stand-in obeys.
PROMPTS = ("RUN ls", "WRITE list.txt Eggs")
CANCELLED = "COUNT 60"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "drive.md"
_HEAD = ["agent", "steps", "done", "refused", "not sent", "announced", "tried", "not tried", "replay"]


@dataclass(frozen=True, slots=True)
class Driven:
    """What came of one agent. `found`: the document of `drive --json`."""

    name: str
    found: dict[str, Any]
    replayed: str

    def row(self) -> list[str]:
        """Its line of the table."""
        steps = Counter(step["status"] for step in self.found["steps"])
        features = Counter(each["status"] for each in self.found["announced"])
        rest = [each["feature"] for each in self.found["announced"] if each["status"] == "not exercised"]
        return [
            self.found["agent"] or self.name,
            str(len(self.found["steps"])),
            str(steps["done"]),
            str(steps["refused"]),
            str(steps["skipped"] + steps["unanswered"]),
            str(len(self.found["announced"])),
            str(len(self.found["announced"]) - features["not exercised"]),
            ", ".join(rest) or "–",
            self.replayed,
        ]


def drive(hosted: Hosted, root: Path, name: str, *words: str) -> dict[str, Any]:
    """Has `acp-trace drive` talk to an agent: root/NAME.jsonl, and the document. Raises OutOfReach."""
    agent = hosted.install()
    root.mkdir(parents=True, exist_ok=True)
    place = Place(root, root / "place", root / "home")
    environment = place.environment(hosted)
    trace, log, output = (root / f"{name}.{kind}" for kind in ("jsonl", "log", "json"))
    trace.unlink(missing_ok=True)
    options = ["--model", "--json", "--workspace", str(place.projects[0]), "--out", str(trace)]
    options += ["--model-base", hosted.base] if hosted.base else []
    with Model(AS_RECORDED) as model:
        environment["ACP_TRACE_MODEL_MAP"] = " ".join(f"{host}={model.url}" for host in MAPPED)
        argv = [*ACP_TRACE, "drive", *options, *words, "--", *agent]
        ended = run_to_end(argv, environment, root, log, output)
    try:
        return dict(json.loads(output.read_bytes()))
    except ValueError:
        raise packages.OutOfReach(f"was not driven, exit {ended}: {last_line(log)}") from None


def everything(hosted: Hosted) -> list[str]:
    """The options of `drive --all` for an agent."""
    words = ["--all", "--permission", "allow_once", "--cancel-prompt", CANCELLED]
    words += [word for text in PROMPTS for word in ("--prompt", text)]
    return words + (["--login", hosted.authenticate] if hosted.authenticate else [])


def driven(hosted: Hosted, keep: Path) -> Driven:
    """One agent, driven and replayed. Raises OutOfReach if that cannot be done."""
    root = keep / hosted.name
    found = drive(hosted, root, "all", *everything(hosted))
    return Driven(hosted.name, found, replayed(hosted, root, "all"))


def replayed(hosted: Hosted, root: Path, name: str) -> str:
    """Replays root/NAME.jsonl without a model, a network and keys, in another home: `passed`, or what differs."""
    again = root / "again"
    again.mkdir(exist_ok=True)
    place, agent = Place(again, again / "place", again / "home"), hosted.install()
    environment = {
        name: value for name, value in place.environment(hosted).items() if not name.endswith("_API_KEY")
    }
    log, report = again / f"{name}.log", again / f"{name}.json"
    options = ["--workspace", str(place.projects[0]), "--json", "--save", str(again / f"{name}.jsonl")]
    (again / f"{name}.jsonl").unlink(missing_ok=True)
    argv = [*ALONE, *ACP_TRACE, "replay", str(root / f"{name}.jsonl"), *options, "--", *agent]
    run_to_end(argv, environment, again, log, report)
    return _verdict(report, log)


def _verdict(report: Path, log: Path) -> str:
    try:
        replay = json.loads(report.read_bytes())["replays"][0]
    except (ValueError, KeyError, IndexError):
        return f"none: {last_line(log)}"
    if replay["passed"]:
        return "passed"
    codes = Counter(each["code"] for each in replay["divergences"] if each["severity"] == "error")
    return ", ".join(f"{code} ×{count}" for code, count in codes.items()) or "failed"


def main(argv: Sequence[str]) -> int:
    """The script: 0 if every replay passed."""
    parser = argparse.ArgumentParser(description="Real agents, driven and replayed.")
    parser.add_argument("--only", metavar="AGENT", action="append", choices=[one.name for one in HOSTED])
    parser.add_argument("--keep", metavar="DIR", type=Path, help="where recordings are; default: the cache")
    parser.add_argument("--write", action="store_true", help="put the table into docs/evidence/drive.md")
    asked = parser.parse_args(argv)
    keep = (asked.keep or packages.cache() / "driven").absolute()
    # npm chooses by the Node that it runs on.
    os.environ["PATH"] = f"{builds.node_programs()}{os.pathsep}{os.environ['PATH']}"
    rows = []
    for hosted in HOSTED:
        if asked.only is not None and hosted.name not in asked.only:
            continue
        try:
            rows.append(driven(hosted, keep).row())
        except packages.OutOfReach as error:
            print(f"{hosted.name}: {error}", flush=True)
            continue
        print(" | ".join(rows[-1]), flush=True)
    if asked.write:
        lines = [_HEAD, ["---"] * len(_HEAD), *rows]
        table = "".join("| " + " | ".join(line) + " |\n" for line in lines)
        start, marker, rest = PAGE.read_text("utf-8").partition("<!-- driven -->\n")
        _, end, rest = rest.partition("<!-- end: driven -->")
        PAGE.write_text(f"{start}{marker}\n{table}\n{end}{rest}", "utf-8")
    return int(any(row[-1] != "passed" for row in rows))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
