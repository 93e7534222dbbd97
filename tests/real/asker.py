"""Asks a model at OPENAI_BASE_URL: its list, an answer in one piece, and two in a stream. Imports nothing of ours."""

from __future__ import annotations

import json
import os
import urllib.request

_KEY = "Bearer sk-made-up-0123456789abcdef"
_READ = {
    "type": "function",
    "function": {
        "name": "read",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
    },
}


def main() -> None:
    """Four requests, one after the other."""
    _ask("/models", None)
    for text, streams in (("Hello", False), ("READ notes.txt", True), ("Once more", True)):
        messages = [{"role": "user", "content": text}]
        _ask(
            "/chat/completions",
            {"model": "standin-model", "messages": messages, "tools": [_READ], "stream": streams},
        )


def _ask(path: str, asked: object) -> None:
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + path,
        data=None if asked is None else json.dumps(asked).encode(),
        headers={"Authorization": _KEY, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        answer.read()


if __name__ == "__main__":
    main()
