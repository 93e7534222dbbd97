"""Load: extreme sizes, rates and peers. Bytes equal on both sides, memory below its limit, no deadlock."""

from __future__ import annotations

import hashlib
import os
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain, islice, repeat
from pathlib import Path
from subprocess import PIPE
from typing import IO, Protocol

from tests.faults import captures
from tests.faults.bound import Bound
from tests.faults.lines import lines
from tests.faults.stage import DEADLINE_S, Lie, Stage, must
from tests.faults.truth import SIDES, heard, holds, opens
from tests.support import ACP_TRACE, full, until

#: A recorder's peak of memory, however much comes and however long a line is: the interpreter and a few reads.
_LIMIT_MB = 20
_HUGE, _PIECE = 300_000_000, 1 << 20
_RATE = 50_000


class Digest(Protocol):
    """What hashlib gives."""

    def update(self, data: bytes, /) -> None:
        """Takes in more."""


def one_byte_writes(_: Bound, folder: Path) -> list[str]:
    """Every byte a write of its own, in both directions."""
    words = ["--bytewise", "--style", "small"]
    return _both(folder, (600, words), (600, words), "small", _LIMIT_MB)


def giant_frames(_: Bound, folder: Path) -> list[str]:
    """A frame of 64 MB in each direction."""
    words = ["--style", "giant", "--chunk", "1"]
    return _both(folder, (1, words), (1, words), "giant", _LIMIT_MB)


def huge_line(_: Bound, folder: Path) -> list[str]:
    """A line of 300 MB through `cat` and back: hashed piece by piece, because nobody needs to hold it."""
    with Stage(folder) as stage:
        recorder = stage.start([*ACP_TRACE, "record", "--no-load", "--", "cat"], stdin=PIPE, stdout=PIPE)
        assert recorder.stdin is not None
        assert recorder.stdout is not None
        said, came = hashlib.sha256(), hashlib.sha256()
        watch = threading.Timer(DEADLINE_S, recorder.kill)  # a deadlock would last for ever
        watch.start()
        with ThreadPoolExecutor(1) as pool:
            saying = pool.submit(_say_huge, recorder.stdin, said)
            left, began = _HUGE, time.monotonic()
            while left and (piece := os.read(recorder.stdout.fileno(), min(_PIECE, left))):
                came.update(piece)
                left -= len(piece)
            watch.cancel()
            if left:
                recorder.kill()
            saying.result()
        took = time.monotonic() - began
        must(
            not left and came.digest() == said.digest(),
            f"the line came back otherwise; {left} bytes are missing",
        )
        peak = _peak_mb(recorder.pid, _LIMIT_MB)
        recorder.stdin.close()
        more, code = recorder.stdout.read(), recorder.wait(DEADLINE_S)
        recorder.stdout.close()
        must((more, code) == (b"", 0), f"it ends with {code}, after {more[:80]!r}")
        for side in SIDES:
            whole = hashlib.sha256()
            for frame, newline in captures.frames(stage.trace(), side):
                whole.update(frame + b"\n" * newline)
            must(whole.digest() == said.digest(), f"the trace has another line of the {side}")
    return [f"{2 * _HUGE / 1e6:.0f} MB in {took:.2f} s", "bytes equal", f"{peak:.0f} MB of {_LIMIT_MB}"]


