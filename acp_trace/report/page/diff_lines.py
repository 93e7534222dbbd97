"""A text before and after -> the lines of a diff that a page shows, with a little of what stays. Pure."""

from __future__ import annotations

from acp_trace.model.text_diff import blocks
from acp_trace.report.page.documents import DiffHunk, FileDiff

#: Lines shown around those that differ.
_AROUND = 3


def diff(path: str, before: str | None, after: str) -> FileDiff:
    """The diff of a file."""
    was, now = _lines(before or ""), _lines(after)
    differing = blocks(was, now)
    return {
        "path": path,
        "is_new": before is None,
        "added": sum(block[3] - block[2] for block in differing),
        "removed": sum(block[1] - block[0] for block in differing),
        "hunks": [_hunk(was, now, near) for near in _near(differing)],
    }


_Block = tuple[int, int, int, int]


def _near(differing: list[_Block]) -> list[list[_Block]]:
    """Those that share lines around them are one hunk."""
    groups: list[list[_Block]] = []
    for block in differing:
        if groups and block[0] - groups[-1][-1][1] <= 2 * _AROUND:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _hunk(was: list[str], now: list[str], near: list[_Block]) -> DiffHunk:
    start, last = near[0], near[-1]
    around = min(_AROUND, start[0])
    end = min(len(was), last[1] + _AROUND)
    lines, at = [], start[0] - around
    for begin, stop, actual_begin, actual_stop in near:
        lines += [f" {line}" for line in was[at:begin]]
        lines += [f"-{line}" for line in was[begin:stop]]
        lines += [f"+{line}" for line in now[actual_begin:actual_stop]]
        at = stop
    lines += [f" {line}" for line in was[at:end]]
    return {
        "before": start[0] - around + 1 if was else 0,
        "after": start[2] - around + 1 if now else 0,
        "lines": lines,
    }


def _lines(text: str) -> list[str]:
    """The lines, without an empty one after the last newline."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines
