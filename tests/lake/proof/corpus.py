"""A team's traces of a year, made from real ones: `python -m tests.lake.proof.corpus DIR COUNT`.

The same for one seed, whatever the number of processes. Each has an id, a time, an agent, sessions and words
of its own, so that files compress as those of different sessions do. Some are damaged, as files get; a few
are giants. What is no trace at all stands apart: `load` and `lake build` have to refuse it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from tests.bench import traffic
from tests.support import REPOSITORY, SAMPLES

_SOURCES = (*SAMPLES, *sorted((REPOSITORY / "tests" / "formats" / "data").glob("*/recorded*.jsonl")))
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_AGENTS = (
    "opencode",
    "gemini-cli",
    "Kimi Code",
    "codex-acp",
    "fast-agent",
    "goose",
    "claude-code-acp",
    "Junie",
)
#: Large recordings are rare, as they are in a team; so many times rarer than the others.
_LARGE_BYTES, _RARER = 100_000, 50
#: One in so many, of each kind.
_UNDATED, _TORN, _SPOILT, _GIANT, _REFUSED = 400, 100, 100, 5_000, 500
_GIANT_FRAMES = 40_000

_SESSION = re.compile(rb'"sessionId":"([^"\\]+)"')
_WORDS = re.compile(rb'(?<="text":")[^"\\]{12,}(?=")')
_TIME = re.compile(rb'^\{"t":(\d+)', re.MULTILINE)
_NAME = re.compile(rb'("agentInfo":\{(?:[^{}]*,)?"name":")[^"\\]*')
_VERSION = re.compile(rb'("agentInfo":\{(?:[^{}]*,)?"version":")[^"\\]*')


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files of a corpus, in the order of their numbers."""

    traces: list[Path]  #: can be loaded; some are damaged
    refused: list[Path]  #: a newer format, and files that are no trace

    @property
    def bytes(self) -> int:
        """Of all traces."""
        return sum(path.stat().st_size for path in self.traces)


