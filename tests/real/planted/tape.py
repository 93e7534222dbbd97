"""The trace of a run as something that can be edited: lines in their order, and what they hold. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

Json = dict[str, Any]


class Tape:
    """The lines of a trace. What is taken out of them is the same object, so that a change of it is one of the line."""

    def __init__(self, trace: bytes) -> None:
        self.lines: list[Json] = [msgspec.json.decode(line) for line in trace.splitlines()]

    def written(self) -> bytes:
        """The trace, as it is now. Its last line counts the frames anew."""
        counts = Counter(line["from"] for line in self.lines if "from" in line)
        for line in self.lines:
            if "end" in line:
                line["end"]["frames"] = {"client": counts["client"], "agent": counts["agent"]}
        return b"".join(msgspec.json.encode(line) + b"\n" for line in self.lines)

    def sent(self, sender: str = "agent") -> Iterator[Json]:
        """The lines of a side that are JSON-RPC messages."""
        for line in self.lines:
            if line.get("from") == sender and isinstance(line.get("frame"), dict):
                yield line

    def updates(self, *kinds: str) -> list[Json]:
        """The lines of the agent's updates; of some kinds, or of all."""
        return [
            line
            for line in self.sent()
            if line["frame"].get("method") == "session/update" and (not kinds or kind(line) in kinds)
        ]

    def asked(self, *methods: str) -> list[Json]:
        """The lines of the agent's requests for one of these methods."""
        return [
            line for line in self.sent() if "id" in line["frame"] and line["frame"].get("method") in methods
        ]

    def answers(self, *methods: str) -> list[Json]:
        """The lines of the agent's responses to the client's requests for one of these methods."""
        of = {
            line["frame"]["id"]
            for line in self.sent("client")
            if "id" in line["frame"] and line["frame"].get("method") in methods
        }
        return [
            line for line in self.sent() if "method" not in line["frame"] and line["frame"].get("id") in of
        ]

    def turns(self) -> Iterator[tuple[int, int]]:
        """Of each prompt the places of its line and of that of its response."""
        ends = {line["frame"]["id"]: self.lines.index(line) for line in self.answers("session/prompt")}
        for place, line in enumerate(self.lines):
            is_prompt = line.get("from") == "client" and line["frame"].get("method") == "session/prompt"
            if is_prompt and (end := ends.get(line["frame"]["id"])) is not None:
                yield place, end

    def drop(self, lines: Iterable[Json]) -> None:
        """Takes lines out; of a request its response, too."""
        gone = [id(line) for line in lines]
        ids = [line["frame"]["id"] for line in self.sent() if id(line) in gone and "id" in line["frame"]]
        self.lines = [
            line
            for line in self.lines
            if id(line) not in gone
            and not (
                line.get("from") == "client"
                and "method" not in line["frame"]
                and line["frame"].get("id") in ids
            )
        ]

    def put(self, after: Json, *frames: Any) -> None:
        """More of the agent comes directly after a line: messages, or the text of a line."""
        place = next(place for place, line in enumerate(self.lines) if line is after) + 1
        made = [
            {
                "t": after["t"],
                "from": "agent",
                **({"text": frame} if isinstance(frame, str) else {"frame": frame}),
            }
            for frame in frames
        ]
        self.lines[place:place] = made

    def swap(self, one: Json, other: Json) -> None:
        """Two lines change their places."""
        places = [place for place, line in enumerate(self.lines) if line is one or line is other]
        first, second = (self.lines[place] for place in places)
        first["t"], second["t"] = second["t"], first["t"]
        self.lines[places[0]], self.lines[places[1]] = second, first


def kind(line: Json) -> str:
    """Of an update: which it is."""
    return str(line["frame"]["params"]["update"].get("sessionUpdate"))


def update_of(line: Json) -> Json:
    """What is told in a line with an update."""
    found: Json = line["frame"]["params"]["update"]
    return found
