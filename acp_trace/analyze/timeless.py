"""Facts of a trace without times: everything measured in ns is absent. `facts` defines these fields.

Logs of other tools may have no times. The analysis treats all their moments as 0, so that its rules need no
second form; this module removes what was measured that way before the facts are shown.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from acp_trace.analyze.facts import ROWS, Facts, Trace

#: Fields that are found by comparing times.
_BY_TIME = ("silence_frame",)
#: The fields of each class of facts that hold ns, or follow from them.
_MEASURED = {
    of: tuple(
        each.name for each in dataclasses.fields(of) if each.name.endswith("_ns") or each.name in _BY_TIME
    )
    for of in (Trace, *ROWS.values())
}


def without_times(made: Facts) -> Facts:
    """Return the same facts, with None in every field whose unit is ns."""
    return made.each(_without)


def _without(row: Any) -> Any:
    names = _MEASURED[type(row)]
    return dataclasses.replace(row, **dict.fromkeys(names)) if names else row
