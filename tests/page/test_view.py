"""`acp-trace view` in a browser: the list of all traces, two of them compared, and a live one that grows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import support
from tests.commands import Commands
from tests.compare.conversation import base, file, instead
from tests.reading.talk import stop
from tests.support import agent, request, result, update

pytestmark = pytest.mark.browser
_SAMPLES = support.REPOSITORY / "sample_traces"


def test_traces_are_found_opened_and_compared(served: Page, commands: Commands, tmp_path: Path) -> None:
    """By search and filters; the older of two that are chosen is the expected one."""
    expect(served.get_by_text("There is no trace yet.")).to_contain_text("acp-trace record -- AGENT")
    commands.home.spool.mkdir(parents=True, exist_ok=True)
    for second, agent_stop in ((1, stop(3)), (2, stop(3, "max_tokens"))):
        id_ = f"20261120T13050{second}Z-7f3a9{second}"
        path = tmp_path / f"{id_}.jsonl"
        path.write_bytes(
            file(instead("stop 1", agent_stop)(base()), id=id_, started_at=f"2026-11-20T13:05:0{second}Z")
        )
        path.rename(commands.home.spool / path.name)
    rows = served.locator("tbody tr")
    expect(rows).to_have_count(2)  # the list asks for what is new
    expect(served.get_by_text("There is no trace yet.")).to_be_hidden()
    served.keyboard.press("/")
    served.keyboard.type("7f3a92")
    expect(rows).to_have_count(1)
    expect(served.get_by_role("status")).to_contain_text("1 of 2 traces")
    expect(served).to_have_url(re.compile(r"\?q=7f3a92$"))
    served.get_by_role("searchbox").fill("")
    support.until(lambda: not commands.home.spooled(), "they are loaded")
    for checkbox in served.get_by_role("checkbox").all():
        checkbox.check()
    served.get_by_role("button", name="Compare two").click()
    expect(served.get_by_role("heading", level=1)).to_have_text("≠ 1 divergence")
    expect(served.get_by_role("region", name="What differs").locator("mark")).to_have_text(
        ["end_turn", "max_tokens"]
    )
    served.get_by_role("link", name="All traces").click()
    served.get_by_role("link", name="7f3a91").click()
    expect(served).to_have_title("agent · 20261120T130501Z-7f3a91")


def test_a_live_trace_grows_while_one_looks(served: Page, home: support.Home) -> None:
    """Frame by frame, until it has ended: the page says which."""
    chunk = json.dumps(update("s", "agent_message_chunk", content={"type": "text", "text": "x"}))
    answer = json.dumps(result(1, sessionId="s"))
    answers = f"for line in lines:\n    say({chunk!r} + chr(10))\n    say({answer!r} + chr(10))\n"
    asked = json.dumps(request(1, "session/new", cwd="/w", mcpServers=[])).encode() + b"\n"
    with home.start(agent(answers)) as recording:
        recording.say(asked)
        assert recording.hear()
        assert recording.hear()
        served.locator("tbody tr").get_by_role("link").click()
        served.wait_for_selector("body[data-ready]")
        served.get_by_role("link", name="Messages").click()
        frames = served.get_by_role("grid", name="Messages")
        expect(frames).to_have_attribute("aria-rowcount", "4")
        expect(served.get_by_text("● live")).to_be_visible()
        recording.say(asked)
        expect(frames).to_have_attribute("aria-rowcount", "7")
        recording.finish()
        expect(served.get_by_text("● live")).to_be_hidden()


@pytest.fixture
def three(commands: Commands) -> None:
    """Three recordings in the store."""
    for name in ("gemini-model", "opencode-story", "incomplete"):
        commands.passes("load", _SAMPLES / f"{name}.jsonl")


@pytest.mark.usefixtures("three")
def test_no_column_is_out_of_sight(served: Page) -> None:
    """What has no room is cut with "…" or left out, the findings never: the list does not scroll sideways."""
    found = served.locator("tr", has_text="87a1da").locator(".of-findings")
    for width in (1440, 1200, 1000, 390):
        served.set_viewport_size({"width": width, "height": 800})
        expect(found).to_have_text("1\u00a0warning")
        wide = served.locator(".list .wide")
        assert wide.evaluate("(it) => it.scrollWidth - it.clientWidth") == 0, width


@pytest.mark.usefixtures("three")
def test_the_list_is_sorted_by_its_headings(served: Page) -> None:
    """The address has it; dates stay on one line, also beside a badge; labels and models have columns."""
    rows = served.locator("tbody tr")
    expect(rows).to_have_count(3)
    served.get_by_role("button", name="Frames").click()
    expect(rows.locator("td.number:nth-of-type(9)")).to_have_text(["44", "40", "9"])
    expect(served).to_have_url(re.compile("sort=-frames"))
    served.get_by_role("button", name="Frames").click()
    expect(served.get_by_role("columnheader", name="Frames")).to_have_attribute("aria-sort", "ascending")
    expect(rows.first).to_contain_text("! incomplete")
    expect(rows.first.locator(".label")).to_have_text("scene=incomplete")
    box = rows.first.locator("td.of-labels").bounding_box()
    assert box is not None
    assert box["width"] >= 110
    expect(rows.nth(1).locator(".of-model")).to_have_text("standin")
    heights = rows.locator(".of-when").evaluate_all(
        "(all) => all.map((each) => { const text = document.createRange(); text.selectNodeContents(each); return text.getBoundingClientRect().height; })"
    )
    assert max(heights) < 24


def test_a_file_is_opened_by_dropping_it(served: Page) -> None:
    """A trace, or a log of another tool; what is neither is refused in one line, and the list stays."""
    file = served.get_by_label("A trace or a log")
    served.evaluate("() => addEventListener('error', (event) => event.preventDefault())")
    file.set_input_files(support.REPOSITORY / "tests" / "formats" / "data" / "toad" / "toad.log")
    expect(served).to_have_title(re.compile("imported-"))
    served.get_by_role("link", name="All traces").click()
    transfer = served.evaluate_handle(
        "(text) => { const data = new DataTransfer(); data.items.add(new File([text], 'x.jsonl')); return data; }",
        (_SAMPLES / "opencode-story.jsonl").read_text("utf-8"),
    )
    served.dispatch_event(".list", "drop", {"dataTransfer": transfer})
    expect(served).to_have_title(re.compile("87a1da"))


@pytest.mark.usefixtures("three")
def test_a_note_stays(served: Page, commands: Commands) -> None:
    """It is kept beside the trace, marks its row, and nothing of it is markup."""
    served.get_by_role("link", name="311823").click()
    served.get_by_role("link", name="Messages").click()
    served.locator("[data-frame='13']").click()
    served.get_by_text("Add a note").click()
    served.get_by_label("Note on #13").fill("<b>why</b> here?")
    served.get_by_role("heading", name="#13").click()
    expect(served.locator(".note output")).to_have_text("Saved")
    served.reload()
    expect(served.locator("[data-frame='13'] td.frame")).to_have_text("▲ ✎ 13")
    expect(served.get_by_label("Note on #13")).to_have_value("<b>why</b> here?")
    served.get_by_role("link", name="Transcript").click()
    expect(served.locator("#item-13-permission .when a")).to_have_text("#13 ✎")
    (path,) = (commands.home.path / "notes").iterdir()
    assert json.loads(path.read_text("utf-8"))["frames"] == {"13": "<b>why</b> here?"}
