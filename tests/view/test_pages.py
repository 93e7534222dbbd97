"""The pages that are kept, and that all is let go in the end."""

from __future__ import annotations

import os
from pathlib import Path

from acp_trace.store.catalog import resolve
from acp_trace.trace.home import Home
from acp_trace.view.pages import Pages
from acp_trace.view.traces import Traces
from tests import support


def _open_below(path: Path) -> list[str]:
    links = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
    return [link for link in links if os.path.islink(link) and os.readlink(link).startswith(str(path))]


def test_a_request_that_comes_too_late_opens_nothing(home: support.Home, tmp_path: Path) -> None:
    """A server that ends has threads that are just answering: what they opened then would stay open."""
    file = tmp_path / "t.jsonl"
    file.write_bytes(support.trace(("client", {"n": 1})))
    traces = Traces(Home(home.path))
    source = resolve(Home(home.path), str(file))
    number = traces.number_of(source)
    source.close()
    pages = Pages(traces)
    assert pages.part((number,), "page.json") is not None
    pages.close()
    assert pages.part((number,), "page.json") is None
    assert _open_below(file) == []
