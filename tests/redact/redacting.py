"""What the tests of this folder share: a trace redacted in one call, and facts compared but for their strings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import msgspec

from acp_trace.redact.redactor import Redactor
from acp_trace.redact.rules import Rule
from acp_trace.trace.parse import Parser
from tests.support import analyzed, trace


def redacted(file: bytes, own: Sequence[Rule] = ()) -> tuple[bytes, Redactor]:
    """A trace file without its secrets, and the redactor, which knows what was replaced."""
    parser = Parser()
    entries = parser.feed(file)
    last, _ = parser.finish()
    entries += [last] if last else []
    redactor = Redactor(own)
    for entry in entries:
        redactor.learn(entry)
    return b"".join(redactor.lines(entries)), redactor


def frames(file: bytes) -> list[Any]:
    """The frames of a trace file."""
    return [found["frame"] for line in file.splitlines() if "frame" in (found := msgspec.json.decode(line))]


def one(message: dict[str, Any], sender: str = "client", **changes: Any) -> Any:
    """A message after redaction, alone in its trace."""
    return frames(redacted(trace((sender, message), **changes))[0])[0]


def counts(redactor: Redactor) -> dict[str, tuple[int, int]]:
    """Rule -> how often it replaced something, how many different secrets."""
    return {row.rule: (row.replaced, row.secrets) for row in redactor.rows()}


#: What may differ: sizes, what redaction leaves out, and texts that are cut at a length.
_OPEN = {"bytes_client", "bytes_agent", "request_bytes", "damaged", "torn_bytes", "message", "last_log"}


def assert_same_facts(before: bytes, after: bytes) -> None:
    """The analysis says the same of both, but for strings that hold a placeholder now."""
    old, new = asdict(analyzed(before)[0]), asdict(analyzed(after)[0])
    _compare(old, new, "")


def _compare(old: Any, new: Any, where: str) -> None:
    assert type(old) is type(new), where
    if isinstance(old, dict):
        assert list(old) == list(new), where
        for key in old:
            if key not in _OPEN:
                _compare(old[key], new[key], f"{where}/{key}")
    elif isinstance(old, list):
        assert len(old) == len(new), where
        for at, (one_old, one_new) in enumerate(zip(old, new, strict=True)):
            _compare(one_old, one_new, f"{where}/{at}")
    elif isinstance(old, str) and old != new:
        assert "<secret:" in new or "<home" in new, (where, old, new)
    else:
        assert old == new, where
