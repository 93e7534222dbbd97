"""The view Sequence: what was said as arrows between lifelines."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.reading.talk import hello, prompt, stop
from tests.reading.talk import opened as session_opened
from tests.replay.lines import chunk
from tests.support import trace

pytestmark = pytest.mark.browser


def test_arrows_stand_in_order_of_time(opened: Callable[..., Page]) -> None:
    """Chunks are one arrow, calls of the model stand between messages, turns begin with a row of their own."""
    page = opened("gemini-model", "#a/sequence")
    rows = page.locator(".sequence tbody tr:not([hidden])")
    expect(rows.nth(8)).to_contain_text("session/prompt")
    texts = [row.split("\t") for row in page.locator(".sequence table").inner_text().splitlines()]
    said = " ".join(" ".join(cells) for cells in texts)
    places = [
        said.index(words)
        for words in ("Turn 0", "model call 1", "4 × agent_message_chunk", "#8 session/prompt")
    ]
    assert places == sorted(places)
    expect(page.locator("tr.waiting")).to_have_count(1)
    expect(page.locator("tr.waiting")).to_contain_text("session/request_permission")
    for name in ("errand", "Gemini CLI", "model"):
        expect(page.get_by_role("columnheader", name=name)).to_be_visible()


def test_a_response_is_tied_to_its_request(opened: Callable[..., Page]) -> None:
    """By keys and by pointing; Enter and a click lead to the message, or to the call of the model."""
    page = opened("gemini-model", "#a/sequence?turn=0")
    tied = page.locator("tr.tied:not([hidden])")
    chosen = page.locator("tr[aria-selected=true]")
    expect(chosen).to_contain_text("RUN echo")
    expect(tied.last).to_contain_text("#8 session/prompt")
    page.keyboard.press("n")
    expect(chosen).to_contain_text("COUNT 60")
    page.wait_for_url("**frame=21")
    page.locator(".sequence tr", has_text="selected proceed_once").hover()
    expect(tied).to_have_count(2)
    page.keyboard.press("Enter")
    page.wait_for_url("**#a/messages?frame=21")
    page.go_back()
    page.locator(".sequence tr", has_text="model call 1").click()
    page.wait_for_url("**#a/model?call=1")


@pytest.mark.parametrize("sample", ["gemini-model", "opencode-story"])
def test_names_have_room_on_a_phone(opened: Callable[..., Page], sample: str) -> None:
    """What is too long is cut with "…"; none stands over another, or over the numbers."""
    page = opened(sample, "#a/sequence", width=390, height=600)
    heads = page.locator("thead :is(.item, .arrow bdi, .model):visible")
    boxes = [box for box in (head.bounding_box() for head in heads.all()) if box]
    assert len(boxes) > 2
    for box, after in itertools.pairwise(sorted(boxes, key=lambda box: box["x"])):
        assert box["x"] + box["width"] <= after["x"] + 1


def test_what_broke_the_protocol_is_marked(opened: Callable[..., Page]) -> None:
    """As among the messages, by a sign and a colour."""
    page = opened("opencode-story", "#a/sequence?frame=42")
    row = page.locator("tr[aria-selected=true]")
    expect(row).to_have_class(re.compile("warning"))
    expect(row.locator("td.item")).to_have_text("▲ 42")


def test_chunks_of_several_sessions_that_alternate_are_one_arrow_each(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    """What another session says in between ends no message; what the same session does, does."""
    sessions = "stu"
    words = [chunk(f"word{number} ", session) for number in range(4) for session in sessions]
    file = tmp_path / "three.jsonl"
    file.write_bytes(
        trace(
            *hello(),
            *[line for session in sessions for line in session_opened(session)],
            *[prompt(session, session) for session in sessions],
            *words,
            *[stop(session) for session in sessions],
        )
    )
    page = opened(file, "#a/sequence")
    runs = page.locator(".sequence tr.run:not([hidden])")
    expect(runs).to_have_count(3)
    expect(runs.first).to_contain_text("4 × agent_message_chunk")
    page.goto(page.url.partition("#")[0] + "#a/sequence?frame=17")
    expect(page.locator("tr[aria-selected=true]")).to_contain_text("4 × agent_message_chunk")
