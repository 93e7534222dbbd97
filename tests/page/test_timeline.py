"""The view Timeline, by mouse and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import FloatRect, Page, expect

from tests.reading.talk import hello, prompt, stop, up
from tests.reading.talk import opened as session_opened
from tests.support import trace

pytestmark = pytest.mark.browser


def _chosen(page: Page) -> str:
    return page.locator(".timeline .said").inner_text()


def _items(page: Page) -> list[str]:
    """The table of the items in sight: what stands in the column What."""
    details = page.locator(".timeline details")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    expect(details.locator("caption")).to_contain_text("item")
    return details.locator("tbody tr td:nth-child(4)").all_inner_texts()


def _until(page: Page, condition: str) -> None:
    """Waits for what only a script sees. `wait_for_function` would evaluate text, which the page's policy forbids."""
    page.evaluate(
        f"""() => new Promise((done, failed) => {{
          const look = (left) => ({condition}) ? done() : left ? requestAnimationFrame(() => look(left - 1)) : failed("never");
          look(300);
        }})"""
    )


def _box(page: Page, what: str = ".lanes") -> FloatRect:
    box = page.locator(f".timeline {what}").bounding_box()
    assert box is not None
    return box


def _drawn(page: Page) -> list[str]:
    """All texts of the canvas, drawn again."""
    page.evaluate(
        """() => {
          window.drawn = [];
          const { fillText } = CanvasRenderingContext2D.prototype;
          CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
            window.drawn.push(text);
            fillText.call(this, text, ...place);
          };
        }"""
    )
    page.keyboard.press("0")
    _until(page, "window.drawn.includes('turns')")
    drawn: list[str] = page.evaluate("window.drawn")
    return drawn


_RANGE = re.compile(r"from=-?\d+&to=\d+$")


def _range(page: Page, until: re.Pattern[str] = _RANGE) -> tuple[int, int]:
    """What the address says is in sight (ns), once it says it."""
    expect(page).to_have_url(until)
    found = parse_qs(page.url.partition("?")[2])
    return int(found["from"][0]), int(found["to"][0])


def _zoomed(page: Page, range_: tuple[int, int]) -> None:
    """Waits until the address says another range."""
    expect(page).not_to_have_url(re.compile(f"from={range_[0]}&to={range_[1]}$"))
    expect(page).to_have_url(_RANGE)


def _told(page: Page) -> str:
    expect(page.locator(".timeline .tip")).to_be_visible()
    return page.locator(".timeline .tip").inner_text()


def test_a_long_title_is_cut_with_a_sign(opened: Callable[..., Page], tmp_path: Path) -> None:
    """The heading of a session ends inside a phone's screen."""
    path = tmp_path / "long.jsonl"
    title = up("session_info_update", title="All that is to be done before Friday evening")
    path.write_bytes(trace(*hello(), *session_opened("s"), prompt(1), title, stop(1)))
    drawn = _drawn(opened(path, "#a/timeline", width=320, height=800))
    (heading,) = (words for words in drawn if "All that" in words)
    assert heading.endswith("…")
    assert "evening" not in heading


def test_all_that_happened_is_there(opened: Callable[..., Page]) -> None:
    """Requests of the connection, turns, waits, tool calls, calls of the model, changes, cancels, findings."""
    items = _items(opened("gemini-model", "#a/timeline"))
    assert {"initialize", "session/new", "Turn 0", "Turn 1", "Turn 2", "session/cancel"} <= set(items)
    for start in ("Permission: ", "Call 8: ", "Config: ", "note: permission-unannounced"):
        assert any(item.startswith(start) for item in items), start


def test_keys_go_from_item_to_item_and_to_its_message(opened: Callable[..., Page]) -> None:
    """In order of time; the address names the item, Enter opens its message."""
    page = opened("gemini-model", "#a/timeline")
    page.keyboard.press("ArrowRight")
    assert "initialize" in _chosen(page)
    page.keyboard.press("ArrowRight")
    assert "authenticate" in _chosen(page)
    expect(page).to_have_url(re.compile("frame=3"))
    page.keyboard.press("ArrowLeft")
    assert "initialize" in _chosen(page)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#a/messages.frame=1$"))


