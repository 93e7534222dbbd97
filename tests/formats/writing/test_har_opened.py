"""An exported archive in real consumers: Playwright answers a browser's requests from it, mitmproxy reads its flows."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from acp_trace.model.exchange import exchanges_in
from tests.formats.writing.exporting import given, written
from tests.real import packages

_ASK = """async ([url, method, body]) => {
    const response = await fetch(url, { method, body: body || undefined });
    return [response.status, await response.text()];
}"""


@pytest.mark.browser
def test_a_browser_gets_the_recorded_answers(browser: Browser, tmp_path: Path) -> None:
    """Each request of the agent, asked again by a page, has its answer in the archive."""
    sample = given("gemini-model")
    archive = tmp_path / "model.har"
    archive.write_bytes(written("har", sample))
    asked = [one for one in exchanges_in(sample.entries()) if one.response_body]
    assert len(asked) > 1
    context = browser.new_context(bypass_csp=True)
    context.route_from_har(archive, not_found="abort")
    page = context.new_page()
    page.route("https://page.test/", lambda route: route.fulfill(body="<!doctype html>"))
    page.goto("https://page.test/")
    for one in asked:
        body = (one.request_body or b"").decode()
        url = f"https://{one.host}{one.path}"
        status, text = page.evaluate(_ASK, [url, one.method, body])
        assert (status, text) == (one.status, (one.response_body or b"").decode())
    context.close()


_READ = """
import json, sys
from mitmproxy.io import FlowReader
json.dump([[flow.request.method, flow.request.pretty_url, flow.request.get_text(),
            flow.response.status_code, flow.response.get_text()] for flow in FlowReader(sys.stdin.buffer).stream()], sys.stdout)
"""


@pytest.mark.slow
def test_mitmproxy_has_the_same_flows() -> None:
    """What `mitmweb --rfile` reads an archive with: of each exchange its address, its status and both bodies."""
    sample = given("gemini-model")
    python = packages.python(packages.MITMPROXY) / "python"
    read = subprocess.run(
        [python, "-I", "-c", _READ], input=written("har", sample), capture_output=True, check=True
    )
    assert json.loads(read.stdout) == [
        [
            one.method,
            f"https://{one.host}{one.path}",
            (one.request_body or b"").decode(),
            one.status,
            (one.response_body or b"").decode(),
        ]
        for one in exchanges_in(sample.entries())
    ]
