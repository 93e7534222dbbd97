"""The view Messages: every frame as a row, filters, search, and one message in full."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from acp_trace.report.page import html
from tests.http_story import http_trace
from tests.support import header, line, trace, update

pytestmark = pytest.mark.browser


def _large(tmp_path: Path, frames: int) -> Path:
    """A trace of so many updates, of which one in a hundred says "needle"."""
    frames_of = (
        update(
            "s",
            "agent_message_chunk",
            content={"type": "text", "text": f"{'needle' if number % 100 == 50 else 'hay'} {number}"},
        )
        for number in range(1, frames + 1)
    )
    path = tmp_path / "large.jsonl"
    path.write_bytes(trace(*(("agent", frame) for frame in frames_of)))
    return path


def test_keys_lead_from_row_to_message(opened: Callable[..., Page]) -> None:
    """Down and Enter open a message; the address follows; `x` goes to the other one of its exchange; Esc closes."""
    page = opened("gemini-model", "#a/messages")
    expect(page.locator("[data-frame='14']")).to_contain_text("selected proceed_once")
    for _ in range(13):
        page.keyboard.press("j")
    page.keyboard.press("Enter")
    message = page.get_by_role("region", name="Message")
    expect(message).to_contain_text("#13 ◂ agent request session/request_permission")
    expect(message).to_contain_text("no update has announced")
    page.wait_for_url("**frame=13")
    page.keyboard.press("x")
    expect(message).to_contain_text("answers #13")
    page.wait_for_url("**frame=14")
    page.goto(page.url.split("#")[0] + "#a/messages?frame=9")
    expect(message).to_contain_text("#9 ◂")  # a key that comes before the new address is for the old one
    page.keyboard.press("]")
    expect(message).to_contain_text("#10")
    page.keyboard.press("Escape")
    expect(message).to_be_hidden()


def test_a_row_of_stderr_has_no_bar(opened: Callable[..., Page]) -> None:
    """Also if a frame had the row before one scrolled."""
    page = opened("opencode-story", "#a/messages", height=400)
    expect(page.locator("tr.agent td.waterfall i").first).to_be_visible()
    page.mouse.move(300, 250)
    for down in (760, 100, 100, -100, -100):
        page.mouse.wheel(0, down)
        page.evaluate(
            "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
        )
        expect(page.locator("tr.log td.waterfall i")).to_have_count(0)
    expect(page.locator("tr.log:visible").first).to_be_visible()


def test_a_message_says_its_stream(opened: Callable[..., Page], tmp_path: Path) -> None:
    """Which request of HTTP carried it; over pipes there is nothing to say."""
    path = tmp_path / "http.jsonl"
    path.write_bytes(http_trace())
    message = opened(path, "#a/messages?frame=8").get_by_role("region", name="Message")
    expect(message).to_contain_text("Stream#6 POST /acp 404")
    message = opened("gemini-model", "#a/messages?frame=9").get_by_role("region", name="Message")
    expect(message).to_contain_text("#9")
    expect(message).not_to_contain_text("Stream")


def test_filters_are_in_the_address(opened: Callable[..., Page]) -> None:
    """By mouse and by link; stderr is shown only between all frames."""
    page = opened("gemini-model", "#a/messages")
    said = page.locator(".said")
    page.keyboard.press("End")
    expect(page.locator("tr.log").last).to_contain_text("stderr")
    page.get_by_label("Method").select_option("session/prompt")
    expect(said).to_have_text("6 of 40 frames")
    page.get_by_label("Side").select_option("client")
    expect(said).to_have_text("3 of 40 frames")
    expect(page).to_have_url(re.compile("method=session%2Fprompt"))
    expect(page).to_have_url(re.compile("side=client"))
    page.evaluate("location.hash = '#a/messages?kind=response&turn=S1.1'")
    expect(said).to_have_text("1 of 40 frames")
    expect(page.locator("[data-frame]:not([hidden])")).to_have_attribute("data-frame", "27")


def test_a_text_is_found_in_all_messages(opened: Callable[..., Page], tmp_path: Path) -> None:
    """The search says how many it found; `n` goes from one to the next, also where it only marks."""
    page = opened(_large(tmp_path, 5000), "#a/messages")
    page.keyboard.press("/")
    page.keyboard.type("NEEDLE")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_have_text("50 matches in 5\u202f000 frames")
    page.get_by_label("Mark only").check()
    page.locator("[data-frame]").first.click()
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(page.locator("tr[aria-selected=true]")).to_have_attribute("data-frame", "150")
    expect(page.locator("tr[aria-selected=true]")).to_have_class("agent   match")


def test_a_text_is_searched_for_as_one_types(opened: Callable[..., Page]) -> None:
    """The hit is marked in the row, or what stands around it is; Enter goes on; Esc empties the field alone."""
    page = opened("gemini-model", "#a/messages")
    field = page.get_by_role("combobox", name="Filter")
    field.press_sequentially('"Buy milk"')
    expect(page.locator(".said")).to_contain_text("matches in 40 frames")
    mark = page.locator("tr[data-frame]:not([hidden]) td.gist mark")
    expect(mark.first).to_have_text(re.compile("buy milk", re.IGNORECASE))
    field.press("Enter")
    message = page.get_by_role("region", name="Message")
    expect(message).to_be_visible()
    first = page.locator("tr[aria-selected=true]").get_attribute("data-frame")
    expect(message.locator(".content")).to_contain_text("Buy milk")
    page.wait_for_function(
        "() => [...CSS.highlights.get('hit')].some((range) => String(range) === 'Buy milk')"
    )
    field.press("Enter")
    expect(page.locator("tr[aria-selected=true]")).not_to_have_attribute("data-frame", str(first))
    field.press("Escape")
    expect(field).to_have_value("")
    expect(page.locator(".said")).to_have_text("40 frames")
    expect(message).to_be_visible()


def test_a_hit_is_in_sight_where_it_is_deep(opened: Callable[..., Page], tmp_path: Path) -> None:
    """What the row does not show is an excerpt; the tree is open where it stands, and scrolled to it."""
    deep = {"one": {"two": {"three": {"four": {"five": {"six": "a needle"}}}}}}
    many = {f"x{number}": "y" * 100 for number in range(60)}
    path = tmp_path / "deep.jsonl"
    path.write_bytes(trace(("agent", update("s", "usage_update", **many, _meta=deep))))
    page = opened(path, "#a/messages?q=NEEDLE&frame=1")
    expect(page.locator("td.gist mark")).to_have_text("needle")
    expect(page.locator(".json .string", has_text="a needle")).to_be_in_viewport()


def test_a_long_list_is_exact_to_the_row(
    opened: Callable[..., Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are few elements. Where the scroll bar stands for more than its pixels, keys and wheel are exact."""
    script = html._script().replace("8e6", "3e5")
    assert "3e5" in script
    monkeypatch.setattr(html, "_script", lambda _: script)
    page = opened(_large(tmp_path, 20_000), "#a/messages?frame=10000")
    chosen = page.locator("tr[aria-selected=true]")
    expect(chosen).to_have_attribute("data-frame", "10000")
    assert page.evaluate("document.querySelector('.virtual').scrollHeight") < 310_000
    assert page.locator("tbody tr").count() < 60
    place = chosen.bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 20, place["y"] + 10)
    page.mouse.wheel(0, 5 * 24)
    row = "([x, y]) => document.elementFromPoint(x, y).closest('tr').dataset.frame"
    page.wait_for_function(f"(at) => ({row})(at) === '10005'", arg=[place["x"] + 20, place["y"] + 10])
    for key, frame in (("End", 20_000), ("k", 19_999), ("Home", 1), ("j", 2)):
        page.keyboard.press(key)
        expect(chosen).to_have_attribute("data-frame", str(frame))
        expect(chosen).to_be_in_viewport(ratio=0.95)


