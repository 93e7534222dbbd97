"""`just shapes-proof`: python tests/protocol/shapes/proof.py [--schema DIR] [--seed N] [--times N] [TRACE …].

Payloads of real traces, and made ones of every shape, are changed in one place each; a validator of the official
schema (jsonschema) says whether what came out is malformed, and the shapes have to say the same, at that place.
So has the analysis of a trace in which the payload stands: on the frame, the side and the place, and nothing of
one that is valid. A union is judged by the form that a known tag names. Ends with 1 if they disagree.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_REPOSITORY = Path(__file__).parents[3]
sys.path.insert(0, str(_REPOSITORY))

from acp_trace.analyze.analyzer import Analyzer  # noqa: E402
from acp_trace.analyze.facts import Finding  # noqa: E402
from acp_trace.protocol.methods import INITIALIZERS  # noqa: E402
from acp_trace.protocol.shapes import shape as kinds  # noqa: E402
from acp_trace.protocol.shapes.tables import MessagePart, shapes  # noqa: E402
from acp_trace.trace import json_pointer, jsontext  # noqa: E402
from acp_trace.trace.parse import Parser  # noqa: E402
from tests.protocol.shapes.derive import fetched, tag_of  # noqa: E402
from tests.support import analyzed, trace  # noqa: E402

_TABLES = {version: shapes(version).table for version in (1, 2)}
_FREE = ("_meta", "rawInput", "rawOutput")  #: in these, anything may stand
_MADE, _KEPT, _DEEPEST = 12, 8, 9
_Payload = tuple[int, str, Any]  #: version, name of the shape, value


class SchemaValidator:
    """The official schema of a version, its unions by their tags."""

    def __init__(self, package: Path, version: int) -> None:
        path = package / "schema" / f"v{version}" / "schema.unstable.json"
        self._definitions = _by_tags(json.loads(path.read_bytes())["$defs"])
        self._made: dict[str, Any] = {}

    def is_valid(self, name: str, value: Any) -> bool:
        """Whether a value is one of this definition."""
        if name not in self._made:
            from jsonschema import Draft202012Validator

            schema = {"$defs": self._definitions, "$ref": f"#/$defs/{name}"}
            self._made[name] = Draft202012Validator(schema)
        return bool(self._made[name].is_valid(value))


def _by_tags(of: Any) -> Any:
    """A schema in which the form that a known tag names is the only one that counts."""
    if isinstance(of, list):
        return [_by_tags(each) for each in of]
    if not isinstance(of, dict):
        return of
    made = {
        key: {name: _by_tags(each) for name, each in value.items()}
        if key == "properties"
        else _by_tags(value)
        for key, value in of.items()
    }
    for key in ("anyOf", "oneOf"):
        forms = made.get(key, []) if isinstance(made.get(key), list) else []
        tag = next(filter(None, map(tag_of, forms)), None)
        if tag is None:
            continue
        known = [form for form in forms if tag_of(form) == tag]
        others = [form for form in forms if tag_of(form) != tag]
        node: dict[str, Any] = {"anyOf": others or [False]}
        for form in reversed(known):
            named = {"type": "object", "required": [tag], "properties": {tag: form["properties"][tag]}}
            node = {"if": named, "then": form, "else": node}
        del made[key]
        made["allOf"] = [*made.get("allOf", ()), node]
    return made


def _real(paths: Iterable[Path]) -> Iterator[_Payload]:
    """The payloads of traces."""
    for path in paths:
        analyzer, version = Analyzer(), 1
        for entry in Parser().feed(path.read_bytes()):
            frame = analyzer.feed(entry)
            message = None if frame is None else jsontext.value_or_none(frame.data)
            if frame is None or not isinstance(message, dict) or frame.method is None:
                continue
            part: MessagePart = frame.kind.value  # type: ignore[assignment]
            sender, value = frame.sender, message.get("params")
            if part == "response":
                sender, value = "client" if sender == "agent" else "agent", message.get("result")
            if frame.method == "initialize" and isinstance(value, dict) and value.get("protocolVersion") == 2:
                version = 2
            if part in ("request", "notification") or "result" in message:
                name = shapes(version).name(frame.method, sender, part)
                if name is not None:
                    yield version, name, value


class _Maker:
    """Makes values of shapes."""

    def __init__(self, version: int, random: random.Random) -> None:
        self._shapes, self._random = _TABLES[version].shapes, random

    def value(self, shape: kinds.Shape, depth: int = 0) -> Any:
        """A value that fits, or None where shapes are too deep in each other."""
        while isinstance(shape, kinds.NamedShape):
            shape = self._shapes[shape.name]
        if depth > _DEEPEST:
            return None
        if isinstance(shape, kinds.ListShape):
            return [self.value(shape.item, depth + 1) for _ in range(self._random.choice((1, 2)))]
        if isinstance(shape, kinds.MapShape):
            return {"key": self.value(shape.value, depth + 1)}
        if isinstance(shape, kinds.WordShape):
            return self._random.choice(shape.words)
        if isinstance(shape, kinds.AnyOfShape):
            return self.value(self._random.choice(shape.shapes), depth + 1)
        if isinstance(shape, kinds.TaggedShape):
            word = self._random.choice([*shape.cases, *([None] if shape.untagged is not None else [])])
            form = shape.untagged if word is None else shape.cases[word]
            made = self.value(form, depth + 1) if form is not None else {}
            return {**({} if word is None else {shape.tag: word}), **(made or {})}
        if isinstance(shape, kinds.ObjectShape):
            made = {
                name: self.value(member.shape, depth + 1)
                for name, member in shape.members.items()
                if member.required or self._random.random() < 0.7
            }
            if shape.forms is not None:
                made.pop(getattr(shape.forms, "tag", ""), None)
                made |= self.value(shape.forms, depth + 1) or {}
            return made
        return {kinds.TextShape: "text", kinds.BooleanShape: True, kinds.NumberShape: 1}.get(
            type(shape), {"a": 1}
        )


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands that may be changed."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        if key not in _FREE:
            yield (*path, key)
            yield from _places(value[key], (*path, key))


def _changed(value: Any, random: random.Random) -> tuple[Any, tuple[Any, ...]]:
    """A value with one change, and the place of it."""
    made = copy.deepcopy(value)
    path = random.choice(list(_places(made)))
    at, key = made, path[-1]
    for step in path[:-1]:
        at = at[step]
    was = at[key]
    others = [5, "text", True, {"x": 1}, [1], -1.5]
    words = "not_known" if isinstance(was, str) else -99 if isinstance(was, int) else {"not": "known"}
    how = random.choice(("drop", "null", "type", "word", "wrap"))
    if how == "drop":
        del at[key]
    else:
        other = random.choice([each for each in others if type(each) is not type(was)])
        at[key] = {"null": None, "type": other, "word": words, "wrap": [was]}[how]
    return made, path


def main(argv: list[str]) -> int:
    """Compares, and says what disagrees."""
    parser = argparse.ArgumentParser(description="The shapes of payloads against the official schema.")
    parser.add_argument("--schema", metavar="DIR", type=Path, help="the unpacked package; else the newest")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", type=int, default=2_000)
    parser.add_argument("traces", metavar="TRACE", type=Path, nargs="*")
    asked = parser.parse_args(argv)
    if find_spec("jsonschema") is None:
        parser.error("jsonschema is not installed: pip install jsonschema")
    chance = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as scratch:
        package = asked.schema or fetched(Path(scratch))
        official = {version: SchemaValidator(package, version) for version in _TABLES}
    traces = asked.traces or sorted((_REPOSITORY / "sample_traces").glob("*.jsonl"))
    pool: dict[tuple[int, str], list[Any]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for version, name, value in _real(traces):
        counts[_compared(official[version], version, name, value, None)] += 1
        if len(pool[version, name]) < _KEPT and any(_places(value)):
            pool[version, name].append(value)
    print("as they are: ", _told(counts))
    for version, tables in _TABLES.items():
        maker = _Maker(version, chance)
        for name in sorted(set(tables.methods.values())):
            for one in [maker.value(tables.shapes[name]) for _ in range(_MADE)]:
                if "protocolVersion" in (one or ()):
                    one["protocolVersion"] = version
                if any(_places(one)) and official[version].is_valid(name, one):
                    pool[version, name].append(one)
    changes: Counter[str] = Counter()
    named = sorted(key for key, values in pool.items() if values)
    for _ in range(asked.times):
        version, name = chance.choice(named)
        value, path = _changed(chance.choice(pool[version, name]), chance)
        found = _compared(official[version], version, name, value, path)
        keys = [
            key for key, of in _TABLES[version].methods.items() if of == name and not _renegotiates(key, path)
        ]
        for key in keys[:1]:
            valid = official[version].is_valid(name, value)
            found = _of_analysis(version, key, value, path, valid=valid) or found
        changes[found] += 1
        if found in _WRONG:
            print(f"{found}: {name} {'/'.join(map(str, path))} {json.dumps(value)[:200]}")
    print("changed once:", _told(changes))
    return int(any((counts + changes)[wrong] for wrong in _WRONG))


_WRONG = ("missed", "false alarm", "missed by the analysis", "false alarm of the analysis")
#: Requests that stand before an answer need none of what they would say.
_INFO = {"info": {"name": "n", "version": "1"}}


def _analyzed(version: int, key: tuple[str, str, str], value: Any) -> list[Finding]:
    """What the analysis finds in the frame that has this payload, of whoever sent it."""
    method, handler, part = key
    info = _INFO if version == 2 else {}
    hello = {"protocolVersion": version, **info}
    said: list[tuple[str, Any]] = []
    if method not in INITIALIZERS:
        said = [
            ("client", {"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": hello}),
            ("agent", {"jsonrpc": "2.0", "id": "i", "result": hello}),
        ]
    asker, answerer = ("agent", "client") if handler == "client" else ("client", "agent")
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": value}
    if part == "request":
        message["id"] = 1
    elif part == "response":
        said.append((asker, {"jsonrpc": "2.0", "id": 1, "method": method, "params": hello}))
        message = {"jsonrpc": "2.0", "id": 1, "result": value}
    sender = answerer if part == "response" else asker
    found, frames = analyzed(trace(*said, (sender, message)))
    return [one for one in found.findings if one.frame == len(frames) and one.blame == sender]


def _of_analysis(
    version: int, key: tuple[str, str, str], value: Any, path: tuple[Any, ...], *, valid: bool
) -> str:
    """Whether the analysis says the same as the validator."""
    findings = _analyzed(version, key, value)
    if valid:
        wrong = any(one.code.startswith("payload-") and one.severity != "note" for one in findings)
        return "false alarm of the analysis" if wrong else ""
    place = json_pointer.written(("result" if key[2] == "response" else "params", *map(str, path)))
    named = (f"{one.path}/" for one in findings if one.path is not None)
    is_there = any(each.startswith(f"{place}/") or f"{place}/".startswith(each) for each in named)
    return "" if is_there else "missed by the analysis"


def _compared(
    official: SchemaValidator, version: int, name: str, value: Any, path: tuple[Any, ...] | None
) -> str:
    faults = [fault for fault in shapes(version).faults(value, name) if fault.kind != "extra-field"]
    if official.is_valid(name, value):
        return "false alarm" if faults else "valid"
    if not faults:
        return "missed"
    places = (fault.path for fault in faults)
    is_there = path is None or any(
        place[: len(path)] == path or path[: len(place)] == place for place in places
    )
    return "malformed" if is_there else "malformed, told elsewhere"


def _renegotiates(key: tuple[str, str, str], path: tuple[Any, ...]) -> bool:
    """Whether the change makes it a payload of another version."""
    return key[0] in INITIALIZERS and path == ("protocolVersion",)


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.most_common())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
