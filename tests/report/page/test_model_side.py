"""Calls of the model as the page reads them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from acp_trace.report.page import model_side
from acp_trace.store.sources import FileSource
from tests.support import REPOSITORY

_SAMPLE = REPOSITORY / "sample_traces" / "gemini-model.jsonl"


def test_what_calls_have_in_common_stands_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompts name their pieces, wherever these stand; the difference is the one to the call before."""
    monkeypatch.setattr(model_side, "PIECES_BYTES", 4000)
    source = FileSource(_SAMPLE)
    calls = source.facts().model_calls
    parts = {name: msgspec.json.decode(data) for name, data in model_side.parts(calls, source.entries())}
    source.close()
    assert {f"model/{call.call}.json" for call in calls} <= set(parts)

    def piece(place: list[int]) -> Any:
        return parts[f"model/pieces/{place[0]}.json"][place[1]]

    pieces = [piece for name, part in parts.items() if "/pieces/" in name for piece in part]
    assert len(pieces) == len({msgspec.json.encode(piece) for piece in pieces})
    second, third = parts["model/2.json"], parts["model/3.json"]
    assert piece(third["prompt"]["system"]).startswith("You are Gemini CLI")
    assert third["prompt"]["messages"][: len(second["prompt"]["messages"])] == second["prompt"]["messages"]
    assert piece(third["prompt"]["messages"][1])["role"] == "assistant"
    assert third["before"] == 2
    assert third["difference"][0]["message"] == "message 2 (assistant) added: I call a tool."
    assert third["difference"][0]["lines"][0] == "+ I call a tool."
    assert "before" not in second
