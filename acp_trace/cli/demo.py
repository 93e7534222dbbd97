"""`acp-trace demo`."""

from __future__ import annotations

import subprocess
import textwrap
from typing import TYPE_CHECKING

from acp_trace.cli import common
from acp_trace.cli.errors import DIED, fail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from acp_trace.analyze.facts import Facts
    from acp_trace.analyze.listing import Listing
    from acp_trace.trace.entries import Entry


#: The finding that the demo makes on purpose.
_DELIBERATE = "capability-missing"
_LONGEST_S = 30  #: it takes one or two
_AGENT = "acp_trace.demo.agent"
_BROKEN = "--stubborn"  #: what makes the agent a build that does not obey a cancel


def demo(json: common.Json = False) -> None:
    """Record a built-in client and agent, show the trace, replay it.

    You need no agent. Client and agent are real processes, with the real recorder between them. The client is
    then replayed against the same build, which passes, and against a broken build, which fails. The traces
    are stored like any others. With --json, prints only the recording's report.
    """
    row = _record()
    with common.opened(row.id) as source:
        trace_facts = source.facts()
        if json:
            from acp_trace.report.json.report import document

            common.print_json(document(trace_facts))
            return
        entries = list(source.entries())
        from acp_trace.report.text.show import Page, show

        console = common.console()
        _step(
            console,
            1,
            "Record a client and its agent",
            f"acp-trace record -- python -m {_AGENT}",
            _deliberate(trace_facts),
        )
        _step(console, 2, "Show what happened", "acp-trace show", "")
        show(console, Page(trace_facts, source.damage(), live=False, width=console.width, all_=False))
    runs = _replay(console, entries)
    from acp_trace.report.text.columns import Cell, Column, table

    ids = " ".join(trace_id[-6:] for trace_id in (row.id, *runs))
    console.print("\n Look further", style="bold underline")
    rows = [
        [[Cell(command)], [Cell(what)]]
        for command, what in (
            ("acp-trace frames", "the frames themselves"),
            ("acp-trace query --schema", "the tables for SQL"),
            ("acp-trace doctor", "the command to put in front of your agent"),
            (f"acp-trace rm {ids}", "removes the recording and both runs"),
        )
    ]
    columns = Column(), Column(flexible=True, wraps=True)
    console.print(table(columns, rows, console.width), end="", soft_wrap=True)


def _step(console: Console, number: int, title: str, command: str, text: str) -> None:
    """The heading of a step: what it is, what to know of it, how one types it."""
    lines = textwrap.wrap(text, max(console.width - 6, 20), break_on_hyphens=False)
    console.print("\n" * (number > 2) + f" {number}  {title}", style="bold", highlight=False)
    for line in [*lines, f"$ {command}"]:
        console.print(f"    {line}", highlight=False, soft_wrap=True)
    console.print()


def _deliberate(trace_facts: Facts) -> str:
    """What was recorded, and why the report begins with an error."""
    frame = next((f" #{one.frame}" for one in trace_facts.findings if one.code == _DELIBERATE), "")
    return (
        "This is a demonstration: a scripted client talks to a scripted agent. The recording's "
        f"error{frame} ({_DELIBERATE}) is deliberate: the client asks for session/list, which the agent "
        "does not have, to show what a finding looks like."
    )


def _replay(console: Console, entries: Sequence[Entry]) -> list[str]:
    """Replays the client against both builds, side by side, and tells; the ids of the runs."""
    from acp_trace.cli.playable import Playable
    from acp_trace.cli.playing import play_all
    from acp_trace.replay.drive.replay_and_compare import ComparedRun
    from acp_trace.replay.settings import Settings
    from acp_trace.report.ci.places import Place
    from acp_trace.report.statements.replays import Replayed
    from acp_trace.report.text.replays import report
    from acp_trace.trace import own_python

    steps = (
        (
            3,
            "Replay the client against the same build",
            "",
            "It does what was recorded, so the replay passes.",
        ),
        (
            4,
            "Replay it against a broken build",
            f" {_BROKEN}",
            "On purpose, this build does not obey a cancel. The replay fails, with exit code 1.",
        ),
    )
    runs: list[str] = []

    def take(_: Playable, __: ComparedRun, replayed: Replayed) -> None:
        number, title, option, text = steps[len(runs)]
        runs.append(replayed.live_id)
        _step(console, number, title, f"acp-trace replay last -- python -m {_AGENT}{option}", text)
        places = [Place("last"), Place(replayed.live_id)]
        replay_report = report(replayed, places, console.width, all_=False, cut=console.is_terminal)
        console.print(replay_report, end="", soft_wrap=True)

    agent = tuple(own_python.module(_AGENT))
    both = [Playable("last", None, entries, Settings(), argv) for argv in (agent, (*agent, _BROKEN))]
    play_all(both, take, jobs=len(both))
    return runs


def _record() -> Listing:
    """Runs the two processes; the trace that came of it, found by a label of its own."""
    from acp_trace.store.listings import listings
    from acp_trace.trace import own_python
    from acp_trace.trace.names import new_id

    home = common.home()
    home.make()
    token = new_id()
    recorder = own_python.module("acp_trace", "record", "--no-load", "--label", f"demo={token}", "--")
    client = own_python.module("acp_trace.demo.client", "--", *recorder, *own_python.module(_AGENT))
    try:
        done = subprocess.run(
            client,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        fail(f"the demo did not end within {_LONGEST_S} s", DIED)
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        fail(f"the demo ended with {done.returncode}: {last}", DIED)
    common.swept(home)
    rows = [row for row in listings(home) if row.labels.get("demo") == token]
    if not rows:
        fail("the demo's trace is not in the store: see `acp-trace doctor`", DIED)
    return rows[0]
