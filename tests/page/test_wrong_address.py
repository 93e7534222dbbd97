"""An address that names what is not there: one line above the view says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_what_does_not_exist_is_said(opened: Callable[..., Page]) -> None:
    """Of each thing that an address can name; the view is shown all the same, and the line goes with the next one."""
    page = opened("gemini-model", "#a/messages?frame=99999")
    said = page.get_by_role("alert")
    for fragment, words in {
        "messages?frame=99999": "Frame 99999 does not exist: this trace ends at #40",
        "messages?frame=-1": 'Frame "-1" does not exist: this trace ends at #40',
        "nonsense": 'There is no view "nonsense" here: this is Overview',
        "timeline?turn=9": "There is no turn 9: the last one is turn 2",
        "model?call=77": "Call 77 does not exist: this trace has 8 calls of a model",
        "state?session=<b>x": "There is no session <b>x: this trace has S1",
        "state?cancel=41": "Frame 41 does not exist: this trace ends at #40",
    }.items():
        page.evaluate("(fragment) => { location.hash = `#a/${fragment}`; }", fragment)
        expect(said).to_have_text(words)
        expect(page.locator("main > *")).to_be_visible()
    page.evaluate("() => { location.hash = '#b/overview'; }")
    expect(said).to_have_text('There is no trace "b" on this page')
    page.evaluate("() => { location.hash = '#a/messages?frame=40&turn=2&session='; }")
    expect(said).to_be_hidden()
