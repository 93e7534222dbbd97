"""Traces in which messages come in arrays, made of traces in which they do not."""

from __future__ import annotations

import msgspec

_line = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def in_arrays(file: bytes, most: int = 5) -> bytes:
    """The same trace, with up to `most` messages of a side in one array, if nothing stands between them."""
    lines: list[tuple[dict[str, msgspec.Raw], list[bytes]]] = []
    for text in file.splitlines():
        line = _line(text)
        message = bytes(line.get("frame", b""))
        is_message = message[:1] == b"{"
        before, packed = lines[-1] if lines else ({}, [])
        if is_message and packed and before["from"] == line["from"] and len(packed) < most:
            packed.append(message)
        else:
            lines.append((line, [message] if is_message else []))
    for line, packed in lines:
        if len(packed) > 1:
            line["frame"] = msgspec.Raw(b"[" + b",".join(packed) + b"]")
    return b"".join(msgspec.json.encode(line) + b"\n" for line, _ in lines)
