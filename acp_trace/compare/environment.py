"""Who talks to whom: names and versions, the protocol's version, capabilities; how the agent ended.

Another name or version is no divergence. A lost capability and another protocol version are; a new
capability is a note (docs/diff.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acp_trace.analyze import facts
from acp_trace.compare import masks, pointers
from acp_trace.compare.collector import Collector, Value
from acp_trace.compare.pointers import NOTHING, Path
from acp_trace.compare.result import EnvironmentChange
from acp_trace.compare.story import Request
from acp_trace.trace import json_pointer

#: Signals by which clients end an agent: that one of them came says nothing of the agent.
_FROM_OUTSIDE = (1, 2, 9, 13, 15)
_SHELL = 128  #: what a shell adds to a signal


def changes(a: facts.Trace, b: facts.Trace) -> list[EnvironmentChange]:
    """What differs in who the two sides are."""
    rows = [
        ("agent", a.agent_title or a.agent_name, b.agent_title or b.agent_name),
        ("agent version", a.agent_version, b.agent_version),
        ("client", a.client_title or a.client_name, b.client_title or b.client_name),
        ("client version", a.client_version, b.client_version),
    ]
    return [EnvironmentChange(*row) for row in rows if row[1] != row[2]]


def handshake(found: Collector) -> None:
    """Compares what `initialize` agreed on."""
    one, other = found.expected.handshake, found.actual.handshake
    if one is None or other is None:
        return
    if one.outcome == other.outcome == "result":
        path = ("result", "protocolVersion")
        was, now = (pointers.at(side.result, path[1:]) for side in (one, other))
        values = Value(one.response_frame, path, was), Value(other.response_frame, path, now)
        found.same("protocol-version", None, "protocol", *values)
        _capabilities(found, "agent", one, other)
    _capabilities(found, "client", one, other)


def ends(found: Collector) -> None:
    """Compares how the agent ended, and says where the comparison ends early."""
    for story, name in ((found.expected, "first"), (found.actual, "second")):
        if not story.whole:
            last = story.frames
            told = f"the {name} trace has no end: compared up to its frame {last}"
            at = (last or None, None) if story is found.expected else (None, last or None)
            found.say("truncated", None, told, *at)
        if lost := story.facts.trace.lost_frames:
            told = f"the {name} trace lost {lost} frames: what is missing may only be missing from it"
            found.say("frames-lost", None, told, None, None)
    if found.expected.whole and found.actual.whole:
        was, now = _ended(found.expected.facts.trace), _ended(found.actual.facts.trace)
        if was != now:
            found.say("end", None, f"the agent ended otherwise: {was} → {now}", None, None, was=was, now=now)


def _ended(trace: facts.Trace) -> str:
    """How an agent ended; a signal from outside counts as ending well."""
    if trace.error is not None:
        return "not started"
    code, signal = trace.exit_code, trace.signal
    if signal is None and code is not None and code - _SHELL in _FROM_OUTSIDE:
        signal = code - _SHELL
    if signal is not None and signal not in _FROM_OUTSIDE:
        return f"signal {signal}"
    return "exit 0" if signal is not None or not code else f"exit {code}"


def _capabilities(found: Collector, side: str, one: Request, other: Request) -> None:
    root, frames = "params", (one.frame, other.frame)
    if side == "agent":
        root, frames = "result", (one.response_frame or 0, other.response_frame or 0)
    was, now = ((r.params if side == "client" else r.result) for r in (one, other))
    before, after = _announced(side, was), _announced(side, now)
    for path in _topmost(before, after):
        name, full = ".".join(path), (root, *path)
        values = pointers.at(was, path), pointers.at(now, path)
        kept = NOTHING not in values and found.expected_normalizer.text(
            values[0], full
        ) == found.actual_normalizer.text(values[1], full)
        if not kept:
            refused = found.masks.refusal(full, *values)
            found.say(
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
        told = f"the {side} announces {name}"
        found.say("capability-new", None, told, *frames, was="not announced", now=name)


def _topmost(some: Sequence[Path], others: Sequence[Path]) -> Iterator[Path]:
    """Those that are not among the others; what is in one of them is not named apart."""
    known = set(others)
    gone: set[Path] = set()
    for path in some:
        if path not in known:
            gone.add(path)
            if path[:-1] not in gone:
                yield path


def _announced(side: str, said: object) -> list[Path]:
    """The capabilities that a side announces, each after what it is in, and ways to authenticate."""
    whole = said if isinstance(said, dict) else {}
    key = f"{side}Capabilities" if f"{side}Capabilities" in whole else "capabilities"
    found = [(key, *path) for path in _members(whole.get(key))]
    listed = whole.get("authMethods")
    methods = [one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict)]
    return found + [("authMethods", one["id"]) for one in methods if isinstance(one.get("id"), str)]


def _members(value: object, deepest: int = 20) -> Iterator[Path]:
    """Paths of what is announced: whatever is neither false nor null, nor holds only such members."""
    for key, inner in value.items() if isinstance(value, dict) and deepest else ():
        below = list(_members(inner, deepest - 1))
        if below or inner == {} or not (isinstance(inner, dict) or inner is None or inner is False):
            yield (key,)
        for path in below:
            yield (key, *path)
