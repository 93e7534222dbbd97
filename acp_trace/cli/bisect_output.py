"""What `bisect` prints at its end: a report or a document, and its exit code."""

from __future__ import annotations

import sys

from acp_trace.builds.bisection import Bisection, document
from acp_trace.cli import common
from acp_trace.cli.bisect_run import SearchRequest
from acp_trace.cli.errors import DIED, USAGE, unread
from acp_trace.report.safe import safe

_CODES = {"found": 0, "hidden": 0, "wrong-range": USAGE, "none-ran": DIED, "unfinished": DIED}


def tell(done: Bisection, asked: SearchRequest, *, json: bool) -> int:
    """Print the result. Return the exit code."""
    from acp_trace.report.text import bisection

    block = bisection.for_issue(done, sys.argv[1:]) if done.is_over else ""
    with unread():
        if json:
            common.print_json(document(done, block))
        elif done.is_over:
            console = common.console()
            console.print(bisection.report(done, asked.times, console.width), end="", soft_wrap=True)
            console.print(f"\n{block}", end="", soft_wrap=True)
    if not done.is_over:
        label = "wrong range: " if done.outcome == "wrong-range" else ""
        common.note(f"{label}{safe(done.problem)}")
    return _CODES[done.outcome]