def test_a_link_chooses_a_turn_and_a_stretch_of_time(opened: Callable[..., Page]) -> None:
    """`turn` is counted over all sessions; `from` and `to` are ns."""
    page = opened("gemini-model", "#a/timeline?turn=S1.1&from=4000000000&to=4800000000")
    assert "Turn 1" in _chosen(page)
    items = _items(page)
    assert ("Turn 1" in items, "initialize" in items, "Turn 2" in items) == (True, False, False)


def test_the_wheel_zooms_a_drag_moves_and_0_shows_all(opened: Callable[..., Page]) -> None:
    """Fewer items are in sight then, others, and all again."""
    page = opened("gemini-model", "#a/timeline")
    everything = _items(page)
    box = _box(page)
    page.mouse.move(box["x"] + 300, box["y"] + 60)
    for _ in range(8):
        page.mouse.wheel(0, -400)
    rows = page.locator(".timeline tbody tr")
    expect(rows).not_to_have_count(len(everything))
    near = _items(page)
    page.mouse.down()
    page.mouse.move(box["x"] - 4000, box["y"] + 60, steps=8)
    page.mouse.up()
    page.keyboard.press("-")
    assert len(near) < len(everything)
    page.keyboard.press("0")
    expect(rows).to_have_count(len(everything))


def test_the_address_keeps_what_is_in_sight(opened: Callable[..., Page]) -> None:
    """Wheel, drag, keys and map change it without a step back; a reload and the tab's name lead to the same."""
    page = opened("gemini-model", "#a/timeline")
    steps = page.evaluate("history.length")
    box, map_ = _box(page), _box(page, ".map")
    page.mouse.move(box["x"] + 600, box["y"] + 60)
    page.mouse.wheel(0, -400)
    seen = [_range(page)]
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 60, steps=4)
    page.mouse.up()
    _zoomed(page, seen[-1])
    seen.append(_range(page))
    page.keyboard.press("+")
    _zoomed(page, seen[-1])
    seen.append(_range(page))
    page.mouse.click(map_["x"] + 20, map_["y"] + 9)
    _zoomed(page, seen[-1])
    seen.append(_range(page))
    assert page.evaluate("history.length") == steps
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("frame="))
    assert _range(page) == seen[-1]
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Messages").click()
    expect(page).to_have_url(re.compile("#a/messages$"))
    page.get_by_role("link", name="Timeline").click()
    assert _range(page) == seen[-1]
    page.keyboard.press("0")
    expect(page).to_have_url(re.compile("#a/timeline$"))


def test_the_address_of_another_view_is_left_alone(opened: Callable[..., Page]) -> None:
    """Whoever zooms and goes on at once is not told so later."""
    page = opened("gemini-model", "#a/timeline")
    page.clock.install()
    page.keyboard.press("+")
    page.keyboard.press("m")
    page.clock.run_for(5000)
    expect(page).to_have_url(re.compile("#a/messages$"))


def test_the_map_is_grabbed_where_it_shows_what_is_in_sight(opened: Callable[..., Page]) -> None:
    """A press there moves nothing until it is dragged; a press elsewhere goes there."""
    page = opened("gemini-model", "#a/timeline?from=2000000000&to=3000000000")
    box = _box(page, ".map")
    first, span = 391389567, 5611745288 - 391389567  # the map has 2 % more at each end
    names = 64  # the map has the same axis as the lanes: it begins behind their names
    least, scale = first - 0.02 * span, 1.04 * span / (box["width"] - names)
    x = box["x"] + names + (2_200_000_000 - least) / scale
    page.mouse.move(x, box["y"] + 9)
    page.mouse.down()
    page.mouse.move(x + 100, box["y"] + 9)
    page.mouse.up()
    _zoomed(page, (2000000000, 3000000000))
    moved = _range(page)
    assert moved[0] == pytest.approx(2000000000 + 100 * scale, abs=2 * scale)
    page.mouse.click(box["x"] + box["width"] * 0.8, box["y"] + 9)
    _zoomed(page, moved)
    assert sum(_range(page)) / 2 == pytest.approx(least + (box["width"] * 0.8 - names) * scale, abs=2 * scale)


