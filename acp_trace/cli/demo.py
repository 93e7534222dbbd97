"""`acp-trace demo`."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

from acp_trace.cli import common
from acp_trace.cli.errors import DIED, fail

if TYPE_CHECKING:
    from acp_trace.analyze.facts import Facts
    from acp_trace.analyze.listing import Listing


#: The finding that the demo makes on purpose.
_DELIBERATE = "capability-missing"
_LONGEST_S = 30  #: it takes one or two


def demo(json: common.Json = False) -> None:
    """Record a built-in client and agent, and show the trace.

    You need no agent. Both are real processes, with the real recorder between them. The trace is stored like
    any other.
    """
    row = _record()
    with common.opened(row.id) as source:
        trace_facts = source.facts()
        if json:
            from acp_trace.report.json.report import document

            common.print_json(document(trace_facts))
            return
        from acp_trace.report.text.show import Page, show

        console = common.console()
        console.print(_deliberate(trace_facts, console.width))
        show(console, Page(trace_facts, source.damage(), live=False, width=console.width, all_=False))
    console.print("\n Look further", style="bold underline")
    for command, what in (
        ("acp-trace frames", "the frames themselves"),
        ("acp-trace query --schema", "the tables for SQL"),
        ("acp-trace where", "the command to put in front of your agent"),
        (f"acp-trace rm {row.id[-6:]}", "removes this trace again"),
    ):
        console.print(f" {command:<26}{what}")


def _deliberate(trace_facts: Facts, width: int) -> str:
    """Why the report below begins with an error."""
    frame = next((f" #{one.frame}" for one in trace_facts.findings if one.code == _DELIBERATE), "")
    note = (
        f"This is a demonstration. Its error{frame} ({_DELIBERATE}) is deliberate: the client asks for "
        "session/list, which the agent does not have, to show what a finding looks like."
    )
    lines = textwrap.wrap(note, max(width - 2, 20), break_on_hyphens=False)
    return "".join(f" {line}\n" for line in lines)


def _record() -> Listing:
    """Runs the two processes; the trace that came of it, found by a label of its own."""
    from acp_trace.store.listings import listings
    from acp_trace.trace.names import new_id

    home = common.home()
    home.make()
    token = new_id()
    python = [sys.executable, "-EP", "-m"]
    recorder = [*python, "acp_trace", "record", "--no-load", "--label", f"demo={token}", "--"]
    agent = [*python, "acp_trace.demo.agent"]
    client = [*python, "acp_trace.demo.client", "--", *recorder, *agent]
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
        fail("the demo's trace is not in the store: see `acp-trace where`", DIED)
    return rows[0]
