"""The view Compare: what differs by cause, both traces side by side, and one pair of messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.commands import Commands
from tests.compare.conversation import Edit, base, both, chunk, drop, file, instead, put
from tests.reading.talk import ask, hello, prompt, stop, up
from tests.support import result, trace

pytestmark = pytest.mark.browser

CHANGED = both(
    instead("stop 1", stop(3, "max_tokens")),
    drop("fetch end"),
    instead("hello 2", chunk("shall write")),
)
_ID = "20261120T130502Z-7f3a9d"


@pytest.fixture
def compared(commands: Commands, tmp_path: Path) -> Callable[..., Path]:
    """The page of the conversation and a changed one."""

    def compared(edit: Edit, *options: str) -> Path:
        paths = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
        paths[0].write_bytes(file(base()))
        paths[1].write_bytes(file(edit(base()), id=_ID))
        page = tmp_path / "page.html"
        assert commands("diff", *paths, *options, "--html", page).code in (0, 1)
        return page

    return compared


def test_divergences_are_stepped_through(opened: Callable[..., Page], compared: Callable[..., Path]) -> None:
    """Compare comes first, with what fails most; n and p go on and back, and the address says where."""
    page = opened(compared(CHANGED))
    expect(page.get_by_role("heading", level=1)).to_have_text("≠ 2 divergences")
    detail = page.get_by_role("region", name="What differs")
    expect(detail.get_by_role("heading")).to_contain_text("stop-reason")
    expect(page).to_have_url(re.compile(r"#a/compare\?divergence=\d"))
    first = page.url
    row = page.locator("tr[aria-selected=true]")
    expect(row).to_contain_text("≠ stop-reason")
    differing = detail.locator("tr.differs")
    expect(differing).to_contain_text("stopReason")
    expect(differing.locator("mark")).to_have_text(["end_turn", "max_tokens"])
    page.keyboard.press("n")
    expect(detail.get_by_role("heading")).to_contain_text("tool-call-status")
    expect(page.locator("nav a[aria-current][data-divergence]")).to_contain_text("tool-call-status")
    page.keyboard.press("p")
    expect(detail.get_by_role("heading")).to_contain_text("stop-reason")
    expect(page).to_have_url(first)


def test_rows_stand_side_by_side(opened: Callable[..., Page], compared: Callable[..., Path]) -> None:
    """By keyboard and by mouse; a frame that only one trace has says so, and its message is shown alone."""
    page = opened(compared(put("commands", up("available_commands_update", availableCommands=[]))))
    alone = page.get_by_role("grid", name="Both traces side by side").locator("tr.alone")
    expect(alone).to_contain_text("+ actual only")
    alone.click()
    detail = page.get_by_role("region", name="What differs")
    expect(detail.locator("tr.actual").first).to_contain_text("actual only")
    expect(page).to_have_url(re.compile(r"row=\d+"))
    page.keyboard.press("Home")
    expect(detail).to_contain_text("expected #1 · actual #1")
    detail.get_by_role("link", name="#1").last.click()
    expect(page).to_have_url(re.compile("#b/messages"))
    expect(page.get_by_role("navigation", name="Traces").locator("[aria-current]")).to_have_text("actual")


def test_masked_values_are_shown_as_masked(
    opened: Callable[..., Page], compared: Callable[..., Path]
) -> None:
    """What a mask hides is no difference, and says so in words."""
    page = opened(
        compared(CHANGED, "--mask", "/params/update/content/text:string", "--match", "exact"),
        f"#a/compare?row={[name for name, _ in base()].index('hello 2')}",
    )
    detail = page.get_by_role("region", name="What differs")
    expect(detail.get_by_role("heading")).to_have_text("No divergence")
    masked = detail.locator("tr.masked")
    expect(masked).to_contain_text("shall read")
    expect(masked).to_contain_text("shall write")
    expect(masked).to_contain_text("masked")
    expect(detail.locator("tr.differs")).to_have_count(0)


def test_equal_traces_can_be_looked_at_on_a_phone(
    opened: Callable[..., Page], compared: Callable[..., Path]
) -> None:
    """Nothing to step through, and no scrolling sideways."""
    page = opened(compared(lambda named: named), width=390, height=844)
    expect(page.get_by_role("heading", level=1)).to_have_text("✓ equal")
    page.keyboard.press("n")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    expect(page).not_to_have_url(re.compile("divergence"))


def test_what_differs_without_being_compared_is_calm(
    opened: Callable[..., Page], commands: Commands, tmp_path: Path
) -> None:
    """Texts, and ids that are bound to each other, are no divergence; a prompt that differs stands above all."""
    samples = Path(__file__).parents[2] / "sample_traces"
    file = tmp_path / "page.html"
    paths = [samples / f"{name}.jsonl" for name in ("opencode-acpx", "opencode-cancel-acpx")]
    assert commands("diff", *paths, "--html", file).code == 1
    page = opened(file)
    expect(page.locator(".headline b")).to_have_text(["expected", "actual"])
    expect(page.locator(".causes h2").first).to_contain_text("Prompts differ")
    expect(page.locator(".causes a[aria-current]")).to_contain_text(
        "≠"
    )  # the heaviest; its list is not scrolled
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport(ratio=1)
    rows = page.get_by_role("grid", name="Both traces side by side").locator("tbody tr:not([hidden])")
    chosen = page.locator("tr[aria-selected=true]")
    expect(chosen).to_contain_text("≠")
    assert chosen.evaluate("(row) => row.previousElementSibling.offsetTop >= 0")
    rows.filter(has_text="session/new").first.click()
    page.keyboard.press("j")
    detail = page.get_by_role("region", name="What differs")
    expect(detail.locator("tr.bound")).to_contain_text("same id, other value")
    expect(detail.locator("tr.differs")).to_have_count(0)
    expect(rows.filter(has_text="≈ no divergence").first).to_be_visible()


def _offering(*names: str) -> dict[str, Any]:
    choices = [{"value": name, "name": name} for name in names]
    model = {"id": "model", "name": "Model", "type": "select", "currentValue": "kept", "options": choices}
    return result(2, sessionId="s", configOptions=[model])


def test_what_changed_is_told_in_chips(
    opened: Callable[..., Page], commands: Commands, tmp_path: Path
) -> None:
    """By name, wherever it stands in its list; what is equal can be hidden, and stays so from one to the next."""
    files = [tmp_path / "was.jsonl", tmp_path / "now.jsonl"]
    offers = ["old-a", "old-b", "kept", "last"], ["kept", "last", "new"]
    for number, (path, names) in enumerate(zip(files, offers, strict=True)):
        said = [
            *hello(),
            ask(2, "session/new", cwd="/", mcpServers=[]),
            ("agent", _offering(*names)),
            prompt(3),
            stop(3),
        ]
        path.write_bytes(trace(*said, id=f"20261120T13050{number}Z-7f3a9d"))
    page_file = tmp_path / "page.html"
    assert commands("diff", *files, "--html", page_file).code == 1
    page = opened(page_file)
    changed = page.get_by_role("group", name="What changed")
    expect(changed.locator(".place")).to_have_text(["configOptions › model › options"])
    expect(changed.get_by_role("listitem")).to_have_text(["− old-a", "− old-b", "+ new"])
    detail = page.get_by_role("region", name="What differs")
    expect(detail.locator("tr:visible", has_text="jsonrpc")).to_have_count(1)
    page.get_by_label("Only differences").check()
    expect(page).to_have_url(re.compile("only=1"))
    expect(detail.locator("tr:visible", has_text="jsonrpc")).to_have_count(0)
    expect(detail.locator("tr.expected:visible")).to_have_count(2)
    rows = page.get_by_role("grid", name="Both traces side by side").locator("tbody tr:visible")
    expect(rows).to_have_count(1)
    rows.first.click()
    page.keyboard.press("n")
    expect(page).to_have_url(re.compile("only=1"))
    page.set_viewport_size({"width": 390, "height": 780})
    expect(rows.first.locator("td.sign")).to_have_text("≠ choice-missing")
    assert rows.first.locator("td.sign").inner_text() == "≠"


def test_models_are_held_against_each_other(
    opened: Callable[..., Page], commands: Commands, tmp_path: Path
) -> None:
    """A divergence about the model leads to its calls, and shows what both agents told it."""
    sample = Path(__file__).parents[2] / "sample_traces" / "gemini-model.jsonl"
    other = tmp_path / "other.jsonl"
    other.write_bytes(
        sample.read_bytes()
        .replace(rb"temperature\":1", rb"temperature\":2")
        .replace(b"20261123T001730Z-311823", _ID.encode())
    )
    page_file = tmp_path / "page.html"
    assert commands("diff", sample, other, "--html", page_file).code in (0, 1)
    page = opened(page_file)
    page.locator("nav a[data-divergence]", has_text="model-").first.click()
    detail = page.get_by_role("region", name="What differs")
    changed = page.get_by_role("group", name="What changed")
    expect(changed.get_by_role("listitem")).to_have_text(re.compile("temperature: 1 → 2"))
    expect(detail.locator("mark").first).to_be_visible()
    detail.get_by_role("link", name="call 1").last.click()
    expect(page).to_have_url(re.compile("#b/model.call="))
