"""Small content blocks of each kind, for prompts that test how an agent handles them. Data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: One transparent pixel.
_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
#: A wave file of eight silent samples.
_WAV = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA=="
_URI = "file:///acp-trace/note.txt"

#: By the script's word for each.
SAMPLES: Mapping[str, dict[str, Any]] = {
    "image": {"type": "image", "mimeType": "image/png", "data": _PNG},
    "audio": {"type": "audio", "mimeType": "audio/wav", "data": _WAV},
    "resource": {
        "type": "resource",
        "resource": {"uri": _URI, "mimeType": "text/plain", "text": "A note from acp-trace."},
    },
    "link": {"type": "resource_link", "uri": _URI, "name": "note.txt", "mimeType": "text/plain"},
}
