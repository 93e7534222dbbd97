"""The view Overview, and the line above all views."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.reading.talk import hello, prompt, stop
from tests.reading.talk import opened as session_opened
from tests.support import trace

pytestmark = pytest.mark.browser


def test_the_page_begins_with_the_answers(opened: Callable[..., Page]) -> None:
    """Who talked to whom and the verdict stand above; the five questions come first."""
    page = opened("opencode-story")
    line = page.locator(".headline")
    expect(line).to_contain_text(re.compile("⇄.*OpenCode.*! 1 warning.*exit 0", re.IGNORECASE | re.DOTALL))
    expect(page.locator(".overview article h2")).to_have_count(5)
    expect(page.locator(".overview")).to_contain_text("4 changes asked for: 4 applied.")
    page.keyboard.press("m")
    expect(line).to_contain_text("1 warning")


def test_an_answer_leads_to_its_frame(opened: Callable[..., Page]) -> None:
    """By a link; and a turn to its place on the timeline."""
    page = opened("opencode-story", "#a/overview")
    page.locator(".overview article", has_text="How long did cancels take?").get_by_role(
        "link", name="#29"
    ).click()
    expect(page).to_have_url(re.compile("#a/state.cancel=29$"))
    page.keyboard.press("o")
    page.locator(".overview .turns").get_by_role("link", name="Turn 1").click()
    expect(page).to_have_url(re.compile("#a/timeline.turn=S1\\.1$"))


def test_a_finding_leads_to_what_stderr_said(opened: Callable[..., Page]) -> None:
    """OpenCode says there that it does not know the cancel: the line leads to its place."""
    page = opened("opencode-story", "#a/overview")
    line = page.locator(".overview .findings .stderr li", has_text="Method not found")
    expect(line).to_be_visible()
    line.get_by_role("link").click()
    expect(page).to_have_url(re.compile("#a/messages.frame=34$"))
    expect(page.locator("tr.log", has_text="Error handling notification")).to_be_visible()
    page.keyboard.press("o")
    page.locator(".overview .findings .stderr").get_by_role("link", name=re.compile(r"and \d+ more")).click()
    expect(page.locator("tr.log", has_text="Method not found")).to_be_visible()
    expect(page.locator("tr.log", has_text="registered")).to_have_count(0)


def test_shares_of_a_turn_are_words_too(opened: Callable[..., Page]) -> None:
    """What the bar shows is said to those who do not see it."""
    page = opened("gemini-model", "#a/overview")
    bar = page.locator(".overview .bar").first
    expect(bar).to_have_attribute("aria-label", "model 13.0 ms, tools 130 ms, client 1.40 ms, own 271 ms")


def test_two_sessions_are_told_apart(opened: Callable[..., Page], tmp_path: Path) -> None:
    """Turns of two sessions have the same numbers; those of one need no more."""
    said = [*hello()]
    for session in ("s-in-the-morning", "s-in-the-evening"):
        said += [*session_opened(session), prompt(session, session), stop(session)]
    file = tmp_path / "two.jsonl"
    file.write_bytes(trace(*said))
    page = opened(file)
    first = page.locator(".overview .turns tbody td:first-child")
    expect(first).to_have_text(["Turn S1.0", "Turn S2.0"])
    expect(opened("gemini-model").locator(".overview .turns tbody td:first-child")).to_have_text(
        ["Turn 0", "Turn 1", "Turn 2"]
    )


def test_latency_leads_to_the_slowest_answers(opened: Callable[..., Page]) -> None:
    """By method, as `show` has it; a method leads to its answers, the slowest first."""
    page = opened("opencode-story", "#a/overview")
    row = page.locator(".overview .latency tbody tr").first
    expect(row.locator("td")).to_have_text(["▸ session/prompt", "3", "1.10 s", "2.16 s", "2.16 s"])
    row.get_by_role("link").click()
    expect(page).to_have_url(re.compile("method=session%2Fprompt&kind=response&sort=-took"))
    expect(page.locator(".messages tbody tr").first).to_contain_text("2.16 s")


def test_tokens_are_summed(opened: Callable[..., Page]) -> None:
    """For the whole trace and each turn; in Model, too."""
    page = opened("gemini-model", "#a/overview")
    spent = page.locator(".overview .spent")
    expect(spent.locator("p")).to_have_text(
        "800 tokens in, 160 out. Turn 0 and turn 2 used most: 300 tokens in, 60 out each."
    )
    expect(page.get_by_role("region", name="Tokens by turn").locator("tbody tr").nth(1)).to_have_text(
        "Turn 120040"
    )


def test_an_item_has_one_link(opened: Callable[..., Page]) -> None:
    """All of its text; and no card leaves a hole."""
    page = opened("opencode-story", "#a/overview")
    items = page.locator(".overview .answers li:visible")
    expect(items.first).to_be_visible()
    assert (
        items.evaluate_all("(all) => all.map((each) => each.querySelectorAll('a').length)")
        == [1] * items.count()
    )
    boxes = page.locator(".overview article").evaluate_all(
        "(all) => all.map((each) => each.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])"
    )
    assert all(0 <= after[0] - before[1] < 2 for before, after in itertools.pairwise(boxes))


@pytest.mark.parametrize("sample", ["gemini-model", "opencode-story", "incomplete"])
def test_the_line_above_takes_two_lines_on_a_phone(opened: Callable[..., Page], sample: str) -> None:
    """Who talked to whom, and how that went; what is cut there stands at the foot of the overview."""
    box = opened(sample, width=390, height=780).locator(".headline").bounding_box()
    assert box is not None
    assert box["height"] < 55


def test_a_turn_says_which_cancel_ended_it(opened: Callable[..., Page]) -> None:
    """With a link to its waterfall, where the cursor stands at the cancel; and what is more is there as well."""
    page = opened("opencode-story", "#a/overview")
    more = page.locator(".overview article", has_text="Were config changes applied?").locator("details")
    expect(more.locator("summary")).to_have_text("and 1 more")
    more.locator("summary").click()
    expect(more.get_by_role("listitem")).to_contain_text("changed by the agent")
    turn = page.locator(".overview .turns tr", has_text="HOLD on")
    expect(turn).to_contain_text("cancelled by #29")
    turn.get_by_role("link", name="#29").click()
    expect(page.locator(".cancels .meant")).to_contain_text("Turn 1 HOLD on")
    expect(page.get_by_role("status")).to_contain_text("At 3.659 s")


@pytest.mark.parametrize("sample", ["gemini-model", "opencode-story", "incomplete"])
def test_tables_fit_on_a_phone(opened: Callable[..., Page], sample: str) -> None:
    """A row has lines of its own there: what it says takes the whole width, and nothing is cut."""
    page = opened(sample, "#a/overview", width=390, height=780)
    tables = page.locator(".overview .wide")
    expect(tables.first).to_be_visible()
    assert (
        tables.evaluate_all("(all) => all.filter((each) => each.scrollWidth > each.clientWidth).length") == 0
    )
    said = page.locator(".overview .lines .said")
    assert (
        said.evaluate_all(
            "(all) => all.filter((each) => each.clientWidth < each.closest('.wide').clientWidth).length"
        )
        == 0
    )


@pytest.mark.parametrize("view", ["overview", "timeline", "sequence", "messages", "transcript", "state"])
def test_only_the_view_scrolls(opened: Callable[..., Page], view: str) -> None:
    """The page itself never does, however little room there is."""
    page = opened("opencode-story", f"#a/{view}", height=300)
    expect(page.locator("main > *")).to_be_visible()
    page.wait_for_function(
        "() => !document.querySelector('main > .overview') || document.querySelector('.facts')"
    )
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") == 0