def make(
    directory: Path,
    count: int,
    *,
    seed: int = 0,
    first: int = 0,
    days: int = 365,
    giant_frames: int = _GIANT_FRAMES,
    sources: Sequence[Path] = (),
    processes: int | None = None,
) -> Corpus:
    """Writes traces with the numbers `first` to before `first + count` into a directory, each to a file `ID.jsonl`.

    `sources`: more recordings to make them from. `giant_frames`: in each giant; 0 for none.
    """
    directory.mkdir(parents=True, exist_ok=True)
    made_from = (*_SOURCES, *sources)
    step = -(-count // 64)
    parts = [
        (directory, range(at, min(at + step, first + count)), seed, days, giant_frames, made_from)
        for at in range(first, first + count, step)
    ]
    if processes == 1:
        made = [one for part in map(_part, parts) for one in part]
    else:
        with ProcessPoolExecutor(processes) as pool:
            made = [one for part in pool.map(_part, parts) for one in part]
    return Corpus(
        [path for path, is_trace in made if is_trace], [path for path, is_trace in made if not is_trace]
    )


def _part(what: tuple[Path, range, int, int, int, Sequence[Path]]) -> list[tuple[Path, bool]]:
    directory, numbers, seed, days, giant_frames, sources = what
    return [_file(directory, number, seed, days, giant_frames, sources) for number in numbers]


def _file(
    directory: Path, number: int, seed: int, days: int, giant_frames: int, sources: Sequence[Path]
) -> tuple[Path, bool]:
    """Writes one file; whether it is a trace."""
    chance = random.Random(f"{seed}/{number}")
    began = _FIRST + timedelta(
        seconds=chance.randrange(days * 86_400), microseconds=chance.randrange(1_000_000)
    )
    is_undated = number % _UNDATED == _UNDATED - 1
    id_ = f"imported-{number:012x}" if is_undated else f"{began:%Y%m%dT%H%M%SZ}-{number:06x}"
    path = directory / f"{id_}.jsonl"
    if number % _REFUSED == _REFUSED - 1:
        is_newer = chance.random() < 0.5
        newer = json.dumps({"acp_trace": 99, "id": id_}).encode()
        path.write_bytes(newer + b"\n" if is_newer else chance.randbytes(400))
        return path, False
    head, lines = (
        _giant(giant_frames) if giant_frames and number % _GIANT == _GIANT // 2 else _source(sources, chance)
    )
    header = {**json.loads(head), "id": id_}
    header.pop("started_at", None)
    if not is_undated:
        header["started_at"] = began.isoformat(timespec="microseconds").replace("+00:00", "Z")
    body = _damaged(_varied(lines, number, chance), number, chance)
    path.write_bytes(json.dumps(header, separators=(",", ":")).encode() + b"\n" + body)
    return path, True


def _source(sources: Sequence[Path], chance: random.Random) -> tuple[bytes, bytes]:
    weights, parts = _read(tuple(sources))
    return chance.choices(parts, weights)[0]


@cache
def _read(sources: tuple[Path, ...]) -> tuple[list[float], list[tuple[bytes, bytes]]]:
    """How often each is taken, and its header and its other lines."""
    texts = [path.read_bytes() for path in sources]
    parts = [text.partition(b"\n") for text in texts]
    return [1 / _RARER if len(text) > _LARGE_BYTES else 1 for text in texts], [(a, b) for a, _, b in parts]


@cache
def _vocabulary() -> list[bytes]:
    """The words of the recordings of the repository, as often as they are there."""
    texts = (found for path in _SOURCES for found in _WORDS.findall(path.read_bytes()))
    return [word for text in texts for word in text.split() if len(word) < 30]


@cache
def _giant(frames: int) -> tuple[bytes, bytes]:
    """A long session: its header and its other lines."""
    lines = [
        b'{"t":%d,"from":"%b","frame":%b}\n' % (number * 21_000, sender.encode(), text)
        for number, (sender, text) in enumerate(itertools.islice(traffic.frames(), frames), 1)
    ]
    return b'{"acp_trace":1,"agent":{"argv":["bench"],"cwd":"/w"}}', b"".join(lines)


def _varied(lines: bytes, number: int, chance: random.Random) -> bytes:
    """With another agent, other sessions, other words, and at another pace."""
    agent = chance.randrange(len(_AGENTS))
    version = f"{agent}.{chance.randrange(12)}.0".encode()
    lines = _NAME.sub(lambda found: found[1] + _AGENTS[agent].encode(), lines, count=1)
    lines = _VERSION.sub(lambda found: found[1] + version, lines, count=1)
    for session in sorted(set(_SESSION.findall(lines))):
        lines = lines.replace(b'"%b"' % session, b'"%b%06x%b"' % (session[:4], number, session[10:]))
    vocabulary, pace = _vocabulary(), chance.uniform(0.5, 2)

    def words(found: re.Match[bytes]) -> bytes:
        return b" ".join(chance.choices(vocabulary, k=max(len(found[0]) // 7, 1)))

    lines = _WORDS.sub(words, lines)
    return _TIME.sub(lambda found: b'{"t":%d' % (int(found[1]) * pace), lines)


def _damaged(lines: bytes, number: int, chance: random.Random) -> bytes:
    """As it is, or torn in its last line, or with lines in it that cannot be read."""
    if number % _TORN == 1:
        return lines[: -chance.randrange(2, 60)]
    if number % _SPOILT == 2:
        at = lines.index(b"\n", len(lines) // 2) + 1
        return lines[:at] + b'not JSON\n{}\n{"t":"soon","from":"nobody"}\n' + lines[at:]
    return lines


def _main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("directory", metavar="DIR", type=Path)
    parser.add_argument("count", metavar="COUNT", type=int)
    parser.add_argument("--seed", metavar="N", type=int, default=0)
    parser.add_argument("--days", metavar="N", type=int, default=365)
    parser.add_argument("--sources", metavar="DIR", type=Path, help="make some from the *.jsonl there")
    asked = parser.parse_args()
    sources = sorted(asked.sources.glob("*.jsonl")) if asked.sources else ()
    made = make(asked.directory, asked.count, seed=asked.seed, days=asked.days, sources=sources)
    print(f"{len(made.traces)} traces, {made.bytes / 1e6:.1f} MB; {len(made.refused)} files to be refused")


if __name__ == "__main__":
    _main()
