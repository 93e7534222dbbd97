"""Content blocks: what of them a person reads (docs/protocol/content)."""

from __future__ import annotations


def text_of(block: object) -> str | None:
    """The text of one content block; of another kind, its kind in brackets."""
    if not isinstance(block, dict):
        return None
    text = block.get("text")
    if isinstance(text, str):
        return text
    kind = block.get("type")
    return f"[{kind}]" if isinstance(kind, str) else None


def first_text(blocks: object) -> str | None:
    """The text of the first block that is text; where none is, the kind of the first one."""
    if not isinstance(blocks, list):
        return text_of(blocks)
    texts = [text for block in blocks if (text := text_of(block)) is not None]
    plain = [
        block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)
    ]
    return next(iter(plain or texts), None)
