"""What an address of the page names: sessions and turns as everywhere; what does not exist is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.reading.talk import hello, prompt, stop
from tests.reading.talk import opened as session_opened
from tests.support import trace

pytestmark = pytest.mark.browser


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A trace of two sessions: S1 has the turns 0 and 1, S2 has turn 0."""
    path = tmp_path / "two.jsonl"
    said = [*session_opened("ses-a"), *session_opened("ses-b")]
    for number, session in enumerate(("ses-a", "ses-b", "ses-a")):
        said += [prompt(number + 9, session, f"say {number}"), stop(number + 9)]
    path.write_bytes(trace(*hello(), *said))
    return path


def test_sessions_and_turns_have_the_same_names_everywhere(opened: Callable[..., Page], two: Path) -> None:
    """In the address, in the list of turns, in the choice of sessions; the id is in the tooltip."""
    page = opened(two, "#a/transcript?turn=S2.0")
    expect(page.locator(".turns .name")).to_have_text(["Turn S2.0"])
    expect(page.locator(".choice option")).to_have_text(["S1 · ses-a", "S2 · ses-b"])
    expect(page.locator(".choice option").nth(1)).to_have_attribute("title", "ses-b")
    page.locator(".choice select").select_option("ses-a")
    page.wait_for_url("**#a/transcript?session=S1")
    page.evaluate("location.hash = '#a/messages?session=ses-b&turn=0'")
    cells = page.locator(".virtual tbody tr[data-frame] td.session")
    expect(cells).to_have_text(["S2", "S2"])
    expect(cells.first).to_have_class("session session-2")
    expect(cells.first).to_have_attribute("title", "ses-b")
    page.evaluate("location.hash = '#a/timeline?turn=1'")
    expect(page.locator(".timeline .said")).to_contain_text("S1.1")
    expect(page.get_by_role("alert")).to_be_hidden()


@pytest.mark.parametrize(
    ("fragment", "says"),
    [
        ("timeline?turn=0", "2 sessions have a turn 0: say which (S1.0, S2.0)"),
        ("timeline?turn=S2.1", "There is no turn S2.1: the last one is turn S2.0"),
        ("transcript?turn=9", "There is no turn 9: the last one is turn 1"),
        ("messages?turn=S3.0", "There is no session S3: this trace has S1 to S2"),
        ("sequence?turn=x", "x is not a turn, such as 0 or S2.0"),
        ("messages?session=nobody", "There is no session nobody: this trace has S1 to S2"),
    ],
)
def test_what_does_not_exist_is_said(
    opened: Callable[..., Page], two: Path, fragment: str, says: str
) -> None:
    """In one line above the view, until one goes elsewhere."""
    page = opened(two, f"#a/{fragment}")
    expect(page.get_by_role("alert")).to_contain_text(says)
    page.keyboard.press("o")
    page.keyboard.press("m")
    expect(page.get_by_role("alert")).to_be_hidden()
