"""Pages of more than one trace, made as users make them: of a diff, a check and a replay; and the list of all."""

from __future__ import annotations

from pathlib import Path

from tests.commands import Commands
from tests.support import ACP_TRACE

#: What such a page can be of.
KINDS = ("diff", "check", "replay")


def page_of(kind: str, commands: Commands, folder: Path, expected: bytes, actual: bytes) -> Path:
    """The file of a page, which has something to tell: two traces that differ, or that break a budget."""
    folder.mkdir(exist_ok=True)
    paths = folder / "<img src=x onerror=window.broken=1>.jsonl", folder / "actual.jsonl"
    for path, data in zip(paths, (expected, actual), strict=True):
        path.write_bytes(data)
    page = folder / f"{kind}.html"
    words: dict[str, list[str | Path]] = {
        "diff": [*paths],
        "check": [*paths, "--fail-on", "warning", "--budget", "turn.duration max < 1ns"],
        "replay": [paths[0]],
    }
    agent: list[str | Path] = ["--", *ACP_TRACE, "mock", paths[1], "--quiet"] if kind == "replay" else []
    assert commands(kind, *words[kind], "--html", page, *agent).code == 1
    return page


def fill_spool(commands: Commands, traces: dict[str, bytes]) -> None:
    """Traces, by their ids, where the list of all finds them."""
    commands.home.spool.mkdir(parents=True, exist_ok=True)
    for id_, data in traces.items():
        new = commands.home.spool / f"{id_}.new"
        new.write_bytes(data)
        new.rename(commands.home.spool / f"{id_}.jsonl")
