"""`export --to otlp`, read by OpenTelemetry's own parser, and sent with its own exporter."""

from __future__ import annotations

import base64
import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Commands
from tests.forks import forked
from tests.formats.writing.exporting import SAMPLES, given, without_times, written
from tests.support import Home, error, request, result, trace, update

pytest.importorskip("opentelemetry.proto")
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData


def _spans(file: bytes) -> list[Any]:
    """The spans of a file. Ids are hexadecimal in OTLP/JSON, and base64 in the JSON of protobuf."""
    spans = []
    for each in file.splitlines():
        data = json.loads(each)
        for scoped in data["resourceSpans"][0]["scopeSpans"]:
            for span in scoped["spans"]:
                for key in {"traceId", "spanId", "parentSpanId"} & span.keys():
                    span[key] = base64.urlsafe_b64encode(bytes.fromhex(span[key])).decode()
        parsed = json_format.ParseDict(data, TracesData())
        spans += [
            span for one in parsed.resource_spans for scoped in one.scope_spans for span in scoped.spans
        ]
    return spans


def _attributes(span: Any) -> dict[str, Any]:
    made = {}
    for each in span.attributes:
        value = getattr(each.value, each.value.WhichOneof("value"))
        made[each.key] = [item.string_value for item in value.values] if hasattr(value, "values") else value
    return made


def test_a_session_is_a_trace() -> None:
    """Turns are below the session; tool calls, permissions and model calls below their turn, with the times of the report."""
    sample = given("gemini-model")
    facts = sample.facts
    spans = _spans(written("otlp", sample))
    names = [span.name for span in spans]
    assert names[0] == "session"
    assert names.count("invoke_agent gemini-cli") == len(facts.turns)
    assert names.count("session/request_permission") == 1
    assert [name for name in names if name.startswith("execute_tool")] == [
        "execute_tool execute",
        "execute_tool read",
    ]
    assert sum(name.startswith("chat ") for name in names) == len(facts.model_calls)
    assert len({span.trace_id for span in spans}) == 1
    assert len({span.span_id for span in spans}) == len(spans)
    by_id = {span.span_id: span for span in spans}
    for span in spans[1:]:
        parent = by_id[span.parent_span_id]
        assert parent.name == (
            "session" if span.name.startswith("invoke_agent") else "invoke_agent gemini-cli"
        )
        assert parent.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano
    turns = [span for span in spans if span.name.startswith("invoke_agent")]
    assert [span.end_time_unix_nano - span.start_time_unix_nano for span in turns] == [
        turn.duration_ns for turn in facts.turns
    ]
    assert _attributes(turns[1])["gen_ai.response.finish_reasons"] == ["cancelled"]
    assert _attributes(turns[1])["gen_ai.usage.input_tokens"] == 200
    chat = _attributes(next(span for span in spans if span.name.startswith("chat")))
    assert (chat["gen_ai.operation.name"], chat["gen_ai.provider.name"]) == ("chat", "gcp.gemini")
    assert [event.name for event in spans[0].events] == ["acp.finding"] * 2


def test_a_cancelled_turn_is_not_an_error() -> None:
    """A failed prompt, a failed tool are errors; what was cancelled is not."""
    spans = _spans(written("otlp", given("gemini-model")))
    assert {span.status.code for span in spans} == {0}
    failed = trace(
        ("client", request(1, "session/prompt", sessionId="s", prompt=[])),
        ("agent", update("s", "tool_call", toolCallId="t", status="failed")),
        ("agent", error(1, -32603, "boom")),
    )
    errors = {
        span.name: (span.status.code, _attributes(span).get("error.type"))
        for span in _spans(written("otlp", given(failed)))
    }
    assert errors == {
        "session": (0, None),
        "invoke_agent": (2, "-32603"),
        "execute_tool other": (2, "failed"),
    }


def test_the_same_trace_gives_the_same_spans() -> None:
    """A second export is the first one, so that a backend sees no second session."""
    assert written("otlp", given("gemini-model")) == written("otlp", given("gemini-model"))


