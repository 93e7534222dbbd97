"""kill -9 of the recorder or of its proxy at a random kill point, and a disk that is full: nothing may lie."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from tests.faults import disks
from tests.faults.bound import Bound
from tests.faults.disks import Disk
from tests.faults.model.provider import Provider
from tests.faults.model.staging import Talk, came_through, judged
from tests.faults.stage import Lie, Stage, belonging, kill, must, over, wait_until
from tests.faults.truth import opens
from tests.model.writing import read_trace
from tests.posix import limit_files

#: Asked at once, again and again; the kill comes so long, at most, after the first of them.
_KINDS, _EACH, _LATEST_S = ("stream", "gzip", "limited", "failed", "breaks"), 6, 1.5


def recorder(bound: Bound, folder: Path) -> list[str]:
    """The recorder: its proxy and its agent end, and what the trace has is so."""
    return _kills(bound, folder, "recorder")


def proxy(bound: Bound, folder: Path) -> list[str]:
    """The proxy: the agent gets errors and lives, the trace and stderr say why."""
    return _kills(bound, folder, "proxy")


def _kills(bound: Bound, folder: Path, whom: str) -> list[str]:
    found: Counter[str] = Counter()

    def one(number: int, chance: random.Random) -> None:
        with Stage(folder / str(number)) as stage:
            provider = Provider(stage.folder)
            with provider.serving():
                talk = Talk(stage, provider)
                talk.answered(talk.ask("stream", [0]))
                pid = talk.proxy()
                since = time.monotonic()
                for at, kind in enumerate(_KINDS):
                    talk.ask(kind, range(1 + at * _EACH, 1 + (at + 1) * _EACH))
                wait_until(since + chance.uniform(0, _LATEST_S))
                try:
                    (_recorder_killed if whom == "recorder" else _proxy_killed)(stage, talk, pid)
                    exchanges = read_trace(stage.trace())
                    opens(stage.trace())
                    found.update(judged(exchanges.exchanges.values()))
                except Lie as lie:
                    raise Lie(f"kill point {number}: {lie}") from None
                has_died = any("proxy" in note for _, note in exchanges.notes)
                must(has_died == (whom == "proxy"), f"kill point {number}: the trace says the other thing")
                whole = {ask for ask, said in talk.said.items() if said.get("whole")}
                found["answered"] += len(whole)
                if (
                    whom == "proxy"
                ):  # a recorder reads all that its proxy has recorded, and passed on after that
                    recorded = {each.path for each in exchanges.exchanges.values() if each.received_bytes}
                    lost = [ask for ask in whole if ask.path not in recorded]
                    must(not lost, f"kill point {number}: the agent has what is not in the trace: {lost}")
        shutil.rmtree(stage.folder, ignore_errors=True)

    count = bound.repeat(f"kill {whom} of a model", 0.05, one, most=50)
    return [
        f"{count} kill points",
        f"{found['answered']:,} answers had reached the agent",
        f"{found['whole'] + found['broken']:,} are whole in the traces",
        f"{found['part']:,} in part, and said to be",
        "0 lies",
    ]


def _recorder_killed(stage: Stage, talk: Talk, proxy: int) -> None:
    talk.process.kill()
    talk.process.wait()
    must(over(proxy), "the proxy outlives its recorder")
    left = [pid for pid in belonging(stage.mark) if not over(pid, 10)]
    must(not left, f"left behind: {left}")


def _proxy_killed(stage: Stage, talk: Talk, proxy: int) -> None:
    kill(proxy)
    asks = talk.ask("failed", [1000])
    talk.answered(asks)  # it still hears its client
    must("error" in talk.said[asks[0]], "there is an answer without a proxy")
    must(talk.end() == 0, "the exit code is not the agent's")
    must(talk.stderr.read_bytes().count(b"\n") == 1, f"on stderr: {talk.stderr.read_bytes()!r}")


def limited(bound: Bound, folder: Path) -> list[str]:
    """A limit on the size of files, put on the recorder and taken off again, while the agent asks."""

    def put(stage: Stage, pid: int) -> Disk:
        def disk(room: int | None) -> None:
            limit_files(pid, None if room is None else stage.trace().stat().st_size + room)

        return disk

    return _disk("limit", bound, folder, put, lambda _: nullcontext())


def full(bound: Bound, folder: Path) -> list[str]:
    """A small file system of its own, with the trace and the certificates, filled and emptied while the agent asks."""
    if not disks.mounts(folder):
        return ["skipped: no file system can be mounted here; the file-size limit stands in for it"]
    return _disk(
        "full", bound, folder, lambda stage, _: disks.filling(stage.home.path), contextmanager(disks.mounted)
    )


def _disk(
    name: str,
    bound: Bound,
    folder: Path,
    put: Callable[[Stage, int], Disk],
    around: Callable[[Path], AbstractContextManager[None]],
) -> list[str]:
    found: Counter[str] = Counter()

    def one(number: int, chance: random.Random) -> None:
        with Stage(folder / str(number)) as stage, around(stage.home.path):
            provider = Provider(stage.folder)
            with provider.serving():
                talk = Talk(stage, provider)
                asks = talk.ask("stream", [1000])
                talk.answered(asks)
                disk = put(stage, talk.process.pid)
                for at in range(12):
                    disk(chance.randrange(4000) if at % 2 else None)
                    asks += (new := talk.ask(chance.choice(_KINDS), range(at * 5, at * 5 + 5)))
                    if chance.random() < 0.7:
                        talk.answered(new)
                talk.answered(asks)
                disk(None)
                came_through(talk, asks, provider)
                must(talk.end() == 0, "the exit code is not the agent's")
            must(talk.stderr.read_bytes().count(b"\n") <= 1, f"on stderr: {talk.stderr.read_bytes()[:300]!r}")
            exchanges = read_trace(stage.trace())
            opens(stage.trace())
            try:
                kinds = judged(exchanges.exchanges.values())
            except Lie as lie:
                raise Lie(f"round {number}: {lie}") from None
            gaps = sum("gap" in note for _, note in exchanges.notes)
            is_all = kinds["whole"] + kinds["broken"] == len(asks)
            must(is_all or gaps, f"round {number}: {kinds} of {len(asks)}, and no gap says so")
            found.update(kinds + Counter(asks=len(asks), gaps=gaps))
        shutil.rmtree(stage.folder, ignore_errors=True)

    count = bound.repeat(f"disk of a model, {name}", 0.05, one, most=50)
    return [
        f"{count} rounds",
        f"{found['asks']:,} requests, traffic the same",
        f"{found['whole'] + found['broken']:,} whole in the traces",
        f"{found['part']:,} in part, and said to be",
        f"{found['gaps']:,} gaps",
        "0 lies",
    ]
