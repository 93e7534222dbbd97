"""Recognisable forms in a text that may differ between two runs: ids, moments, figures.

`diff` and the matcher of model calls use the same forms: texts that are equal for one of them are equal for
the other. `tests/normalize/test_forms.py` has a row for each form. Names known from the trace, such as
directories and session ids, are handled elsewhere.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from acp_trace.normalize import figures, ids, times

#: The lines of `ls -la` for a directory itself and the one around it: size, owner and date of `.` and `..`
#: belong to the place and the time of a run. An escaped end of a line ends them too.
_LISTED = re.compile(
    r"(?:(?<![\w.])|(?<=\\[nrt]))d(?:[r-][w-][xsS-]){2}[r-][w-][xtT-][.+@]?(?: +[^\s\\]+){4} +[^\n\\]{5,24}"
    r" \.{1,2}(?=\\+n|[\s\"']|$)"
)
_DIGIT = re.compile(r"\d")
_HYPHENS = 4  #: of a uuid, the only form that may lack digits


class Found(NamedTuple):
    """The masked texts, in their order."""

    ids: list[str]
    moments: list[str]


def without_ids(text: str, found: Found) -> str:
    """Return a text without words that look like ids: `in ses_0a1b2c3d4e` is `in ‹id›`."""
    return ids.mask(text, found.ids) if _may_have_any(text) else text


def neutral(text: str, found: Found) -> str:
    """Return a text without any such form: `took 3.1s on May 2` is `took ‹duration› on ‹time›`."""
    if not _may_have_any(text):
        return text  # most texts: looking for each form at each character would take ten times as long
    if " ." in text:
        text = _LISTED.sub("‹listed›", text)
    return figures.mask(times.mask(ids.mask(text, found.ids), found.moments))


def _may_have_any(text: str) -> bool:
    return _DIGIT.search(text) is not None or text.count("-") >= _HYPHENS
