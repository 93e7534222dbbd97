"""A live trace in each view: what is new comes, and nothing is lost of where one is and what one does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.commands import Commands
from tests.page.growing import Growing
from tests.support import result, update

pytestmark = pytest.mark.browser

#: What has the focus, and whether that is still the element that was marked.
_MARK = "document.activeElement.mark = 'marked'"
_MARKED = "document.activeElement.mark"


@pytest.fixture
def live(commands: Commands) -> Iterator[Growing]:
    """A trace with a session."""
    with Growing(commands.home.spool) as growing:
        growing.open_session()
        yield growing


def _frames(page: Page, count: int) -> None:
    expect(page.locator(".headline")).to_contain_text(f"{count} frames")


def test_messages_follow_the_end_from_the_end_alone(served: Page, live: Growing) -> None:
    """Elsewhere, the list stays where it is, and says how many are new."""
    live.chunks(96)
    live.open(served, "Messages")
    grid = served.get_by_role("grid", name="Messages")
    expect(grid).to_have_attribute("aria-rowcount", "101")
    first = served.locator("[data-frame='1']")
    live.chunks(5)
    new = served.get_by_role("button", name="↓ 5 new")
    expect(new).to_be_visible()
    expect(first).to_be_in_viewport()
    live.chunks(5)
    served.get_by_role("button", name="↓ 10 new").click()
    expect(served.locator("[data-frame='110']")).to_be_in_viewport()
    expect(new).to_be_hidden()
    live.chunks(30)
    expect(served.locator("[data-frame='140']")).to_be_in_viewport()
    expect(served.locator(".new")).to_be_hidden()
    served.mouse.move(300, 400)
    served.mouse.wheel(0, -2400)
    expect(served.locator("[data-frame='140']")).to_be_hidden()
    live.chunks(1)
    expect(served.get_by_role("button", name="↓ 1 new")).to_be_visible()
    live.end()
    expect(served.get_by_text("● live")).to_be_hidden()


def test_a_search_goes_on_with_what_is_new(served: Page, live: Growing) -> None:
    """It does not begin anew, and says what it found, also in stderr; filters have what is new to choose from."""
    live.chunks(5000)
    live.open(served, "Messages")
    served.get_by_role("combobox", name="Filter").fill("needle")
    served.get_by_role("combobox", name="Filter").press("Enter")
    said = served.locator(".said")
    expect(said).to_have_text("0 matches in 5\u202f004 frames")
    asked: list[str] = []
    served.on("request", lambda request: asked.append(request.url.partition("/part/")[2]))
    live.chunks(1, "needle")
    live.add(log="a needle of stderr")
    expect(said).to_have_text("2 matches in 5\u202f005 frames and stderr")
    expect(served.locator("tbody tr:not([hidden])")).to_have_count(2)
    assert {name for name in asked if name.startswith("a/frames")} == {"a/frames/3"}
    served.get_by_role("combobox", name="Filter").focus()
    live.add(("agent", update("s", "plan", entries=[])))
    expect(said).to_have_text("2 matches in 5\u202f006 frames and stderr")
    expect(served.get_by_role("combobox", name="Filter")).to_be_focused()
    served.get_by_label("Method").select_option("plan")
    expect(said).to_have_text("0 matches in 1 frames")


def test_an_open_message_stays_open(served: Page, live: Growing) -> None:
    """With what is open in its tree, and the focus; a response that comes is told."""
    live.prompt(2, "go")
    live.open(served, "Messages")
    served.locator("[data-frame='5']").click()
    message = served.get_by_role("region", name="Message")
    expect(message).to_contain_text("no response")
    served.get_by_role("treeitem", expanded=True).last.locator("> .line").click()
    served.get_by_role("treeitem").first.focus()
    served.evaluate(_MARK)
    closed = served.locator("[aria-expanded=false]").count()
    assert closed
    live.chunks(3)
    live.add(("agent", result(2, stopReason="end_turn")))
    expect(message).to_contain_text("answered by #9")
    assert served.evaluate(_MARKED) == "marked"
    assert served.locator("[aria-expanded=false]").count() == closed
    expect(served.locator("[data-frame='9']")).to_contain_text("end_turn")


def test_the_transcript_keeps_what_is_open(served: Page, live: Growing) -> None:
    """Items that are the same stay; one that changes is opened again and keeps the focus; scrolling is kept."""
    thought = {"type": "text", "text": "\n".join(f"thought {number}" for number in range(9))}
    call = {"toolCallId": "t1", "title": "Read", "kind": "read"}
    live.prompt(2, "go")
    live.add(
        ("agent", update("s", "agent_thought_chunk", content=thought)),
        ("agent", update("s", "tool_call", **call, status="in_progress", rawInput={"path": "/w/a"})),
    )
    live.open(served, "Transcript")
    thoughts, tool = served.locator(".item.thought"), served.locator(".item.tool")
    thoughts.locator("summary").click()
    expect(thoughts).to_contain_text("thought 8")
    tool.locator("summary").click()
    expect(tool).to_contain_text('"path": "/w/a"')
    thoughts.evaluate("each => { each.mark = 'marked' }")
    tool.focus()
    live.add(("agent", update("s", "tool_call_update", toolCallId="t1", status="completed")))
    expect(tool).to_contain_text("completed")
    expect(tool).to_be_focused()
    expect(tool).to_contain_text('"path": "/w/a"')
    assert thoughts.evaluate("each => each.mark") == "marked"
    expect(thoughts).to_contain_text("thought 8")
    for number in range(80):
        live.add(
            ("client", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}),
            (
                "agent",
                update(
                    "s", "agent_message_chunk", content={"type": "text", "text": f"word {number}\n\nmore"}
                ),
            ),
        )
    _frames(served, live.frames)
    expect(served.get_by_text("word 20")).to_be_attached()
    scroll = "document.getElementById('view').scrollTop"
    served.evaluate(f"{scroll} = 700")
    served.wait_for_function(f"() => {scroll} === 700")
    live.add(
        (
            "agent",
            update("s", "plan", entries=[{"content": "the plan", "status": "pending", "priority": "low"}]),
        )
    )
    _frames(served, live.frames)
    assert thoughts.evaluate("each => each.mark") == "marked"
    assert served.evaluate(scroll) == 700
    served.evaluate(f"{scroll} = 1e9")
    expect(served.get_by_text("the plan")).to_be_in_viewport()
    live.add(("agent", result(2, stopReason="end_turn")))
    live.prompt(3, "again\n\nand\n\nagain")
    expect(served.get_by_text("and", exact=False).last).to_be_in_viewport()
    expect(served.get_by_role("navigation", name="Turns").get_by_role("link")).to_have_count(2)


def test_state_keeps_the_cursor(served: Page, live: Growing) -> None:
    """Where one put it it stays, also the focus; at the last change it goes on to the new one."""
    live.open(served, "State")
    where = served.locator(".where")
    expect(where).to_contain_text("after change 1 of 1")
    options = [{"id": "mode", "name": "Mode", "type": "select", "currentValue": "code", "options": []}]
    live.add(("agent", update("s", "config_option_update", configOptions=options)))
    expect(where).to_contain_text("after change 2 of 2")
    slider = served.get_by_role("slider", name="Time")
    slider.evaluate(
        "each => { each.value = 45e6; each.dispatchEvent(new Event('input')); each.dispatchEvent(new Event('change')); }"
    )
    expect(where).to_contain_text("At 0.045 s, after change 1 of 2")
    link = served.get_by_role("table").last.get_by_role("link").first
    link.focus()
    served.evaluate(_MARK)
    options[0]["currentValue"] = "plan"
    live.add(("agent", update("s", "config_option_update", configOptions=options)))
    expect(where).to_contain_text("At 0.045 s, after change 1 of 3")
    assert served.evaluate(_MARKED) == "marked"
    expect(slider).to_have_attribute("aria-valuetext", "0.045 s")


def test_sequence_keeps_its_place(served: Page, live: Growing) -> None:
    """The chosen arrow stays so, the end is followed from the end, and a run of chunks gets longer."""
    live.open(served, "Sequence")
    grid = served.get_by_role("grid", name="Sequence")
    grid.get_by_role("row").nth(2).click()
    served.go_back()
    chosen = served.locator("tr[aria-selected=true]")
    expect(chosen).to_contain_text("#1 initialize")
    live.prompt(2, "go")
    live.chunks(3)
    expect(served.get_by_text("3 × agent_message_chunk")).to_be_visible()
    live.chunks(2)
    expect(served.get_by_text("5 × agent_message_chunk")).to_be_visible()
    expect(chosen).to_contain_text("#1 initialize")
    for number in range(40):
        live.add(
            (
                "agent",
                update(
                    "s", "plan", entries=[{"content": str(number), "status": "pending", "priority": "low"}]
                ),
            )
        )
    expect(served.get_by_text(f"{live.frames}", exact=True)).to_be_in_viewport()
    served.keyboard.press("Home")
    live.add(("agent", result(2, stopReason="end_turn")))
    expect(served.get_by_role("button", name="↓ 1 new")).to_be_visible()


def test_the_overview_keeps_the_focus(served: Page, live: Growing) -> None:
    """What is told changes, and so does the line above all views; a tab for the model comes with its first call."""
    live.prompt(2, "go")
    live.open(served, "Overview")
    link = served.get_by_role("region", name="Turns").get_by_role("link", name="Turn 0")
    link.focus()
    served.evaluate(_MARK)
    live.chunks(3)
    _frames(served, 8)
    live.add(("agent", result(2, stopReason="refusal")))
    expect(served.get_by_role("region", name="Turns")).to_contain_text("refusal")
    assert served.evaluate(_MARKED) == "marked"
    live.end()
    expect(served.locator(".headline")).to_contain_text("exit 0")


def test_the_timeline_keeps_what_is_in_sight(served: Page, live: Growing) -> None:
    """All of it while all is in sight; else what one looks at. The chosen item and the focus stay."""
    live.prompt(2, "go")
    live.open(served, "Timeline")
    served.get_by_text("Items in sight, as a table").click()
    rows = served.locator(".timeline tbody tr")
    expect(rows.filter(has_text="go")).to_have_count(1)
    before = rows.count()
    link = rows.first.get_by_role("link")
    link.focus()
    served.evaluate(_MARK)
    live.add(("agent", result(2, stopReason="end_turn")))
    live.prompt(3, "again")
    live.chunks(200)
    live.add(("agent", result(3, stopReason="end_turn")))
    expect(rows.filter(has_text="again")).to_have_count(1)
    assert served.evaluate(_MARKED) == "marked"
    assert rows.count() > before


def test_the_end_of_the_server_is_told(served: Page, live: Growing) -> None:
    """Whenever it comes."""
    live.open(served, "Messages")
    live.chunks(1)
    _frames(served, 5)
    served.route("**/part/**", lambda route: route.fulfill(body="nothing"))
    expect(served.get_by_text("✕ The server has ended")).to_be_visible()