def test_the_wheel_scrolls_lanes_that_are_higher_than_the_window(opened: Callable[..., Page]) -> None:
    """With Ctrl it zooms there as well. Over the names of lanes it never does."""
    page = opened("gemini-model", "#a/timeline", height=360)
    scroller = page.locator(".timeline .scroller")
    box = _box(page)
    page.mouse.move(box["x"] + 300, box["y"] + 60)
    page.mouse.wheel(0, 40)
    _until(page, "document.querySelector('.timeline .scroller').scrollTop > 0")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -400)
    page.keyboard.up("Control")
    seen = _range(page)
    top = scroller.evaluate("each => each.scrollTop")
    page.mouse.move(box["x"] + 20, box["y"] + 60)
    page.mouse.wheel(0, -40)
    _until(page, f"document.querySelector('.timeline .scroller').scrollTop < {top}")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("frame="))
    assert _range(page) == seen
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Ctrl wheel")


def test_no_bar_stands_beneath_the_name_of_its_lane(opened: Callable[..., Page]) -> None:
    """A turn that is longer than what is in sight covers all but the column of names."""
    page = opened("gemini-model", "#a/timeline?turn=S1.1&from=4300000000&to=4310000000")
    expect(page.locator(".timeline .said")).to_contain_text("Turn 1")
    alphas = """canvas => new Promise((done) => requestAnimationFrame(() => {
      const row = canvas.getContext("2d").getImageData(0, 24 + 24 + 42 + 24 + 3, canvas.width, 1).data;
      done([2, 5, 44, canvas.width - 20, canvas.width - 2].map((x) => row[x * 4 + 3]));
    }))"""
    assert page.locator(".timeline .lanes").evaluate(alphas) == [0, 0, 0, 255, 255]


def test_long_axes_are_numbered_in_minutes_and_hours(opened: Callable[..., Page], tmp_path: Path) -> None:
    """An axis of two hours has no 3600 s."""
    file = tmp_path / "long.jsonl"
    file.write_bytes(trace(*hello(), *session_opened(), prompt(1), stop(1), step=20 * 60 * 10**9))
    page = opened(file, "#a/timeline")
    drawn = _drawn(page)
    assert {"0:30 h", "2:00 h"} <= set(drawn)
    assert not any(re.fullmatch(r"\d+ s", text) for text in drawn)


def test_a_click_chooses_and_the_pointer_tells(opened: Callable[..., Page]) -> None:
    """What is under the pointer is told beside it; a click says it below, with its links."""
    page = opened("gemini-model", "#a/timeline")
    page.keyboard.press("ArrowRight")
    canvas = page.locator(".timeline .lanes")
    box = canvas.bounding_box()
    assert box is not None
    x, y = box["width"] * 0.3, 24 + 24 + 11
    canvas.hover(position={"x": x, "y": y})
    expect(page.locator(".timeline .tip")).to_contain_text("initialize")
    canvas.click(position={"x": x, "y": y})
    assert "initialize" in _chosen(page)
    expect(page.locator(".timeline .said a")).to_have_text("#1")


