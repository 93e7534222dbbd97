"""Small traces of what the real ones lack: each scene is a conversation, one frame a line."""

from __future__ import annotations

from typing import Any

from tests.reading import scenes_cancel, scenes_config, scenes_draft, scenes_metadata, scenes_wire
from tests.support import trace

_ALL: dict[str, list[tuple[str, Any]]] = {
    **scenes_metadata.SCENES,
    **scenes_config.SCENES,
    **scenes_cancel.SCENES,
    **scenes_draft.SCENES,
    **scenes_wire.SCENES,
}
#: Name → a trace file. Those that are still going on have no footer.
SCENES: dict[str, bytes] = {name: trace(*frames, end="open" not in name) for name, frames in _ALL.items()}
METADATA = [name for name in SCENES if name in scenes_metadata.SCENES]
