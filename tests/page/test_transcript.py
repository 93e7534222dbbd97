"""The view Transcript: a conversation to read, by mouse and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.analyze.findings.scenario import start
from tests.reading.talk import call, chosen, prompt, stop, up
from tests.subagents import below_a_call, in_sessions
from tests.support import trace

pytestmark = pytest.mark.browser


def test_a_conversation_is_read_from_above(opened: Callable[..., Page]) -> None:
    """Who says what, tools with what they printed, the option that was chosen; a turn has an address."""
    page = opened("opencode-story", "#a/transcript?turn=S1.1")
    expect(page.locator(".item:focus")).to_contain_text("HOLD on")
    expect(page.locator(".item.tool")).to_contain_text(
        "execute · completed · 126 ms, of which 487 µs waiting for permission"
    )
    expect(page.locator(".item.permission .chosen")).to_have_text("Allow once ✓ chosen")
    page.get_by_text("Raw output").click()
    expect(page.locator(".item.tool .folded").last).to_contain_text('"output": "notes.txt')
    page.keyboard.press("p")
    expect(page.locator(".item:focus")).to_contain_text("RUN ls")
    page.keyboard.press("j")
    expect(page.locator(".item:focus")).to_contain_text("Tool")
    page.get_by_role("link", name="Turn 2 ").first.click()
    expect(page.locator(".item:focus")).to_contain_text("SLOW down")
    expect(page.locator(".item.cancel").last).to_contain_text(
        "$/cancel_request of session/prompt #32 by the client: ran to its end"
    )
    page.locator(".item.agent", has_text="One").get_by_role("link", name="#33").click()
    expect(page.get_by_role("link", name="Messages")).to_have_attribute("aria-current", "")


def test_a_long_conversation_has_few_elements(opened: Callable[..., Page], tmp_path: Path) -> None:
    """Of a thousand turns only some are in the document; the last can be reached; diffs have signs."""
    change = {"type": "diff", "path": "/w/a.txt", "oldText": "one\n", "newText": "two\n"}
    said = [*start()]
    for number in range(1, 1001):
        said += [
            prompt(number),
            up("tool_call", toolCallId=f"t{number}", title="Edit", content=[change]),
            stop(number),
        ]
    path = tmp_path / "long.jsonl"
    path.write_bytes(trace(*said))
    page = opened(path, "#a/transcript?turn=S1.999")
    expect(page.locator(".item:focus")).to_have_class("item user")
    page.keyboard.press("j")
    expect(page.locator(".item:focus .diff .added").last).to_have_text("+two")
    assert page.locator(".item").count() < 300
    expect(page.locator(".item.tool").last).to_contain_text("+1 −1")


def test_what_was_refused_is_no_tick(opened: Callable[..., Page], tmp_path: Path) -> None:
    """The option that was chosen refused it: a cross, and the word."""
    options = [{"optionId": "n", "name": "No", "kind": "reject_once"}]
    asked = call(
        7, "session/request_permission", sessionId="s", toolCall={"toolCallId": "c"}, options=options
    )
    path = tmp_path / "refused.jsonl"
    path.write_bytes(trace(*start(), prompt(1), asked, chosen(7, optionId="n"), stop(1, "cancelled")))
    page = opened(path, "#a/transcript")
    expect(page.locator(".options .refused")).to_have_text("No ✗ refused")
    page.keyboard.press("e")
    expect(page.locator(".cancels article")).to_contain_text("after the refused permission")


def test_what_a_subagent_did_is_indented(opened: Callable[..., Page], tmp_path: Path) -> None:
    """Below the call that it works for; a session of its own is a link, and its lane is below its parent's."""
    path = tmp_path / "calls.jsonl"
    path.write_bytes(trace(*below_a_call()))
    page = opened(path, "#a/transcript")
    expect(page.locator(".item.below")).to_have_count(6)
    expect(page.locator(".item.below .above")).to_have_text(["in Explore code", "in Plan", "in Explore code"])
    path = tmp_path / "sessions.jsonl"
    path.write_bytes(trace(*in_sessions()))
    page = opened(path, "#a/transcript")
    page.locator(".item.subagent").get_by_role("link", name="S2").click()
    page.wait_for_url("**#a/transcript?session=S2")
    expect(page.locator(".item.subagent")).to_contain_text("Read the spec")
    expect(page.locator(".item.message")).to_contain_text(re.compile("from.*S1.*Plan it", re.DOTALL))
    page.evaluate("location.hash = '#a/timeline'")
    page.locator(".timeline summary").click()
    expect(page.locator(".timeline details")).to_contain_text("S1, ↳ agent")