def test_the_keys_tell_what_the_pointer_tells(opened: Callable[..., Page]) -> None:
    """Beside the item that they have chosen, until it is left."""
    page = opened("gemini-model", "#a/timeline")
    canvas = page.locator(".timeline .lanes")
    canvas.hover(position={"x": _box(page)["width"] * 0.3, "y": 24 + 24 + 11})
    told = _told(page)
    page.mouse.move(5, 5)
    expect(page.locator(".timeline .tip")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    assert _told(page) == told
    page.keyboard.press("Escape")
    expect(page.locator(".timeline .tip")).to_be_hidden()


def test_items_are_sorted_by_what_they_took(opened: Callable[..., Page]) -> None:
    """By a button on the heading of the column; once more, and they are in order of time again."""
    page = opened("gemini-model", "#a/timeline")
    in_time = _items(page)
    page.get_by_role("button", name="Took").click()
    assert _items(page)[0] == "initialize"
    assert sorted(_items(page)) == sorted(in_time)
    expect(page.get_by_role("columnheader", name="Took")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("button", name="Took").click()
    assert _items(page) == in_time


def test_the_longest_silence_says_who_owed_an_answer(opened: Callable[..., Page]) -> None:
    """A line of the overview, which leads to its place: the panel there says the same."""
    page = opened("gemini-model", "#a/overview")
    owed = "; the agent owed the answer to initialize #1"
    line = page.locator(".overview article").first.get_by_role("link", name="longest silence")
    expect(line).to_contain_text(f"until #2{owed}")
    line.click()
    expect(page.locator(".timeline .docked")).to_contain_text(f"until #2{owed}")


def test_a_drag_on_the_axis_says_what_that_time_adds_up_to(opened: Callable[..., Page]) -> None:
    """Frames, tokens, where the time went, the longest silence; the address keeps it, Escape lets it go."""
    page = opened("gemini-model", "#a/timeline")
    box = _box(page)
    page.mouse.move(box["x"] + 70, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 10, steps=4)
    page.mouse.up()
    panel = page.locator(".timeline .docked")
    expect(panel).to_contain_text("40: 8 of the client, 32 of the agent")
    for words in ("8 calls, ", "Longest silence", "until #", "model", "tools", "no turn"):
        expect(panel).to_contain_text(words)
    expect(page).to_have_url(re.compile(r"sum=\d+-\d+$"))
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(panel).to_contain_text("40: 8 of the client, 32 of the agent")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(page).to_have_url(re.compile("#a/timeline$"))


def test_the_keys_add_up_an_item(opened: Callable[..., Page]) -> None:
    """Or all that is in sight."""
    page = opened("gemini-model", "#a/timeline?turn=0")
    page.keyboard.press("=")
    expect(page.locator(".timeline .docked")).to_contain_text("415 ms")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("=")
    expect(page.locator(".timeline .docked")).to_contain_text("40: 8 of the client")


def test_a_session_and_a_lane_are_folded(opened: Callable[..., Page]) -> None:
    """By a click or by a key; the address keeps it."""
    page = opened("gemini-model", "#a/timeline")
    box = _box(page)
    tall = box["height"]
    page.mouse.click(box["x"] + 100, box["y"] + 24 + 12)
    expect(page).to_have_url(re.compile("fold=1$"))
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page).to_have_url(re.compile("fold=1$"))
    page.mouse.click(box["x"] + 100, box["y"] + 24 + 12)
    expect(page).to_have_url(re.compile("#a/timeline$"))
    page.mouse.click(box["x"] + 20, box["y"] + 24 + 24 + 10)
    expect(page).to_have_url(re.compile("fold=1.1$"))
    page.mouse.click(box["x"] + 20, box["y"] + 24 + 24 + 5)
    expect(page).to_have_url(re.compile("#a/timeline$"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("c")
    expect(page).to_have_url(re.compile("fold=1$"))
    assert _box(page)["height"] < tall


def test_the_panel_shows_the_message_of_what_is_chosen(opened: Callable[..., Page]) -> None:
    """A turn with where its time went, a call of the model with its tokens."""
    page = opened("gemini-model", "#a/timeline?turn=0")
    panel = page.locator(".timeline .docked")
    for words in ("Turn 0", "own", "session/prompt", "RUN echo"):
        expect(panel).to_contain_text(words)
    expect(panel.get_by_role("link", name="Transcript")).to_be_visible()
    page.goto(page.url.partition("#")[0] + "#a/timeline?call=3")
    expect(panel).to_contain_text(" in, ")
    expect(panel.locator(".detail")).to_be_hidden()


def test_labels_are_cut_with_a_sign_and_prompts_stand_in_turns(opened: Callable[..., Page]) -> None:
    """Nothing is cut in the middle without a sign for it."""
    page = opened("gemini-model", "#a/timeline")
    drawn = _drawn(page)
    assert any(text.startswith("Turn 0: RUN") for text in drawn)
    calls = [text for text in drawn if text.startswith("Call ")]
    assert any(text.endswith("…") for text in calls)
    assert all(text.endswith(("…", ": standin")) for text in calls)


def test_the_legend_has_what_is_there(opened: Callable[..., Page]) -> None:
    """Kinds of items and parts of turns that this trace has, and no others."""
    legend = opened("gemini-model", "#a/timeline").get_by_role("list", name="Legend")
    expect(legend).to_contain_text("tool call")
    expect(legend).to_contain_text("foot of a turn")
    expect(legend).not_to_contain_text("compaction")
    expect(legend).not_to_contain_text("unknown")
