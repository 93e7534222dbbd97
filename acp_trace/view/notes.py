"""Marks and comments on frames, kept beside a trace.

`trace.note_files` says where. The file is written whole or not at all, only for its owner, and never through
a link.
"""

from __future__ import annotations

import json
import os
import re
import threading
from pathlib import Path

from acp_trace.trace.note_files import DIRECTORY
from acp_trace.trace.whole_files import put

VERSION = 1
#: The most notes of a trace, and the most characters of a note.
MOST, LONGEST = 2000, 4000
_MOST_BYTES = 16 << 20
_MOST_FRAMES = 10**12


class BadNote(ValueError):
    """It is not a note, or there are too many. The message is one line."""


class Notes:
    """Reads and writes them; one change at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def read(self, path: Path) -> dict[str, str]:
        """Return comments by frame, as text. A file that is not one of ours has none."""
        try:
            with open(
                os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)), "rb"
            ) as stream:
                said = json.loads(stream.read(_MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            return {}
        frames = (
            said.get("frames") if isinstance(said, dict) and said.get("acp_trace_notes") == VERSION else None
        )
        if not isinstance(frames, dict):
            return {}
        return {
            frame: text[:LONGEST]
            for frame, text in list(frames.items())[:MOST]
            if isinstance(text, str) and re.fullmatch("[1-9][0-9]{0,11}", frame)
        }

    def change(self, path: Path, data: bytes) -> dict[str, str]:
        """Take in `{"frame": 13, "text": "…"}`: an empty text removes the note. Returns all notes.

        Raises BadNote and OSError.
        """
        frame, text = _note(data)
        with self._lock:
            notes = self.read(path)
            notes.pop(frame, None)
            if text:
                if len(notes) >= MOST:
                    raise BadNote(f"a trace can have {MOST} notes")
                notes[frame] = text
            ordered = dict(sorted(notes.items(), key=lambda note: int(note[0])))
            document = {"acp_trace_notes": VERSION, "frames": ordered}
            if path.parent.name == DIRECTORY:
                path.parent.mkdir(mode=0o700, exist_ok=True)
            written = json.dumps(document, ensure_ascii=True, indent=1).encode() + b"\n"
            put(path, [written], private=True, special=False)
            return ordered


def _note(data: bytes) -> tuple[str, str]:
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        raise BadNote("not a note") from None
    frame, text = (said.get("frame"), said.get("text")) if isinstance(said, dict) else (None, None)
    if not isinstance(frame, int) or isinstance(frame, bool) or not 0 < frame < _MOST_FRAMES:
        raise BadNote("a note is on a frame")
    if not isinstance(text, str) or len(text) > LONGEST:
        raise BadNote(f"a note is a text of at most {LONGEST} characters")
    return str(frame), text.strip()
