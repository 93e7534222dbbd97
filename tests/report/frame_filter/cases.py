"""Cases of the filter language, which hold for Python and for the page alike: `cases.json`.

`rows` leave out what they do not have. `trees` and `errors` are texts with what they mean, or what is wrong from where
to where; `wanted` are texts with the places of the rows that they want.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CASES: dict[str, list[Any]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_LISTS = ("side", "method", "kind", "session", "turn", "tool", "id", "error", "finding", "severity", "is")
_EMPTY = dict.fromkeys(("frame", "stream", "t", "took", "after", "size")) | {key: [] for key in _LISTS}
ROWS: list[dict[str, Any]] = [{**_EMPTY, **row} for row in CASES["rows"]]