def test_the_tree_is_for_keys(opened: Callable[..., Page]) -> None:
    """Arrows move, open and close; the list does not move with them. Bytes and text are there as well."""
    page = opened("gemini-model", "#a/messages?frame=13")
    items = page.get_by_role("treeitem")
    expect(items.first).to_be_visible()
    before = items.count()
    items.first.focus()
    for key in ("End", "ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    assert items.count() > before
    expect(page.locator("tr[aria-selected=true]")).to_have_attribute("data-frame", "13")
    page.get_by_role("button", name="Bytes").click()
    expect(page.locator(".detail pre")).to_contain_text("00000000  7b 22")
    assert page.locator(".detail .hex").evaluate("(pre) => pre.scrollWidth <= pre.clientWidth")
    page.get_by_role("button", name="Text").click()
    expect(page.locator(".detail pre")).to_contain_text('{"jsonrpc":"2.0"')


def test_a_tab_leads_back_to_where_one_was(opened: Callable[..., Page]) -> None:
    """To the filters, the open message and the scrolled place; keys of another view do nothing meanwhile."""
    page = opened("gemini-model", "#a/messages?side=agent&frame=27")
    expect(page.locator(".said")).to_have_text("32 of 40 frames")
    page.get_by_role("link", name="Transcript").click()
    page.get_by_role("navigation", name="Turns").get_by_role("link").nth(1).click()
    expect(page.locator(".stream .item:focus")).to_be_visible()
    page.evaluate("""() => new Promise((scrolled) => {
        const view = document.getElementById("view");
        view.addEventListener("scroll", () => view.scrollTop === 111 && scrolled());
        view.scrollTop = 111;
    })""")
    page.keyboard.press("m")
    page.wait_for_url("**#a/messages?side=agent&frame=27")
    expect(page.get_by_role("region", name="Message")).to_contain_text("#27")
    page.get_by_role("link", name="Transcript").click()
    page.wait_for_url("**#a/transcript?turn=S1.1")
    page.wait_for_function("() => document.getElementById('view').scrollTop === 111")
    page.get_by_role("link", name="Overview").click()
    page.keyboard.press("j")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").get_by_role("heading")).to_have_text(["Page", "Signs"])
    page.keyboard.press("Escape")
    page.wait_for_url("**#a/overview")


def test_a_text_is_found_in_stderr(opened: Callable[..., Page]) -> None:
    """If nothing else is filtered; the line stands among the frames that have it."""
    page = opened("gemini-model", "#a/messages")
    page.keyboard.press("End")
    line = page.locator("tr.log").last.locator(".gist").inner_text()
    page.keyboard.press("/")
    page.keyboard.type(json.dumps(line))
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_contain_text("in 40 frames and stderr")
    expect(page.locator("tr.log:not([hidden])").last).to_contain_text(line)
    page.get_by_label("Mark only").check()
    page.keyboard.press("End")
    expect(page.locator("tr.log.match")).not_to_have_count(0)
    page.get_by_label("Side").select_option("agent")
    expect(page.locator(".said")).to_have_text("0 matches in 32 frames")


def test_a_frame_that_is_not_utf_8_is_saved(opened: Callable[..., Page], tmp_path: Path) -> None:
    """Byte for byte, because text would not be the same; another one is copied with its byte order mark."""
    path = tmp_path / "bytes.jsonl"
    broken, marked = b'{"jsonrpc":"2.0","x":"\xff"}', '\ufeff{"jsonrpc":"2.0"}'
    path.write_bytes(
        header()
        + line(t=1, **{"from": "agent"}, base64=b64encode(broken).decode())
        + line(t=2, **{"from": "agent"}, text=marked)
    )
    page = opened(path, "#a/messages?frame=1")
    message = page.get_by_role("region", name="Message")
    expect(message).to_contain_text("Not UTF-8")
    with page.expect_download() as download:
        message.get_by_role("button", name="Save frame").click()
    assert download.value.suggested_filename == "frame-1.bin"
    assert download.value.path().read_bytes() == broken
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.keyboard.press("j")
    expect(message).to_contain_text("#2")
    message.get_by_role("button", name="Copy frame").click()
    expect(message.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == marked


def test_printing_has_more_than_what_is_in_sight(opened: Callable[..., Page], tmp_path: Path) -> None:
    """Two thousand rows of those that pass the filters, from where one is, with what they say, and how many are left out."""
    page = opened(_large(tmp_path, 5000), "#a/messages")
    page.keyboard.press("End")
    expect(page.locator("[data-frame='5000']")).to_be_visible()
    page.evaluate(
        "print = () => { dispatchEvent(new Event('beforeprint')); document.body.dataset.printed = ''; }"
    )
    page.keyboard.press("Control+p")
    page.wait_for_selector("body[data-printed]")
    page.emulate_media(media="print")
    paper = page.locator(".paper tbody tr:visible")
    expect(paper).to_have_count(2000)
    expect(paper.first).to_contain_text("hay 3001")
    expect(page.locator(".paper p")).to_have_text("Left out: 3\u202f000 rows before, 0 after")
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.evaluate("delete document.body.dataset.printed")
    page.get_by_role("combobox", name="Filter").fill("needle")
    page.get_by_role("combobox", name="Filter").press("Enter")
    expect(page.locator(".said")).to_contain_text("50 matches")
    page.keyboard.press("Control+p")
    page.wait_for_selector("body[data-printed]")
    expect(page.locator(".paper tbody tr")).to_have_count(50)
    expect(page.locator(".paper p")).to_have_count(0)


def test_rows_after_the_chosen_one_stay_in_sight(opened: Callable[..., Page], tmp_path: Path) -> None:
    """One sees what follows, also when the message opens below the list and takes its room."""
    page = opened(_large(tmp_path, 200), "#a/messages", width=390, height=844)
    for _ in range(30):
        page.keyboard.press("j")
    after = page.locator("tr[data-frame='32']")
    expect(after).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Message")).to_be_visible()
    page.wait_for_function("""() => {
        const row = document.querySelector("tr[data-frame='32']")?.getBoundingClientRect();
        const list = document.querySelector(".virtual").getBoundingClientRect();
        return row && row.bottom <= list.bottom + 1;
    }""")


def test_chunks_of_a_message_are_one_row(opened: Callable[..., Page], tmp_path: Path) -> None:
    """As the transcript and `frames --join` join them, with filters, a search, and stderr between them."""

    def chunk(text: str, session: str = "s") -> tuple[str, dict[str, Any]]:
        return "agent", update(session, "agent_message_chunk", content={"type": "text", "text": text})

    path = tmp_path / "chunks.jsonl"
    path.write_bytes(
        trace(
            chunk("Hel"), chunk("other", "t"), chunk("lo "),
            ("agent", update("s", "usage_update", used=1, size=2)), chunk("world"),
            ("agent", update("s", "tool_call", toolCallId="c", title="It")), chunk("again"),
        ) + line(t=8_000_000, log="a line of stderr")
    )  # fmt: skip
    page = opened(path, "#a/messages")
    rows = page.locator(".messages tbody tr:not([hidden])")
    expect(rows).to_have_count(8)
    page.get_by_label("Join chunks").check()
    expect(rows).to_have_count(6)
    expect(page).to_have_url(re.compile("join=1"))
    expect(page.locator(".said")).to_have_text("5 rows of 7 frames")
    first = page.locator("[data-frame='1']")
    expect(first.locator("td.frame")).to_have_text("▲ 1–5")
    expect(first.locator("td.gist")).to_have_text('×3 "Hello world"')
    expect(rows.last).to_contain_text("a line of stderr")
    page.get_by_role("combobox", name="Filter").fill("world")
    expect(page.locator(".said")).to_have_text("1 match in 7 frames and stderr")
    expect(first.locator("mark")).to_have_text("world")
    page.get_by_role("combobox", name="Filter").press("Enter")
    message = page.get_by_role("region", name="Message")
    expect(message).to_contain_text("#5 ◂ agent")
    message.get_by_role("link", name="all of it").click()
    expect(page.locator("article:focus")).to_contain_text("Hello world")


@pytest.mark.parametrize("width", [1440, 900, 390])
def test_a_line_of_stderr_uses_the_whole_row(opened: Callable[..., Page], tmp_path: Path, width: int) -> None:
    """What does not fit ends in `…`: it is never wider than its row."""
    file = tmp_path / "long.jsonl"
    file.write_bytes(
        trace(("agent", update("s", "usage_update", used=1, size=2)), end=False)
        + line(t=9_000, log="stderr " * 90)
    )
    page = opened(file, "#a/messages", width=width)
    text, row = (page.locator(f"tr.log{of}").first.bounding_box() for of in (" .rest", ""))
    assert text is not None
    assert row is not None
    assert row["x"] + row["width"] - 24 < text["x"] + text["width"] <= row["x"] + row["width"]