def _say_huge(stdin: IO[bytes], digest: Digest) -> None:
    """Writes one line of that length: a JSON string. Ends early where nobody reads any more."""
    body = random.Random(_HUGE).randbytes(_PIECE // 2).hex().encode()
    whole, rest = divmod(_HUGE - 3, len(body))
    with suppress(BrokenPipeError):
        for piece in chain([b'"'], repeat(body, whole), [body[:rest], b'"\n']):
            stdin.write(piece)
            stdin.flush()
            digest.update(piece)


def many_frames(_: Bound, folder: Path) -> list[str]:
    """A million frames from the agent, as fast as they are taken."""
    words = ["--style", "small", "--chunk", "200"]
    return _both(folder, (10, words), (1_000_000, words), "small", _LIMIT_MB)


def held_rate(bound: Bound, folder: Path) -> list[str]:
    """50,000 frames a second, for a while."""
    words = ["--style", "small", "--chunk", "100", "--rate", str(_RATE)]
    count = int(_RATE * bound.hold_s(0.11))
    return _both(folder, (10, ["--style", "small"]), (count, words), "small", _LIMIT_MB, rate=_RATE)


def duplex_flood(_: Bound, folder: Path) -> list[str]:
    """Both sides say all they can at once, with frames larger than a pipe among them."""
    return _both(folder, (40_000, []), (40_000, []), "mixed", _LIMIT_MB)


def slow_client(_: Bound, folder: Path) -> list[str]:
    """A client that naps between its reads: the agent is held up, and nothing piles up."""
    words = ["--style", "small"]
    return _both(folder, (10, [*words, "--nap-ms", "4"]), (100_000, words), "small", _LIMIT_MB)


def client_that_reads_last(_: Bound, folder: Path) -> list[str]:
    """A client that reads nothing before all is said, while the agent says all it can."""
    return _both(folder, (4_000, ["--last"]), (4_000, []), "mixed", _LIMIT_MB)


def deaf_agent(_: Bound, folder: Path) -> list[str]:
    """An agent that never reads: the client is held up, hears all the same, and the end is one."""
    count = 20_000
    words = ["--style", "small"]
    with Stage(folder) as stage:
        talk = stage.talk(words, [*words, "--deaf", "--lines", str(count)])
        _wait(lambda: talk.by_client.heard() >= _total("agent", count, "small"))
        until(lambda: full(talk.client), "a client that is held up")
        peak = _peak_mb(talk.recorder.pid, _LIMIT_MB)
        talk.recorder.terminate()  # what is passed on to the agent
        code = talk.ends()
        must(code == -15, f"exit code {code}, the agent's is -15")
        taken = talk.by_client.said()
        must(taken < 1_000_000, f"{taken} bytes were taken for an agent that reads none")
        heard("agent", talk.by_client.saw_file, count, "small")
        path = stage.trace()
        holds(path, "agent", count, "small")
        opens(path)
    return [
        f"{count:,} frames heard",
        f"{taken:,} bytes taken, then held up",
        f"{peak:.0f} MB",
        "no deadlock",
    ]


def _both(
    folder: Path,
    client: tuple[int, Sequence[str]],
    agent: tuple[int, Sequence[str]],
    style: str,
    limit_mb: float,
    *,
    rate: float = 0,
) -> list[str]:
    """Both say so many lines; all must arrive, stand in the trace, and leave the recorder small."""
    sides = {"client": client, "agent": agent}
    size = {side: _total(side, count, style) for side, (count, _) in sides.items()}
    with Stage(folder) as stage:
        go = stage.folder / "go"
        words = {side: [*more, "--lines", str(count)] for side, (count, more) in sides.items()}
        talk = stage.talk([*words["client"], "--until", str(go)], words["agent"])
        notes = {"client": talk.by_agent, "agent": talk.by_client}
        _wait(lambda: any(one.heard() for one in notes.values()))
        began = time.monotonic()
        _wait(lambda: all(notes[side].heard() >= size[side] for side in sides))
        took = time.monotonic() - began
        peak = _peak_mb(talk.recorder.pid, limit_mb)
        go.touch()
        code = talk.ends()
        must(code == 0 and not talk.stderr.read_bytes(), f"it ends with {code}: {talk.stderr.read_text()!r}")
        path = stage.trace()
        for side, (count, _) in sides.items():
            heard(side, notes[side].saw_file, count, style)
            holds(path, side, count, style)
        count = client[0] + agent[0]
        if count < 100_000:
            opens(path)
    told = [f"{count:,} frames, {sum(size.values()) / 1e6:.1f} MB in {took:.2f} s", "bytes equal"]
    if rate:
        must(
            agent[0] / took >= 0.9 * rate, f"{agent[0] / took:,.0f} frames/s, and {rate:,.0f} were to be held"
        )
        told.append(f"{agent[0] / took:,.0f} frames/s held")
    return [*told, f"{peak:.0f} MB of {limit_mb:.0f}", "no deadlock"]


def _total(side: str, count: int, style: str) -> int:
    return sum(map(len, islice(lines(side, style), count)))


def _wait(condition: Callable[[], bool]) -> None:
    """Waits as long as it takes, but not for ever."""
    ends = time.monotonic() + 2 * DEADLINE_S
    while not condition():
        if time.monotonic() > ends:
            raise Lie("nothing goes on any more: a deadlock")
        time.sleep(0.005)


def _peak_mb(recorder: int, limit_mb: float) -> float:
    """The recorder's peak of memory so far. The system counts it; that of a process that is gone is lost."""
    status = Path(f"/proc/{recorder}/status").read_text()
    (line,) = (one for one in status.splitlines() if one.startswith("VmHWM:"))
    peak = int(line.split()[1]) * 1024 / 1e6
    must(peak <= limit_mb, f"the recorder took {peak:.0f} MB of memory, the limit is {limit_mb:.0f}")
    return peak
