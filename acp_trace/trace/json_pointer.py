"""JSON Pointers (RFC 6901), text to path and back: the only module that escapes keys."""

from __future__ import annotations

from collections.abc import Sequence


def escaped(key: str) -> str:
    """Return a key as it appears in a pointer: `~0` for `~`, `~1` for `/`."""
    return key.replace("~", "~0").replace("/", "~1")


def written(path: Sequence[str]) -> str:
    """Return a path's pointer as text: `/params/a~1b` of `("params", "a/b")`; empty for the whole value."""
    return "".join(f"/{escaped(key)}" for key in path)


def read(pointer: str) -> tuple[str, ...]:
    """Return the path of a pointer that begins with `/`: the keys as in the value, without escapes."""
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:])
