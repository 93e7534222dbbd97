"""A comparison or a replay in a notebook: its verdict, and each cause with both sides of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acp_trace.compare.causes import Cause, causes, repeats
from acp_trace.compare.result import Comparison
from acp_trace.report.notebook import markup
from acp_trace.report.statements import comparisons
from acp_trace.trace.counts import counted

_MOST = 20  #: rows of a table
_HEADS = ("", "code", "what differs", "expected", "actual", "frames")


def comparison(of: Comparison, expected: str, actual: str) -> str:
    """The HTML of two traces that were compared."""
    if not of.counts.compared:
        verdict = markup.strong("nothing was compared", "warning")
    else:
        verdict = markup.strong(comparisons.verdict(of), "note" if of.equal else "error")
    names = f"expected {expected}", f"actual {actual}"
    return markup.report(markup.line(verdict, of.match), markup.line(*names), divergences(of))


def replay(of: Comparison, name: str, verdict: str, notes: Sequence[str], *, passed: bool) -> str:
    """The HTML of a replay. `notes`: what else there is to say of the run, a few words each."""
    head = markup.strong(verdict, "note" if passed else "error")
    return markup.report(markup.line(head, name), markup.line(*notes), divergences(of))


def divergences(of: Comparison) -> markup.Markup:
    """What differs, by causes, then the notes; and how much was compared."""
    rows = [*_rows(causes(of.failing), "error"), *_rows(repeats(of.notes), "note")]
    parts = [markup.table(_HEADS, rows[:_MOST])] if rows else []
    if len(rows) > _MOST:
        parts.append(markup.line(markup.faint(f"… and {len(rows) - _MOST} more")))
    parts += [
        markup.line(markup.strong(f"nothing to hide for mask {mask.mask}", "warning")) for mask in of.idle
    ]
    parts.append(markup.line(markup.faint(comparisons.counts(of.counts))))
    return markup.Markup("".join(parts))


def _rows(found: list[Cause], severity: str) -> Iterator[list[object]]:
    for cause in found:
        first = cause.first
        more = [f"×{cause.count}"] if cause.count > 1 else []
        more += [counted(len(cause.consequences), "consequence")] if cause.consequences else []
        what = f"{first.message} ({', '.join(more)})" if more else first.message
        events = (("", first.expected_event), ("→ ", first.got_event))
        frames = " ".join(f"{sign}#{event.frame}" for sign, event in events if event is not None)
        values = (first.expected or "", first.got or "")
        about = markup.strong(severity, severity), markup.unbroken(first.code)
        yield [*about, what, *values, markup.unbroken(frames)]
