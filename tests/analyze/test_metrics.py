"""What each metric takes for a sample."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.analyze.budgets.grammar import parse
from acp_trace.analyze.budgets.metrics import METRICS
from acp_trace.analyze.facts import Cancellation, Exchange, ModelCall, Permission, ToolCall, ToolCallStep
from tests.checking import facts, finding, row, turn


def cancel(**given: Any) -> Cancellation:
    return row(
        Cancellation,
        **{"kind": "session/cancel", "target_frame": 2, "target_method": "session/prompt", **given},
    )


FULL = facts(
    turns=[
        turn(2, 50, first_update_ns=5, first_output_ns=6),
        turn(4, 60, turn=1, model_calls=2, model_ns=1, tool_ns=2, client_ns=3, own_ns=4, unknown_ns=7),  # ended without an update: nothing to measure
        turn(6, None, turn=2, model_calls=1),  # never began to answer
    ],
    permissions=[row(Permission, frame=12, wait_ns=13), row(Permission, frame=14)],
    tool_calls=[
        row(ToolCall, session_id="s", turn=0, id="t", duration_ns=15),
        row(ToolCall, session_id="s", turn=0, id="u", duration_ns=16),
        row(ToolCall, session_id="s", turn=1, id="t"),
        row(ToolCall, session_id="s", turn=None, id="replayed", duration_ns=999),
    ],
    tool_call_steps=[
        row(ToolCallStep, session_id="s", turn=0, id="t", frame=17),
        row(ToolCallStep, session_id="s", turn=0, id="t", frame=18),
        row(ToolCallStep, session_id="s", turn=1, id="t", frame=19),
    ],
    exchanges=[
        row(Exchange, frame=20, sender="client", method="a", latency_ns=21, outcome="error"),
        row(Exchange, frame=22, sender="agent", method="a", latency_ns=23),
        row(Exchange, frame=24, sender="client", method="agent:a", latency_ns=25),
        row(Exchange, frame=26, sender="client", method="a", outcome="open"),
    ],
    cancellations=[
        cancel(frame=30, settle_ns=31, quiesce_ns=32, updates_after_cancel=33, late_updates=34),
        cancel(frame=35, target_method="session/new", kind="$/cancel_request", settle_ns=36),
        cancel(frame=37, outcome="unanswered"),
        cancel(frame=38, kind="internal", settle_ns=0, late_updates=39),
        cancel(frame=40, target_frame=None, target_method=None, outcome="no_target"),
    ],
    model_calls=[
        row(ModelCall, session_id="s", turn=1, first_token_ns=50, duration_ns=51, input_tokens_total=52),
        row(ModelCall, session_id="s", turn=1, duration_ns=53, output_tokens_total=54, cancel_frame=55),
        row(ModelCall, session_id="s", turn=None, cancel_frame=56, cancel_to_end_ns=57),
    ],
    findings=[finding("not-json", 41), finding("blank-line", 42, count=7)],
)  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "samples"),
    [
        ("turn.duration", [(50, 2), (60, 4), (None, 6)]),
        ("turn.first_update", [(5, 2), (None, 6)]),
        ("turn.first_output", [(6, 2), (None, 6)]),
        ("turn.silence", [(None, None), (None, None), (None, None)]),
        ("permission.wait", [(13, 12), (None, 14)]),
        ("tool_call.duration", [(15, 17), (16, None), (None, 19)]),
        ("turn.model", [(1, 4), (None, 6)]),
        ("turn.tool", [(2, 4), (None, 6)]),
        ("turn.client", [(3, 4), (None, 6)]),
        ("turn.own", [(4, 4), (None, 6)]),
        ("turn.unknown", [(7, 4), (None, 6)]),
        ("model.calls", [(2, 4)]),
        ("model.first_token", [(50, 4), (None, None)]),
        ("model.duration", [(51, 4), (53, 4), (None, None)]),
        ("model.tokens_in", [(52, 4)]),
        ("model.tokens_out", [(54, 4)]),
        ("model.cancel", [(None, 55), (57, 56)]),
        ("trace.duration", [(9_000_000_000, None)]),
        ("cancel.settle", [(31, 30), (36, 35), (None, 37)]),
        ("cancel.quiesce", [(32, 30)]),
        ("cancel.updates_after", [(33, 30), (0, 37)]),
        ("cancel.late_updates", [(34, 30), (0, 37)]),
        ("latency a", [(21, 20), (None, 26)]),
        ("latency client:a", [(21, 20), (None, 26)]),
        ("latency agent:a", [(23, 22)]),
        ("latency client:agent:a", [(25, 24)]),
        ("findings", [(1, 41), (7, 42)]),
        ("findings.note", [(7, 42)]),
        ("findings.not-json", [(1, 41)]),
        ("findings.warning", []),
    ],
)
def test_samples(metric: str, samples: list[tuple[int | None, int | None]]) -> None:
    """What each metric measures, and in which frame that began."""
    stat = "count < 1" if metric.startswith("findings") else "max < 1s"
    stat = "max < 1" if METRICS.get(metric, METRICS["findings"]).unit == "number" else stat
    assert [(one.value, one.frame) for one in parse(f"{metric} {stat}").metric.samples(FULL)] == samples


def test_every_metric_is_tested() -> None:
    """The table above leaves none out."""
    (mark,) = [one for one in test_samples.pytestmark if one.name == "parametrize"]  # type: ignore[attr-defined]
    assert set(METRICS) <= {metric for metric, _ in mark.args[1]}
