"""Planted faults, put into a sample trace: each edits what it says, and the judge is asked."""

from __future__ import annotations

from copy import deepcopy
from itertools import chain

import pytest

from tests.real.planted.client_faults import CLIENT_FAULTS
from tests.real.planted.edits import Fault
from tests.real.planted.judging import Stage
from tests.real.planted.model_faults import MODEL_FAULTS, Body, ModelFault
from tests.real.planted.table import AREAS, FAULTS, Planted, said
from tests.real.planted.tape import Tape
from tests.rows import each
from tests.support import REPOSITORY

_TRACE = (REPOSITORY / "sample_traces" / "opencode-story.jsonl").read_bytes()


def test_each_fault_has_a_name_of_its_own() -> None:
    """The table of the page is by name."""
    assert len(FAULTS) == sum(map(len, AREAS.values()))


def test_a_fault_leaves_a_trace_that_can_be_read() -> None:
    """With as many frames as its last line says."""

    def check(fault: Fault) -> None:
        tape = Tape(_TRACE)
        fault.edit(tape)
        written = tape.written()
        assert Tape(written).written() == written

    each(chain(*CLIENT_FAULTS.values()), check, lambda fault: fault.name)


@pytest.mark.parametrize(
    "name",
    ["another protocol version", "a chunk has an additional word", "the first permission request is missing"],
)
def test_a_fault_is_reported(name: str) -> None:
    """By its own code, first."""
    told = Stage(_TRACE, _TRACE).said(FAULTS[name])
    assert told is not None
    row = Planted("opencode", "", name, told)
    assert (row.is_reported("content"), row.is_named) == (True, True)


def test_nothing_is_said_of_a_run_without_a_fault() -> None:
    """And a fault in what is not there is none."""
    stage = Stage(_TRACE, _TRACE)
    assert not any(each.fails for each in (stage.said(None) or {}).values())
    assert stage.said(FAULTS["all plans are lost"]) is None


def test_what_is_missed_is_printed() -> None:
    """With the sums."""
    stage = Stage(_TRACE, _TRACE)
    row = Planted("opencode", "", "a chunk is lost", stage.said(None))
    assert said([row]).splitlines()[0].split() == ["missed", "opencode", "a", "chunk", "is", "lost"]


_MILK, _EGGS = "Buy milk at the shop.", "Eggs and a lot of bread"
#: The same conversation in the forms of Anthropic, of OpenAI's two interfaces, and of Google.
_BODIES: tuple[Body, ...] = (
    {"model": "m", "max_tokens": 9, "system": "Be kind.", "tools": [{"name": "read", "description": "Reads."}], "messages": [
        {"role": "user", "content": "Read the first file"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": _MILK}]},
        {"role": "assistant", "content": [{"type": "text", "text": "I read it, and there was milk."}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": _EGGS}]}]},
        {"role": "user", "content": [{"type": "text", "text": "Read the other one"}]}]},
    {"model": "m", "max_tokens": 9, "tools": [{"type": "function", "function": {"name": "read", "description": "Reads."}}], "messages": [
        {"role": "system", "content": "Be kind."}, {"role": "user", "content": "Read the first file"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "read"}}]},
        {"role": "tool", "tool_call_id": "1", "content": _MILK},
        {"role": "assistant", "content": "I read it, and there was milk."},
        {"role": "tool", "tool_call_id": "2", "content": _EGGS}, {"role": "user", "content": "Read the other one"}]},
    {"model": "m", "max_output_tokens": 9, "instructions": "Be kind.", "tools": [{"type": "function", "name": "read", "description": "Reads."}], "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Read the first file"}]},
        {"type": "function_call", "call_id": "1", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": _MILK},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I read it, and there was milk."}]},
        {"type": "function_call_output", "call_id": "2", "output": _EGGS},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Read the other one"}]}]},
    {"systemInstruction": {"parts": [{"text": "Be kind."}]}, "generationConfig": {"maxOutputTokens": 9},
     "tools": [{"functionDeclarations": [{"name": "read", "description": "Reads."}]}], "contents": [
        {"role": "user", "parts": [{"text": "Read the first file"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": _MILK}}}]},
        {"role": "model", "parts": [{"text": "I read it, and there was milk."}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": _EGGS}}}]},
        {"role": "user", "parts": [{"text": "Read the other one"}]}]},
)  # fmt: skip


@pytest.mark.parametrize(
    "fault", [fault for fault in MODEL_FAULTS if fault.calls == 1], ids=lambda fault: fault.name
)
def test_a_fault_of_the_model_s_side_changes_a_body(fault: ModelFault) -> None:
    """In each form. Google's names its model in the path."""
    for body in _BODIES if fault.name != "another model is requested" else _BODIES[:3]:
        changed = deepcopy(body)
        fault.edit(changed, 0)
        assert changed != body
