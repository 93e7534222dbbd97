"""A provider that errs, breaks off, stalls, says much or to many: bytes equal with and without the proxy."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from acp_trace.model.calls import model_calls
from acp_trace.model.exchange import ModelExchange
from tests.faults.bound import Bound
from tests.faults.model.provider import Provider
from tests.faults.model.saying import KINDS, Ask
from tests.faults.model.staging import Talk, came_through, judged, peak_mb
from tests.faults.stage import Stage, must
from tests.model.writing import read_trace
from tests.support import until

_MANY = 200
#: A proxy's peak of memory with bodies of 64 MB both ways: each is whole in memory until it is written.
_LIMIT_MB = 600


def errors(_: Bound, folder: Path) -> list[str]:
    """429 and again, 500, broken off, stalled, packed, to a slow client."""
    kinds = [kind for kind in KINDS if kind != "large"]

    def play(talk: Talk, provider: Provider) -> list[Ask]:
        provider.may_go_on.clear()
        asks = [ask for n, kind in enumerate(kinds) for ask in talk.ask(kind, [n])]
        until(lambda: talk.halves, "the first half of what stalls")  # else it is held back by who is between
        provider.may_go_on.set()
        return asks

    played = _both(folder, play)
    found = judged(played.exchanges)
    must(found == {"whole": len(kinds), "broken": 1}, f"in the trace: {found}")
    retry = Ask("limited", kinds.index("limited"), again=True)
    paths = {exchange.number: exchange.path for exchange in played.exchanges}
    again = [paths[call.exchange] for call in model_calls(played.exchanges) if call.retry_of is not None]
    must(again == [retry.path], "the retry is not told")
    return [f"{len(kinds) + 1} exchanges", played.size, "bytes equal", "the retry told"]


def large(_: Bound, folder: Path) -> list[str]:
    """64 MB to a model and back, in both protocols."""

    def play(protocol: str) -> Callable[[Talk, Provider], list[Ask]]:
        return lambda talk, _: talk.ask("large", [1], protocol=protocol)

    told, peaks = [], []
    for protocol in ("h1", "h2"):
        played = _both(folder / protocol, play(protocol), protocol)
        must(judged(played.exchanges) == {"whole": 1}, "in the trace there is something else")
        peaks.append(played.peak_mb)
        told.append(f"{protocol}: {played.size} in {_seconds(played)}")
    must(max(peaks) < _LIMIT_MB, f"the proxy took {max(peaks):.0f} MB")
    return [*told, "bytes equal", f"proxy {max(peaks):.0f} MB of {_LIMIT_MB}"]


def many(_: Bound, folder: Path) -> list[str]:
    """200 streams at the same time: each in a connection of its own, and all in one."""

    def play(protocol: str) -> Callable[[Talk, Provider], list[Ask]]:
        return lambda talk, _: talk.ask("stream", range(_MANY), together=_MANY, protocol=protocol)

    told = []
    for protocol in ("h1", "h2"):
        played = _both(folder / protocol, play(protocol), protocol)
        must(judged(played.exchanges) == {"whole": _MANY}, "in the trace there is something else")
        told.append(f"{protocol}: {_MANY} in {_seconds(played)}, proxy {played.peak_mb:.0f} MB")
    return [*told, "bytes equal"]


def _seconds(played: _Played) -> str:
    return "{:.1f} s, {:.1f} s without".format(*played.took_s)


class _Played(NamedTuple):
    """What came of it."""

    exchanges: list[ModelExchange]
    size: str
    took_s: tuple[float, float]  #: with the proxy, without
    peak_mb: float  #: of the proxy


def _both(folder: Path, play: Callable[[Talk, Provider], list[Ask]], protocol: str = "h1") -> _Played:
    """Plays it with the proxy and without. Raises Lie unless all bytes came through both times."""
    took, peak, size = [], 0.0, 0
    with Stage(folder) as stage:
        for is_recorded in (True, False):
            provider = Provider(stage.folder)
            with provider.serving():
                talk = Talk(stage, provider, is_recorded=is_recorded)
                began = time.monotonic()
                asks = play(talk, provider)
                talk.answered(asks)
                took.append(time.monotonic() - began)
                if is_recorded:
                    peak = peak_mb(talk.proxy())
                size = came_through(talk, asks, provider, protocol)
                must(talk.end() == 0, "the exit code is not the agent's")
            must(talk.stderr.read_bytes() == b"", f"on stderr: {talk.stderr.read_bytes()[:300]!r}")
        exchanges = list(read_trace(stage.trace()).exchanges.values())
    return _Played(exchanges, f"{size / 1e6:.0f} MB", (took[0], took[1]), peak)
