"""`model --json`: calls of a model for programs, under the names of a report and of the store."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import msgspec

from acp_trace.analyze import facts
from acp_trace.model.calls import ModelCall


def row(call: facts.ModelCall) -> dict[str, Any]:
    """One call. Times are ns: its start since the trace began, others since its start; null if unknown."""
    return {**asdict(call), "tools": msgspec.json.decode(call.tools)}


def document(call: ModelCall, fact: facts.ModelCall) -> dict[str, Any]:
    """`model --call N --json`: the call, all that it sent to the model, and what came back."""
    return {
        "call": row(fact),
        "form": call.recognised.form.name,
        "continues": call.earlier.call if call.earlier else None,
        "prompt": msgspec.to_builtins(call.prompt()),
        "answer": msgspec.to_builtins(call.answer),
    }
