"""Small traces of what the real ones lack: each scenario is a conversation, one frame a line."""

from __future__ import annotations

from typing import Any

from tests.reading import (
    scenarios_cancel,
    scenarios_config,
    scenarios_draft,
    scenarios_metadata,
    scenarios_wire,
)
from tests.support import trace

_ALL: dict[str, list[tuple[str, Any]]] = {
    **scenarios_metadata.SCENARIOS,
    **scenarios_config.SCENARIOS,
    **scenarios_cancel.SCENARIOS,
    **scenarios_draft.SCENARIOS,
    **scenarios_wire.SCENARIOS,
}
#: Name → a trace file. Those that are still going on have no footer.
SCENARIOS: dict[str, bytes] = {name: trace(*frames, end="open" not in name) for name, frames in _ALL.items()}
METADATA = [name for name in SCENARIOS if name in scenarios_metadata.SCENARIOS]
