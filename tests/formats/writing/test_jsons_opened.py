"""`export --to jsons`, drawn by the page of the Rust SDK's trace viewer.

No registry has that page: the test takes it from a checkout of the SDK, which ACP_TRACE_RUST_SDK names. The
viewer's server gives its page the lines of the file as one array, at `/events` (its lib.rs): so does the test.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.formats.writing.exporting import given, without_times, written

_SDK = os.environ.get("ACP_TRACE_RUST_SDK")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(_SDK is None, reason="ACP_TRACE_RUST_SDK names no checkout of the Rust SDK"),
]
_PAGE = "src/agent-client-protocol-trace-viewer/src/viewer.html"
_DRAWN = """() => {
    const texts = selector => Array.from(document.querySelectorAll(selector), each => each.textContent);
    return {lanes: texts(".swimlane-header"), labels: texts(".message-label"), said: texts(".content-preview"),
            arrows: document.querySelectorAll(".message-group").length, deltas: texts(".delta-time"),
            answered: document.querySelectorAll(".active-span").length};
}"""
_SELECTED = """index => { selectEvent(index); return document.getElementById("detail-json").textContent }"""


def _opened(browser: Browser, file: bytes) -> tuple[dict[str, Any], list[Any]]:
    """What the viewer draws, and the details that it shows of each event."""
    lines = [line for line in file.decode().splitlines() if line.strip()]
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.route("**/*", lambda route: route.abort())
    html = (Path(_SDK or "") / _PAGE).read_text("utf-8")
    page.route("http://viewer.test/", lambda route: route.fulfill(body=html, content_type="text/html"))
    page.route(
        "http://viewer.test/events",
        lambda route: route.fulfill(body=f"[{','.join(lines)}]", content_type="application/json"),
    )
    page.goto("http://viewer.test/")
    page.wait_for_selector("#diagram")
    drawn: dict[str, Any] = page.evaluate(_DRAWN)
    details = [json.loads(page.evaluate(_SELECTED, at)) for at in range(len(lines))]
    page.close()
    assert errors == []
    return drawn, details


@pytest.mark.parametrize("name", ["gemini-model", "opencode-story", "ts-sdk-cancel-acpx"])
def test_a_session_is_drawn(browser: Browser, name: str) -> None:
    """Each message is an arrow with its method, each answered request a bar; prompts and details are as they were sent."""
    sample = given(name)
    drawn, details = _opened(browser, written("jsons", sample))
    frames = list(sample.frames())
    assert set(drawn["lanes"]) == {"Client", "Agent"}
    assert drawn["arrows"] == len(frames)
    methods = [frame.method for frame in frames if frame.kind.value != "response"]
    assert drawn["labels"] == [m if len(m or "") <= 20 else f"{(m or '')[:19]}…" for m in methods]
    answered = [exchange for exchange in sample.facts.exchanges if exchange.response_frame is not None]
    assert drawn["answered"] == len(answered)
    for turn in sample.facts.turns:
        assert turn.prompt in drawn["said"]
    assert drawn["deltas"]
    for frame, detail in zip(frames, details, strict=True):
        message = json.loads(frame.data)
        if detail["type"] == "response":
            assert detail["payload"] == message.get("error" if detail["is_error"] else "result")
        else:
            assert (detail["method"], detail["params"]) == (message["method"], message.get("params"))


def test_without_times_there_are_no_times(browser: Browser) -> None:
    """A log without times is drawn without the time between two messages."""
    drawn, details = _opened(browser, written("jsons", without_times("opencode-story")))
    assert drawn["deltas"] == []
    assert drawn["arrows"] == len(details) > 20
