"""Where an agent's program is installed: a prompt may name that, and a run's may be elsewhere.

It is read from the two command lines. Nothing here looks at files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def moved_programs(recorded: Sequence[str], actual: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the recorded and the actual directory of each program in both command lines, if these differ.

    `/a/node_modules/.bin/agent` and `env /b/c/node_modules/.bin/agent` are `("/a", "/b/c")`: the rest is the
    same.
    """
    for word in recorded:
        last = word.rpartition("/")[2]
        other = next((each for each in actual if each.startswith("/") and each.endswith(f"/{last}")), None)
        if word.startswith("/") and last and other is not None and other != word:
            then, now = word.split("/"), other.split("/")
            while then and now and then[-1] == now[-1]:
                del then[-1], now[-1]
            if len(then) > 1 and len(now) > 1:
                yield "/".join(then), "/".join(now)
