"""One session in all views: the choice in the page's head, the address, and where links lead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.page.test_accessibility import SERIOUS, load_axe
from tests.reading.talk import hello, prompt, stop, up
from tests.reading.talk import opened as session_opened
from tests.support import trace

pytestmark = pytest.mark.browser

_SESSIONS = ("ses-a", "ses-b", "ses-c")


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Three sessions at once: 4 chunks each, which alternate; #9 to #11 are the prompts."""
    file = tmp_path / "three.jsonl"
    said = [line for session in _SESSIONS for line in session_opened(session)]
    said += [prompt(session, session, f"say {session}") for session in _SESSIONS]
    for number in range(4):
        for session in _SESSIONS:
            content = {"type": "text", "text": f"{session} {number} "}
            said.append(up("agent_message_chunk", session=session, content=content))
    said += [stop(session) for session in _SESSIONS]
    file.write_bytes(trace(*hello(), *said, step=10**7))
    return file


def _choice(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Session")


def _frames(page: Page) -> Locator:
    return page.locator(".messages tbody tr[data-frame]:not([hidden])")


def _arrows(page: Page) -> Locator:
    return page.locator(".sequence tbody tr:not(.begins):not([hidden])")


def test_all_views_follow_the_choice(opened: Callable[..., Page], three: Path) -> None:
    """By the control and by the key `S`; from tab to tab; a step back leads back."""
    page = opened(three, "#a/sequence")
    expect(_choice(page).locator("option")).to_have_text(
        ["All sessions", "S1 · ses-a", "S2 · ses-b", "S3 · ses-c"]
    )
    expect(_arrows(page)).to_have_count(17)
    expect(_arrows(page).locator(".arrow b.session-2")).to_have_text(["S2"] * 4)
    _choice(page).select_option("ses-b")
    page.wait_for_url("**#a/sequence?session=S2")
    expect(_arrows(page)).to_have_count(4)
    expect(page.locator(".sequence tr.begins:not([hidden])")).to_have_count(1)
    expect(_arrows(page).locator("b:not(:empty)")).to_have_count(0)
    page.go_back()
    expect(_arrows(page)).to_have_count(17)
    page.go_forward()
    expect(_arrows(page)).to_have_count(4)
    page.keyboard.press("m")
    page.wait_for_url("**#a/messages?session=S2")
    expect(_frames(page)).to_have_count(7)
    expect(_frames(page).locator("td.session")).to_have_text(["S2"] * 7)
    page.keyboard.press("c")
    expect(page.locator(".stream .user")).to_contain_text("say ses-b")
    expect(_choice(page)).to_have_value("ses-b")
    page.keyboard.press("e")
    page.wait_for_url("**#a/state?session=S2")
    page.keyboard.press("t")
    page.wait_for_url("**#a/timeline?session=S2")
    page.locator(".timeline summary").click()
    where = page.locator(".timeline details tbody td:nth-child(3)")
    expect(where).to_have_text(["S2, turns"])
    page.locator(".timeline .lanes").focus()
    page.keyboard.press("=")
    expect(page.locator(".docked dd").first).to_have_text("7: 1 of the client, 6 of the agent")
    page.keyboard.press("Shift+S")
    expect(where).to_have_text(["S3, turns"])
    page.keyboard.press("Shift+S")
    expect(_choice(page)).to_have_value("")
    expect(where).to_have_count(7)
    page.keyboard.press("m")
    expect(_frames(page)).to_have_count(26)


def test_a_link_to_another_session_shows_all_again(opened: Callable[..., Page], three: Path) -> None:
    """What is of the chosen session keeps it; what the address names of another one is let go."""
    page = opened(three, "#a/timeline?session=s1")
    expect(_choice(page)).to_have_value("ses-a")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".timeline .said")).to_contain_text("S1, turns")
    page.locator(".timeline .said a").click()
    page.wait_for_url("**#a/messages?frame=9&session=S1")
    _choice(page).select_option("ses-c")
    page.wait_for_url("**#a/messages?session=S3")
    page.evaluate("location.hash = '#a/transcript?frame=9'")
    expect(_choice(page)).to_have_value("ses-a")
    page.evaluate("location.hash = '#a/messages?session=S9'")
    expect(page.get_by_role("alert")).to_contain_text("S9")


def test_the_choice_is_there_only_for_several_sessions(opened: Callable[..., Page], three: Path) -> None:
    """And only in the views that follow it."""
    page = opened(three, "#a/overview")
    expect(_choice(page)).to_be_hidden()
    page.keyboard.press("t")
    expect(_choice(page)).to_be_visible()
    page = opened("gemini-model", "#a/timeline")
    expect(_choice(page)).to_be_hidden()


@pytest.mark.parametrize(("dark", "width"), [(False, 1440), (True, 390)])
def test_sessions_are_no_fault_of_accessibility(
    opened: Callable[..., Page], three: Path, dark: bool, width: int
) -> None:
    """axe, with names in their colours, all of them and one; nothing is wider than a phone."""
    page = opened(three, "#a/sequence", dark=dark, width=width)
    load_axe(page)
    for fragment in ("sequence", "timeline", "messages?session=S2", "timeline?session=S3"):
        page.evaluate("(text) => { location.hash = text; }", f"#a/{fragment}")
        page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
        assert page.evaluate(SERIOUS) == [], fragment
        assert page.evaluate("document.documentElement.scrollWidth") <= width
