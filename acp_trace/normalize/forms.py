"""What has a form of its own in a text, and may differ between two runs: ids, moments, figures.

`diff` and the matcher of model calls use the same forms: a text that is equal to one of them is equal to the
other. `tests/normalize/test_forms.py` has a row for each form. Names known from the trace, such as
directories and session ids, are handled elsewhere.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from acp_trace.normalize import figures, ids, times

#: What `ls -la` says of a directory itself and of the one around it: size, owner and date of `.` and `..`
#: belong to the place and the time of a run. An escaped end of a line ends it, too.
_LISTED = re.compile(
    r"(?:(?<![\w.])|(?<=\\[nrt]))d(?:[r-][w-][xsS-]){2}[r-][w-][xtT-][.+@]?(?: +[^\s\\]+){4} +[^\n\\]{5,24}"
    r" \.{1,2}(?=\\+n|[\s\"']|$)"
)
_DIGIT = re.compile(r"\d")
_HYPHENS = 4  #: of a uuid, the only form that may do without a digit


class Found(NamedTuple):
    """What was masked, in its order."""

    ids: list[str]
    moments: list[str]


def without_ids(text: str, found: Found) -> str:
    """A text without what looks like an id: `in ses_0a1b2c3d4e` is `in ‹id›`."""
    return ids.mask(text, found.ids) if _may_have_any(text) else text


def neutral(text: str, found: Found) -> str:
    """A text without any such form: `took 3.1s on May 2` is `took ‹duration› on ‹time›`."""
    if not _may_have_any(text):
        return text  # most texts: to look for each form at each character would take ten times as long
    if " ." in text:
        text = _LISTED.sub("‹listed›", text)
    return figures.mask(times.mask(ids.mask(text, found.ids), found.moments))


def _may_have_any(text: str) -> bool:
    return _DIGIT.search(text) is not None or text.count("-") >= _HYPHENS
