"""What an agent that died wrote to stderr at last: its error first, then the lines around it.

The last line of a crash is seldom the useful one: Node ends with its version, Rust with a hint.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.text import Text

from acp_trace.report.statements.stderr import readable
from acp_trace.report.text import styles
from acp_trace.report.text.columns import wrap
from acp_trace.report.text.logs import LAST

#: `TypeError: x`, `Error [ERR_X]: y`, `some.module.SomeException: z`; what else looks like the cause.
_EXCEPTION = re.compile(r"^(?:Uncaught )?[\w.$:]*(?:Error|Exception)(?: \[\w+\])?: ")
_TROUBLE = re.compile(r"\bpanick?|\bfatal\b|\berror\b|\bcannot\b|\bfailed\b|not found", re.IGNORECASE)


def last_output(lines: Sequence[str], count: int, width: int) -> Text:
    """The error in a line of its own, and the last lines with it marked. `count`: of all lines."""
    shown = [readable(line) for line in lines[-LAST:]]
    at = _error(shown)
    text = Text(no_wrap=True, end="")
    if at is not None:
        text.append(" the agent's error: ").append_text(_wrapped(shown[at].strip(), width))
        text.append("\n")
    if len(shown) > (at is not None):
        heading = "all it wrote" if count <= len(shown) else f"its last {len(shown)} lines"
        text.append(f" stderr, {heading}:\n", styles.FAINT)
        for place, line in enumerate(shown):
            mark, style = ("▶", styles.ERROR) if place == at else ("│", styles.FAINT)
            first, *more = wrap(Text(line), max(width - 3, 20), 2)
            text.append(f" {mark}", style).append(" " * bool(line)).append_text(first).append("\n")
            for rest in more:
                text.append(" │", styles.FAINT).append("   ").append_text(rest).append("\n")
    return text


def _wrapped(line: str, width: int) -> Text:
    """The error, which goes on below itself."""
    return Text("\n   ").join(wrap(Text(line), max(width - 20, 20), 2))


def _error(lines: Sequence[str]) -> int | None:
    """Which of the lines says what was wrong; None if none looks so."""
    for pattern, places in (
        (_EXCEPTION, range(len(lines) - 1, -1, -1)),
        (_TROUBLE, range(len(lines))),
    ):
        for place in places:
            if pattern.search(lines[place]):
                return place
    return None
