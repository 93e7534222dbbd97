"""The JSON report of acp-tck (`--tck-report-json FILE`): the transcripts of the tests that failed.

    {"tck_version": "0.1.0", "agent_command": […], "requirements": [{"id": "ACP-…", "tests": [
      {"nodeid": "test_cancel.py::…", "status": "FAIL", "stderr": "…", "transcript": [
        {"dir": "sent", "t": 1234.5, "raw": "{…}"}, {"dir": "received", …}]}]}]}

- A test that passed has no transcript: it is counted as unused. A test may appear under several requirements.
- The lines are as they were, with a monotonic time in seconds; the report says only when the whole run began.
- The agent's stderr is one text without times: its lines come at the end, at most the last 20 kB.
- A long line ends with `...[truncated 4655 byte(s)]...`: of such a message, only whole members of its
  parameters or its result are used.
- `results` reads the kit's result for each requirement; `conform --tck` puts it beside our verdicts.

Learned from EugeneTheDev/acp-tck, src/tck/common/report.py, plugin.py and harness/transcript.py (2026-09).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from acp_trace.formats.reading import connections
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Said, Sent, Unused
from acp_trace.trace import jsontext
from acp_trace.trace.entries import Sender
from acp_trace.trace.jsontext import as_object, as_string, objects

NAME = "tck"

_SENDERS: dict[object, Sender] = {"sent": "client", "received": "agent"}
_KEYS = (b'"tck_version"', b'"requirements"')
_SECOND = 1_000_000_000
#: Monotonic seconds that no machine has been up for: such a number is not a time.
_LONGEST_S = 10**9


class TckResult(NamedTuple):
    """The kit's result for a requirement.

    `status`: `PASS`, `FAIL`, `SKIPPED` or `NOT_TESTED`. `why`: in a line, or empty.
    """

    id: str
    status: str
    why: str


class TckResults(NamedTuple):
    """The verdicts of a report. `protocol`: the version that was tried; None if it is not known."""

    tck_version: str
    protocol: int | None
    agent: str
    is_conformant: bool | None
    of_each: list[TckResult]


def results(file: File) -> TckResults | None:
    """The results in a report; None if this is not one."""
    report = _report(file)
    if not report:
        return None
    info, version = as_object(report.get("agent_info")), report.get("protocol_version")
    conformant = as_object(report.get("verdict")).get("conformant")
    return TckResults(
        as_string(report.get("tck_version")),
        version if isinstance(version, int) and not isinstance(version, bool) else None,
        " ".join(filter(None, (as_string(info.get(key)) for key in ("name", "version")))),
        conformant if isinstance(conformant, bool) else None,
        [
            TckResult(as_string(each.get("id")), as_string(each.get("status")), _why(each))
            for each in objects(report.get("requirements"))
        ],
    )


#: Of a pytest report: the line with the error, and the reason of a skip.
_ERROR, _SKIPPED = re.compile(r"^E\s+(.*)$", re.MULTILINE), re.compile(r"Skipped: (.*?)['\"]?\)?$", re.DOTALL)
_CAUSED = re.compile(r"^(?:The above exception was|During handling of the above) .*$", re.MULTILINE)
_WORDS = 300  #: characters of a reason that are kept


def _why(requirement: dict[str, Any]) -> str:
    """Why a requirement has its status, in a line; empty if it passed."""
    wanted = requirement.get("status")
    for test in objects(requirement.get("tests")):
        if wanted != "PASS" and test.get("status") == wanted and (text := as_string(test.get("message"))):
            # Of exceptions that caused each other, pytest prints the one that ended the test last.
            text = _CAUSED.split(text)[-1]
            found = _ERROR.search(text) or _SKIPPED.search(text)
            return " ".join((text if found is None else found[1]).split())[:_WORDS]
    return ""


def recognises(files: Sequence[File]) -> bool:
    """One JSON object with the members of such a report."""
    return bool(files) and all(
        all(key in file.data for key in _KEYS) and bool(_report(file)) for file in files
    )


def read(files: Sequence[File]) -> list[Log]:
    """A log for each connection of each test with a transcript."""
    logs: list[Log] = []
    for file in files:
        report, unused = _report(file), []
        seen: dict[str, Log] = {}
        for requirement in objects(report.get("requirements")):
            named = as_string(requirement.get("id"))
            for test in objects(requirement.get("tests")):
                node = as_string(test.get("nodeid"))
                if node in seen:
                    labels = seen[node].labels
                    labels["tck_requirements"] = f"{labels['tck_requirements']} {named}"
                elif isinstance(test.get("transcript"), list):
                    seen[node] = _log(report, test, named)
                else:
                    why = f"has no transcript: {as_string(test.get('status')) or 'no status'}"
                    unused.append(Unused(f"test {node}"[:200], why))
        of_file = [one for log in seen.values() for one in connections.split(log)]
        if of_file:
            of_file[0].unused += unused
        logs += of_file
    if not logs:
        raise NotThisFormat("looked for a report of acp-tck with the transcript of a test that failed")
    return logs


def _report(file: File) -> dict[str, Any]:
    report = as_object(jsontext.value_or_none(file.data))
    return report if "tck_version" in report and isinstance(report.get("requirements"), list) else {}


def _log(report: dict[str, Any], test: dict[str, Any], requirement: str) -> Log:
    command = report.get("agent_command")
    argv = tuple(map(str, command)) if isinstance(command, list) else ()
    labels = {
        "tck_version": as_string(report.get("tck_version")),
        "tck_test": as_string(test.get("nodeid")),
        "tck_requirements": requirement,
    }
    log = Log(argv=argv, transport="stdio", labels=labels, verbatim=True)
    lines = list(objects(test.get("transcript")))
    times = [_time(line.get("t")) for line in lines]
    is_timed = bool(times) and None not in times
    last = 0
    for line, t in zip(lines, times, strict=True):
        sender, raw = _SENDERS.get(line.get("dir")), line.get("raw")
        if sender is None or not isinstance(raw, str):
            log.unused.append(
                Unused(f"test {labels['tck_test']}"[:200], "has a line without a direction or a text")
            )
            continue
        last = max(last, (t or 0) - (times[0] or 0))
        text = raw.rstrip("\r\n")
        if (cut := _CUT.search(text)) is not None:
            head = text[: cut.start()]
            log.lacks, text = ("payloads",), _whole_members(head, 3 if _UPDATE.search(head) else 2)
            log.unused.append(Unused(f"test {labels['tck_test']}"[:200], "has a line that acp-tck cut"))
            if _UPDATE.search(head) and '"sessionUpdate"' not in text:
                continue  # without its kind, it would look like the agent's fault
        log.messages.append(Sent(text.encode("utf-8", "replace"), sender, last if is_timed else None))
    log.messages += _said(test.get("stderr"), last if is_timed else None)
    return log


_UPDATE = re.compile(r'"method"\s*:\s*"session/update"')
_CUT = re.compile(r"\.\.\.\[truncated \d+ byte\(s\)\]\.\.\.$")
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|".*|[][{},]', re.DOTALL)


def _whole_members(text: str, depth: int) -> str:
    """The beginning of a message, up to the last whole member of what it holds, and closed there.

    `depth`: how deep the members are: 2 of a result or parameters, 3 of an update, which must keep its kind.
    """
    stack, kept = "", ""
    for token in _TOKENS.finditer(text):
        if token[0] in "{[":
            stack += "}" if token[0] == "{" else "]"
            kept = text[: token.end()] + stack[::-1] if len(stack) <= depth else kept
        elif token[0] in "}]":
            stack = stack[:-1]
            kept = text[: token.end()] + stack[::-1] if len(stack) <= depth else kept
        elif token[0] == "," and len(stack) <= depth:
            kept = text[: token.start()] + stack[::-1]
    return kept


def _said(stderr: object, t: int | None) -> Iterator[Said]:
    for line in as_string(stderr).splitlines():
        yield Said(line.encode("utf-8", "replace"), t)


def _time(value: object) -> int | None:
    """Nanoseconds of a time; None if it is not one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < _LONGEST_S:
        return None
    return int(value * _SECOND)
