"""Where an agent's program is installed: a prompt may name that, and a run's may be elsewhere.

It is read from the two command lines. Nothing here looks at files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acp_trace.normalize import windows


def moved_programs(recorded: Sequence[str], actual: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the recorded and the actual directory of each program in both command lines, if these differ.

    `/a/node_modules/.bin/agent` and `env /b/c/node_modules/.bin/agent` are `("/a", "/b/c")`: the rest is the
    same.
    """
    now_by_name = {names[-1]: word for word in reversed(actual) if (names := _names(word))}
    for word in recorded:
        then = _names(word)
        other = now_by_name.get(then[-1]) if then else None
        if other is not None and other != word:
            now = _names(other)
            while then and now and then[-1] == now[-1]:
                del then[-1], now[-1]
            if len(then) > 1 and len(now) > 1:
                yield _joined(word, then), _joined(other, now)


def _names(word: str) -> list[str]:
    """Return the names of an absolute path, with that of its root; empty for another word."""
    path = windows.read(word)
    if path is not None:
        return [path.root, *path.names] if path.names else []
    return word.split("/") if word.startswith("/") and not word.endswith("/") else []


def _joined(word: str, names: list[str]) -> str:
    is_drive = windows.read(word) is not None and "\\" in word
    return "/".join(names).replace("/", "\\") if is_drive else "/".join(names)
