"""`export --to har`: every exchange with its bodies; and the validator of the format agrees."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from acp_trace.model.exchange import exchanges_in
from tests.formats.writing.exporting import given, written
from tests.real import packages
from tests.support import header, line

_VALIDATE = """
const validator = require(process.argv[1] + "/har-validator/lib/promise.js");
let text = ""; process.stdin.on("data", piece => text += piece);
process.stdin.on("end", () => validator.har(JSON.parse(text)).then(
    har => console.log(har.log.entries.length), error => { console.error(JSON.stringify(error.errors)); process.exit(1) }));
"""


def _log(file: bytes) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(file)["log"]
    return log


def test_entries_are_the_exchanges() -> None:
    """Method, address, status, bodies and times are those of the trace, and each names its turn."""
    sample = given("gemini-model")
    log = _log(written("har", sample))
    exchanges = exchanges_in(sample.entries())
    assert len(log["entries"]) == len(exchanges)
    for entry, exchange in zip(log["entries"], exchanges, strict=True):
        request, response = entry["request"], entry["response"]
        assert (request["method"], request["url"]) == (
            exchange.method,
            f"https://{exchange.host}{exchange.path}",
        )
        assert request.get("postData", {}).get("text", "").encode() == (exchange.request_body or b"")
        assert response["status"] == exchange.status
        assert response["content"].get("text", "").encode() == (exchange.response_body or b"")
        assert exchange.duration_ns is not None
        assert entry["time"] == pytest.approx(exchange.duration_ns / 1e6)
    turns = [call["turn"] for entry in log["entries"] for call in entry["_calls"]]
    assert sorted(turns) == [call.turn for call in sample.facts.model_calls]
    first = log["entries"][0]["startedDateTime"]
    assert first.startswith("2026-11-23T00:17:3")


def test_secret_headers_have_no_value() -> None:
    """What the recorder left out is named, and said to be left out."""
    headers = [
        each
        for entry in _log(written("har", given("gemini-model")))["entries"]
        for each in entry["request"]["headers"]
    ]
    secret = [each for each in headers if each["name"].lower() == "x-goog-api-key"]
    assert secret
    assert all((each["value"], each["comment"]) == ("", "secret: not recorded") for each in secret)


def test_what_never_ended_and_bytes() -> None:
    """An exchange that was broken off has what came; a body that is no text is base64."""

    def model(t: int, **event: Any) -> bytes:
        return line(t=t, model={"exchange": 1, **event})

    file = (
        header()
        + model(
            0, request={"method": "POST", "host": "h", "path": "/v1?a=1&b=", "protocol": "h2", "headers": []}
        )
        + model(5, response={"status": 200, "headers": [["content-type", "image/png"]]})
        + model(6, received_base64="/w==")
    )
    (entry,) = _log(written("har", given(file)))["entries"]
    assert entry["request"]["queryString"] == [{"name": "a", "value": "1"}, {"name": "b", "value": ""}]
    assert entry["_error"] == "still open when the trace ended"
    assert entry["response"]["content"] == {
        "size": 1,
        "mimeType": "image/png",
        "text": "/w==",
        "encoding": "base64",
    }


def test_without_a_models_side() -> None:
    """An archive without entries, and the user learns how to get some."""
    sample = given("opencode-story")
    assert _log(written("har", sample))["entries"] == []
    assert sample.notes == ["the trace has no model traffic: `acp-trace record --model` records it"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("gemini-model", "8"), ("opencode-story", "0")])
def test_the_validator_takes_it(name: str, count: str) -> None:
    """That is har-validator of npm, with the schema of HAR 1.2."""
    modules = packages.npm(*packages.HAR)
    validated = subprocess.run(
        ["node", "-e", _VALIDATE, str(modules)],
        input=written("har", given(name)),
        capture_output=True,
        check=False,
    )
    assert (validated.returncode, validated.stdout.decode().strip(), validated.stderr) == (0, count, b"")
