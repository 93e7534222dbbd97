"""The step of the action that replays: environment variables in; a report, outputs and a job summary out.

Reads the inputs from TRACES, AGENT, MATCH, BUDGET and ARGUMENTS, and starts PROGRAM, the `acp-trace` that
`install.sh` installed. Writes to the files of GITHUB_OUTPUT and GITHUB_STEP_SUMMARY, and to a new directory
in RUNNER_TEMP. Exits with the exit code of the replay. Imports only the standard library, because any
version of acp-trace may be installed.
"""

from __future__ import annotations

import glob
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

#: What the exit codes of `acp-trace replay` mean (docs/ci.md): a word for workflows, a sentence for people.
VERDICTS = {
    0: ("passed", "All recordings passed."),
    1: ("differs", "Something differs from the recordings, or a budget is exceeded."),
    2: ("misused", "A setting is invalid, or a mask had nothing to hide."),
    3: ("unreadable", "A recording cannot be read. Is it in the checkout, and complete?"),
    4: ("nothing-compared", "Nothing was compared: the recording is empty."),
    5: ("agent-failed", "The agent could not be started, died, hung or flooded."),
}
_BROKEN = ("broken", "The replay ended in an unexpected way.")
#: GitHub takes 1 MiB for the summary of a step.
_SUMMARY_CHARACTERS = 200_000
_ANNOTATION = re.compile(r"^::(error|warning|notice) ")


class Misuse(Exception):
    """An input that cannot be understood; the text says which and why."""


class Counts(NamedTuple):
    """How many recordings passed and failed."""

    passed: int
    failed: int


def recordings(lines: str) -> list[str]:
    """The recordings that the input `traces` names, sorted within each pattern.

    A pattern that finds nothing stays as it is, so that the replay reports its name. A file whose name
    begins with `-` cannot become an option.
    """
    found = []
    for line in filter(None, map(str.strip, lines.splitlines())):
        found += sorted(glob.glob(line, recursive=True)) or [line]
    return [f"./{path}" if path.startswith("-") else path for path in found]


def words(name: str, text: str) -> list[str]:
    """The words of an input that is quoted as in a shell. Nothing in it is run or expanded."""
    try:
        return shlex.split(text)
    except ValueError as fault:
        raise Misuse(f"the input {name!r} cannot be split into words: {fault}") from fault


def command(inputs: Mapping[str, str], directory: Path) -> list[str]:
    """The command that replays, with its reports in `directory`."""
    options = ["--github", "--junit", str(directory / "replay.xml"), "--html", str(directory / "replay.html")]
    if inputs.get("MATCH"):
        options += ["--match", inputs["MATCH"]]
    for budget in filter(None, map(str.strip, inputs.get("BUDGET", "").splitlines())):
        options += ["--budget", budget]
    options += words("arguments", inputs.get("ARGUMENTS", ""))
    agent = words("agent", inputs.get("AGENT", ""))
    traces = recordings(inputs.get("TRACES", ""))
    if not traces:
        raise Misuse("the input 'traces' is empty")
    return [inputs["PROGRAM"], "replay", *traces, *options, *(["--", *agent] if agent else [])]


def run(argv: list[str], home: Path) -> tuple[int, str]:
    """The exit code of a command, and its report, which is also printed as it comes.

    A signal that ends the step goes to the command, which then ends the agent.
    """
    buffering = {"PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
    environment = {**os.environ, **buffering, "ACP_TRACE_HOME": str(home)}
    report = []
    with subprocess.Popen(argv, stdout=subprocess.PIPE, env=environment) as process:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: process.send_signal(number))
        assert process.stdout is not None
        for raw in process.stdout:
            line = raw.decode("utf-8", "replace")
            sys.stdout.write(line)
            sys.stdout.flush()
            if not _ANNOTATION.match(line):
                report.append(line)
    code = process.returncode
    return code if code >= 0 else 128 - code, "".join(report)  # as a shell counts signals


def counts(junit: Path) -> Counts:
    """What the JUnit file of the replay says. Zeros if there is none."""
    if not junit.exists():
        return Counts(0, 0)
    cases = [*ET.parse(junit).iter("testcase")]  # noqa: S314 (written by acp-trace, not by a stranger)
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    return Counts(len(cases) - failed, failed)


def summary(sentence: str, count: Counts, report: str) -> str:
    """The job summary, in Markdown. The report is quoted in a way that no text in it can end."""
    if len(report) > _SUMMARY_CHARACTERS:
        report = f"{report[:_SUMMARY_CHARACTERS]}\n… The log has the rest.\n"
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", report)), default=0))
    head = f"### Replay of ACP recordings\n\n{sentence} {count.passed} passed, {count.failed} failed.\n"
    return f"{head}\n{fence}text\n{report.rstrip()}\n{fence}\n" if report.strip() else head


def main() -> int:
    """Run the step. Returns the exit code of the replay, and 2 for an input that cannot be understood."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # not that of Windows
    directory = Path(tempfile.mkdtemp(prefix="acp-replay-", dir=os.environ["RUNNER_TEMP"]))
    home = directory / "home"
    try:
        code, report = run(command(os.environ, directory), home)
    except Misuse as fault:
        code, report = 2, f"{fault}\n"
        print(f"acp-trace: {fault}", file=sys.stderr)
    word, sentence = VERDICTS.get(code, _BROKEN)
    files = {name: directory / f"replay.{suffix}" for name, suffix in (("junit", "xml"), ("page", "html"))}
    count = counts(files["junit"])
    if code and not count.failed:
        print(f"::error title=acp-trace::{sentence} The log says more.")  # else there is no annotation at all
    outputs = {"verdict": word, "exit-code": code, "home": home, **count._asdict()}
    outputs |= {name: path if path.exists() else "" for name, path in files.items()}
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
        file.writelines(f"{name}={value}\n" for name, value in outputs.items())
    with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
        file.write(summary(sentence, count, report))
    return code


if __name__ == "__main__":
    sys.exit(main())