@pytest.mark.parametrize("name", ["gemini-model", "opencode-story", "ts-sdk-agent-acpx"])
def test_content_only_if_it_is_wanted(name: str) -> None:
    """No prompt, answer, title or argument is there, unless somebody asks for it."""
    plain, full = written("otlp", given(name)).decode(), written("otlp", given(name, content=True)).decode()
    for turn in given(name).facts.turns:
        assert turn.prompt
        assert turn.prompt not in plain
        assert turn.prompt[:20].replace('"', '\\\\\\"') in full
    for key in ("gen_ai.input.messages", "gen_ai.output.messages", "acp.tool.title"):
        assert key not in plain
        assert key in full or not given(name).facts.tool_calls


def test_content_has_prompts_answers_arguments_and_results() -> None:
    """Messages have a role and parts; arguments and results are the JSON that ACP had."""
    file = trace(
        ("client", request(1, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "hi"}])),
        ("agent", update("s", "tool_call", toolCallId="t", title="ls", rawInput={"command": "ls"})),
        ("agent", update("s", "tool_call_update", toolCallId="t", status="completed", rawOutput={"out": 1})),
        *[
            ("agent", update("s", "agent_message_chunk", content={"type": "text", "text": text}))
            for text in ("a", "b")
        ],
        ("agent", result(1, stopReason="end_turn")),
    )
    spans = {span.name: _attributes(span) for span in _spans(written("otlp", given(file, content=True)))}
    turn, tool = spans["invoke_agent"], spans["execute_tool other"]
    assert json.loads(turn["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "hi"}]}
    ]
    (said,) = json.loads(turn["gen_ai.output.messages"])
    assert said == {
        "role": "assistant",
        "parts": [{"type": "text", "content": "ab"}],
        "finish_reason": "end_turn",
    }
    assert json.loads(tool["gen_ai.tool.call.arguments"]) == {"command": "ls"}
    assert json.loads(tool["gen_ai.tool.call.result"]) == {"out": 1}


def test_history_tells_a_tool_call_again() -> None:
    """Loading a session tells its tool calls again, with their ids: only those that ran have a span, each with its content."""

    def tool(command: str) -> tuple[str, Any]:
        about = {"title": "ls", "status": "completed", "rawInput": {"command": command}}
        return "agent", update("s", "tool_call", toolCallId="t", **about)

    file = trace(
        ("client", request(1, "session/prompt", sessionId="s", prompt=[])),
        tool("as it ran"),
        ("agent", result(1, stopReason="end_turn")),
        ("client", request(2, "session/load", sessionId="s", cwd="/w")),
        tool("as history tells it"),
        ("agent", result(2)),
        ("client", request(3, "session/prompt", sessionId="s", prompt=[])),
        tool("as it ran again"),
        ("agent", result(3, stopReason="end_turn")),
    )
    spans = _spans(written("otlp", given(file, content=True)))
    assert len({span.span_id for span in spans}) == len(spans)
    commands = [
        json.loads(_attributes(span)["gen_ai.tool.call.arguments"])["command"]
        for span in sorted(spans, key=lambda span: span.start_time_unix_nano)
        if span.name == "execute_tool other"
    ]
    assert commands == ["as it ran", "as it ran again"]


def test_without_times_the_frames_count() -> None:
    """Spans need times: they count frames from 1970 then; notes say so, and each span to whoever sees no notes."""
    untimed = without_times("opencode-cancel-acpx")
    spans = _spans(written("otlp", untimed))
    (turn,) = [span for span in spans if span.name.startswith("invoke_agent")]
    (fact,) = untimed.facts.turns
    assert fact.settled_frame is not None
    assert (
        turn.end_time_unix_nano - turn.start_time_unix_nano == (fact.settled_frame - fact.frame) * 1_000_000
    )
    assert "the trace has no times: one frame is taken for 1 ms" in untimed.notes
    marks = [
        [each.value.bool_value for each in span.attributes if each.key == "acp.has_times"] for span in spans
    ]
    assert marks == [[False]] * len(spans)


@contextmanager
def _collector(status: int = 200, reason: str | None = None) -> Iterator[tuple[str, list[Any]]]:
    """A collector on this machine: its address, and the requests that it got."""
    got: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            body = gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body
            got.append((self.path, ExportTraceServiceRequest.FromString(body)))
            self.send_response(status, reason)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", got
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_official_exporter_sends_the_same_spans(commands: Commands) -> None:
    """What a collector gets is what the file has."""
    file = SAMPLES / "gemini-model.jsonl"
    with _collector() as (url, got):
        said = commands.json("export", file, "--otlp-endpoint", url)
    ((path, sent),) = got
    assert path == "/v1/traces"
    spans = [span for one in sent.resource_spans for scoped in one.scope_spans for span in scoped.spans]
    expected = _spans(written("otlp", given("gemini-model")))
    assert said == {"trace": str(file), "endpoint": url, "spans": len(spans), "format": "otlp", "notes": []}
    for span, other in zip(spans, expected, strict=True):
        span.flags = other.flags = 0
        assert (span.trace_id, span.span_id, span.parent_span_id) == (
            other.trace_id,
            other.span_id,
            other.parent_span_id,
        )
        assert (span.name, span.start_time_unix_nano, span.end_time_unix_nano) == (
            other.name,
            other.start_time_unix_nano,
            other.end_time_unix_nano,
        )
        assert _attributes(span) == _attributes(other)


def test_a_collector_that_refuses(commands: Commands) -> None:
    """Exit code 3, and one line of ours."""
    with _collector(400) as (url, _):
        said = commands("export", SAMPLES / "opencode-story.jsonl", "--otlp-endpoint", url)
    assert said.code == 3
    assert f"acp-trace: {url}/v1/traces did not accept the spans" in said.err


@pytest.mark.slow
def test_nothing_of_a_collectors_answer_and_no_login_is_printed(tmp_path: Path, commands: Commands) -> None:
    """Its reason would reach the terminal as it is, through the exporter's own log; keys stand in the URL.

    In a process of its own: in this one pytest takes what is logged, whatever the command does about it.
    """
    with _collector(400, "no\x1b]0;owned\x07") as (url, _):
        keyed = url.replace("://", "://me:hunter2@") + "/v1/traces?key=hunter3"
        done = Home(tmp_path / "home").outcome(
            "export", str(SAMPLES / "opencode-story.jsonl"), "--otlp-endpoint", keyed
        )
    assert done.returncode == 3
    assert done.stderr == f"acp-trace: {url}/v1/traces did not accept the spans\n".encode()
    with _collector() as (url, got):
        keyed = url.replace("://", "://me:hunter2@")
        assert (
            commands.json("export", SAMPLES / "opencode-story.jsonl", "--otlp-endpoint", keyed)["endpoint"]
            == url
        )
    assert got


@pytest.mark.parametrize(
    "words",
    [
        ("--otlp-endpoint", "nowhere"),
        ("--otlp-endpoint", "http://127.0.0.1:1", "--to", "har"),
        ("--content",),
        ("--to", "har", "--content"),
    ],
)
def test_misuse(commands: Commands, words: tuple[str, ...], tmp_path: Path) -> None:
    """An address that is none, and options that do not fit together."""
    assert commands("export", SAMPLES / "opencode-story.jsonl", *words).code in (2, 3)


def test_history_is_no_work(commands: Commands, tmp_path: Path) -> None:
    """A tool call that a fork, a load or a resume sends again has no span: it ran in another trace, or earlier."""
    file = tmp_path / "t.jsonl"
    file.write_bytes(trace(*forked()))
    spans = _spans(commands.passes("export", str(file), "--to", "otlp").encode())
    assert [_attributes(each).get("gen_ai.tool.call.id") for each in spans if "tool" in each.name] == ["new"]
