"""What a recorded run must show: the client noticed nothing, and the trace tells the story right.

Nothing here starts an agent. Every fault is a line of text; no fault: the run was right.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from tests.real.client import Run
from tests.real.scenario import Scenario
from tests.real.told import Told
from tests.support import lines_of

_SESSION = re.compile(r'"sessionId": ?"([^"]+)"')
#: Ids that agents make up for messages and tool calls, by the parts that are new in every run.
_MADE_UP = re.compile(
    r"\bmsg_\w+|(?<=call_)[0-9a-f]{8}\b|_\d{13}_\d+\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.:+Z]*")

#: gemini-cli measures its own start, and says by chance which phases were still open, or could not be measured.
_BY_CHANCE = re.compile(r"^\[STARTUP\] .*\n?", re.MULTILINE)


class Mismatches:
    """The faults that were found so far."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def same(self, what: str, got: object, wanted: object) -> None:
        """Notes a fault where two things differ."""
        if got != wanted:
            one, other = _where_they_part(_text(got), _text(wanted))
            self.faults.append(f"{what}: {one} in place of {other}")

    def unless(self, holds: bool, fault: str) -> None:
        """Notes the fault unless something holds."""
        if not holds:
            self.faults.append(fault)


def noticed(direct: Run, recorded: Run) -> list[str]:
    """What a client noticed of the recorder; `direct` is the same scenario without it."""
    mismatches = Mismatches()
    _same_behaviour(mismatches, direct, recorded)
    return mismatches.faults


def misled(scenario: Scenario, recorded: Run, told: Told) -> list[str]:
    """What the trace of a run, or a report about it, has wrong."""
    mismatches = Mismatches()
    _nothing_lost(mismatches, scenario, recorded, told)
    for what, got, wanted in told.facts(scenario):
        mismatches.same(what, got, wanted)
    return mismatches.faults


def _same_behaviour(mismatches: Mismatches, direct: Run, recorded: Run) -> None:
    """The client did, said and got the same."""
    mismatches.same("the client's exit code", recorded.exit_code, direct.exit_code)
    mismatches.same("the client's stderr", _remarks(recorded), _remarks(direct))
    mismatches.same(
        "the agent's stderr",
        _BY_CHANCE.sub("", _plain(recorded, recorded.agent_stderr)),
        _BY_CHANCE.sub("", _plain(direct, direct.agent_stderr)),
    )
    for sender, ours, theirs in zip(
        ("client", "agent"), _conversation(recorded), _conversation(direct), strict=True
    ):
        mismatches.same(f"how many messages the {sender} sent", len(ours), len(theirs))
        for one, other in zip(ours, theirs, strict=False):
            mismatches.same(f"what the {sender} sent", one, other)
    mismatches.unless(recorded.model_left, "the agent did not hang up on its model")


def _nothing_lost(mismatches: Mismatches, scenario: Scenario, run: Run, told: Told) -> None:
    """Every byte that passed is in the trace, and no byte of our own passed."""
    if scenario.kill_at is None:
        mismatches.same("what the recorder wrote to stdout", run.agent_stdout, told.agent)
    else:  # it may have died between writing down and forwarding
        mismatches.unless(told.agent.startswith(run.agent_stdout), "the client got what the trace has not")
    mismatches.unless(b"acp-trace:" not in run.agent_stderr + run.stderr, "acp-trace spoke on stderr")
    sent, got = _split(run)
    for sender, raw, transcript in (("client", told.client, sent), ("agent", told.agent, got)):
        in_trace = _messages(raw)
        whole = len(in_trace) if scenario.kill_at is None else len(transcript)
        mismatches.same(f"the {sender}'s messages in the trace", in_trace[:whole], transcript)
        listed = [frame.get("message") for frame in told.frames if frame["from"] == sender]
        mismatches.same(f"the {sender}'s messages of `frames`", listed, in_trace)
    numbers = [frame["frame"] for frame in told.frames]
    mismatches.same("frame numbers", numbers, [*range(1, len(numbers) + 1)])
    if run.file is None:
        mismatches.faults.append("no trace was there when the client had its first answer")
        return
    mismatches.same("the file after load and export", told.file, lines_of(run.file))
    again = str(run.folder / "again.jsonl")
    Path(again).write_bytes(told.file)
    other_home = {"ACP_TRACE_HOME": str(run.folder / "again")}
    told.ask("load", again, **other_home)
    mismatches.same(
        "the file after a second load and export", told.ask("export", "last", **other_home), told.file
    )


def _messages(data: bytes) -> list[Any]:
    """The messages of a stream; a line that is none stands for itself."""
    return [_message(line) for line in data.splitlines()]


def _message(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return {"no message": line.decode("utf-8", "backslashreplace")}


def _split(run: Run) -> tuple[list[Any], list[Any]]:
    """The client's transcript by sender: what the agent said is known, the rest is the client's own."""
    said = Counter(_key(message) for message in _messages(run.agent_stdout))
    sent, got = [], []
    for message in _messages(run.stdout):
        key = _key(message)
        if said[key]:
            said[key] -= 1
            got.append(message)
        else:
            sent.append(message)
    return sent, got


def _conversation(run: Run) -> tuple[list[Any], list[Any]]:
    """The same without what differs from run to run with or without a recorder.

    Ids, times and paths; how an agent cuts its text into chunks; and how often it says that a command
    is still running.
    """
    sent, got = (
        _messages("\n".join(_plain(run, _key(one)) for one in side).encode()) for side in _split(run)
    )
    calm: list[Any] = []
    for message in got:
        update = message.get("params", {}).get("update", {})
        kind = update.get("sessionUpdate")
        if kind == "tool_call_update" and update.get("status") == "in_progress":
            continue
        last = calm[-1].get("params", {}).get("update", {}) if calm else {}
        if kind == last.get("sessionUpdate") == "agent_message_chunk":
            last["content"]["text"] += update["content"]["text"]
            continue
        calm.append(message)
    return sent, calm


def printed(run: Run) -> str:
    """What the client printed, without what is new in every run."""
    return _plain(run, run.stdout)


def _remarks(run: Run) -> list[str]:
    """What the client says on stderr, but for the command that it starts: there the two must differ."""
    lines = _plain(run, run.stderr).splitlines()
    return [line for line in lines if not line.startswith("[acpx] spawning agent:")]


def _plain(run: Run, data: bytes | str) -> str:
    """Text with names in place of what is new in every run."""
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    folder = str(run.folder)
    text = text.replace(folder, "<folder>").replace(folder[1:], "<folder>")  # opencode: seen from the root
    for number, session in enumerate(dict.fromkeys(_SESSION.findall(run.stdout.decode())), 1):
        text = text.replace(session, f"<session {number}>")
    return _TIME.sub("<time>", _MADE_UP.sub("<made up>", text))


def _key(message: Any) -> str:
    return json.dumps(message, sort_keys=True)


def _text(value: object) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else repr(value)


def _where_they_part(one: str, other: str, around: int = 60) -> tuple[str, str]:
    """Two texts, or the parts of two long ones in which they begin to differ."""
    if len(one) + len(other) <= 4 * around:
        return one, other
    pairs = zip(one, other, strict=False)
    at = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
    start = max(at - around, 0)
    cut = slice(start, at + around)
    return f"…{one[cut]!r}… (at {at} of {len(one)})", f"…{other[cut]!r}… (of {len(other)})"
