"""The two sides: names and versions, the protocol's version, capabilities; how the agent ended.

Another name or version is not a divergence. A lost capability and another protocol version are; a new
capability is a note (docs/diff.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acp_trace.analyze import facts
from acp_trace.compare.content import shown
from acp_trace.compare.result import Divergences, EnvironmentChange
from acp_trace.compare.trace_pair import TracePair, Value
from acp_trace.normalize import masks, pointers
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.story.model import Request
from acp_trace.trace import json_pointer
from acp_trace.trace.jsontext import as_object, objects

#: Signals by which clients end an agent: they reveal nothing about the agent.
_FROM_OUTSIDE = (1, 2, 9, 13, 15)
_SHELL = 128  #: the number that a shell adds to a signal


def changes(expected: facts.Trace, actual: facts.Trace) -> list[EnvironmentChange]:
    """Return what differs in the names and versions of client and agent."""
    rows = [
        ("agent", expected.agent_title or expected.agent_name, actual.agent_title or actual.agent_name),
        ("agent version", expected.agent_version, actual.agent_version),
        ("client", expected.client_title or expected.client_name, actual.client_title or actual.client_name),
        ("client version", expected.client_version, actual.client_version),
    ]
    return [EnvironmentChange(*row) for row in rows if row[1] != row[2]]


def handshake(traces: TracePair) -> Divergences:
    """Compare the results of `initialize`."""
    expected, actual = traces.expected.handshake, traces.actual.handshake
    if expected is None or actual is None:
        return
    if expected.outcome == actual.outcome == "result":
        path = ("result", "protocolVersion")
        was, now = (pointers.at(side.result, path[1:]) for side in (expected, actual))
        values = Value(expected.response_frame, path, was), Value(actual.response_frame, path, now)
        if other := traces.difference("protocol-version", None, "protocol version:", *values):
            yield other
        yield from _capabilities(traces, "agent", expected, actual)
        yield from _named(traces, "agent", expected, actual)
        yield from _ways_in(traces, expected, actual)
    yield from _capabilities(traces, "client", expected, actual)
    yield from _named(traces, "client", expected, actual)


def _named(traces: TracePair, side: str, expected: Request, actual: Request) -> Divergences:
    """Report that a side no longer gives its name. Another name, or another version, is not a divergence."""
    root = "result" if side == "agent" else "params"
    was, now = (_info(side, getattr(request, root)) for request in (expected, actual))
    if was and not now:
        frames = (expected.frame, actual.frame)
        if side == "agent":
            frames = expected.response_frame or expected.frame, actual.response_frame or actual.frame
        message = f"the {side} no longer gives its name"
        yield traces.divergence("info-missing", None, message, *frames, was=was, now="nothing")


def _ways_in(traces: TracePair, expected: Request, actual: Request) -> Divergences:
    """Compare the words for the ways to authenticate that both offer."""
    path: Path = ("result", "authMethods")
    frames = expected.response_frame, actual.response_frame
    was, now = (
        {
            str(each.get("id")): {key: each.get(key) for key in ("name", "description")}
            for each in objects(pointers.at(request.result, path[1:]))
        }
        for request in (expected, actual)
    )
    sides = ({id_: names[id_] for id_ in was if id_ in now} for names in (was, now))
    values = (Value(frame, path, names) for frame, names in zip(frames, sides, strict=True))
    if other := shown.difference(traces, None, "initialize authMethods", *values, keyed=True):
        yield other


def _info(side: str, handshake: object) -> str:
    """Return the name that a side gives; draft 2 has `info` for both."""
    names = (pointers.at(handshake, (key, "name")) for key in (f"{side}Info", "info"))
    return next((name for name in names if isinstance(name, str) and name.strip()), "")


def ends(traces: TracePair) -> Divergences:
    """Compare how the agent ended, and report if the comparison ends early."""
    for story, name in ((traces.expected, "expected"), (traces.actual, "actual")):
        if not story.whole:
            last = story.frames
            message = f"the {name} trace has no end: compared up to its frame {last}"
            at = (last or None, None) if story is traces.expected else (None, last or None)
            yield traces.divergence("truncated", None, message, *at)
        if lost := story.facts.trace.lost_frames:
            message = f"the {name} trace lost {lost} frames: what seems missing may just be unrecorded"
            yield traces.divergence("frames-lost", None, message, None, None)
    if traces.expected.whole and traces.actual.whole:
        was, now = _ended(traces.expected.facts.trace), _ended(traces.actual.facts.trace)
        if None not in (was, now) and was != now:
            yield traces.divergence(
                "end", None, f"the agent ended differently: {was} → {now}", None, None, was=was, now=now
            )


def _ended(trace: facts.Trace) -> str | None:
    """Return how an agent ended; a signal from outside is a good end. None: only its connection ended."""
    if trace.error is not None:
        return "not started"
    code, signal = trace.exit_code, trace.signal
    if code is None and signal is None:
        return None
    if signal is None and code is not None and code - _SHELL in _FROM_OUTSIDE:
        signal = code - _SHELL
    if signal is not None and signal not in _FROM_OUTSIDE:
        return f"signal {signal}"
    return "exit 0" if signal is not None or not code else f"exit {code}"


def _capabilities(traces: TracePair, side: str, expected: Request, actual: Request) -> Divergences:
    root, frames = "params", (expected.frame, actual.frame)
    if side == "agent":
        root, frames = "result", (expected.response_frame or 0, actual.response_frame or 0)
    was, now = ((r.params if side == "client" else r.result) for r in (expected, actual))
    before, after = _announced(side, was), _announced(side, now)
    for path in _topmost(before, after):
        name, full = ".".join(path), (root, *path)
        values = pointers.at(was, path), pointers.at(now, path)
        kept = NOTHING not in values and traces.expected_normalizer.text(
            values[0], full
        ) == traces.actual_normalizer.text(values[1], full)
        if not kept:
            refused = traces.masks.refusal(full, *values)
            yield traces.divergence(
                "capability-lost",
                None,
                f"the {side} no longer announces {name}",
                *frames,
                was=name,
                now="not announced",
                pointer=json_pointer.written(full),
                mask=None if refused else masks.suggest(full, *values),
                refused=refused,
            )
    for path in _topmost(after, before):
        name = ".".join(path)
        message = f"the {side} announces {name}"
        yield traces.divergence("capability-new", None, message, *frames, was="not announced", now=name)


def _topmost(paths: Sequence[Path], excluded: Sequence[Path]) -> Iterator[Path]:
    """Yield the outermost paths that are not excluded, without the paths inside them."""
    left_out = set(excluded)
    gone: set[Path] = set()
    for path in paths:
        if path not in left_out:
            gone.add(path)
            if path[:-1] not in gone:
                yield path


def _announced(side: str, handshake: object) -> list[Path]:
    """Return the capabilities that a side announces, each after its container, and ways to authenticate."""
    whole = as_object(handshake)
    key = f"{side}Capabilities" if f"{side}Capabilities" in whole else "capabilities"
    paths = [(key, *path) for path in _members(whole.get(key))]
    ids = [method["id"] for method in objects(whole.get("authMethods")) if isinstance(method.get("id"), str)]
    return paths + [("authMethods", id_) for id_ in ids]


def _members(value: object, deepest: int = 20) -> Iterator[Path]:
    """Yield paths of what is announced: not false, null, or an object that only has such members."""
    for key, inner in value.items() if isinstance(value, dict) and deepest else ():
        below = list(_members(inner, deepest - 1))
        if below or inner == {} or not (isinstance(inner, dict) or inner is None or inner is False):
            yield (key,)
        for path in below:
            yield (key, *path)
