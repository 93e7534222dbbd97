"""`export --to perfetto`, opened by Speedscope: what it saves again has the slices, each closed when it ended."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.formats.writing.exporting import given, without_times, written
from tests.real import packages
from tests.support import TRACES

pytestmark = pytest.mark.browser

_HOST = "http://speedscope.test/"


def _opened(browser: Browser, file: bytes) -> tuple[dict[str, Any], list[str]]:
    """What Speedscope saves of a file, in its own format; and what it complains of."""
    release = packages.npm(*packages.SPEEDSCOPE) / "speedscope" / "dist" / "release"
    page = browser.new_page(accept_downloads=True)
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.route("**/*", lambda route: route.abort())
    page.route(
        f"{_HOST}*",
        lambda route: route.fulfill(path=release / Path(route.request.url.partition("#")[0]).name),
    )
    page.goto(f"{_HOST}index.html#localProfilePath=none")  # else it asks for a file first
    page.wait_for_function("() => window.speedscope")
    page.evaluate("data => speedscope.loadFileFromBase64('t.json', data)", base64.b64encode(file).decode())
    page.get_by_text("Left Heavy").wait_for()
    with page.expect_download() as download:
        page.keyboard.press("Control+s")
    saved: dict[str, Any] = json.loads(download.value.path().read_bytes())
    page.close()
    return saved, [text for text in told if "Tried to end" in text or "still open" in text]


def _slices(saved: dict[str, Any]) -> dict[str, list[tuple[float, float]]]:
    """Of each name, its beginnings and how long they lasted (µs since the first event of their track)."""
    found = defaultdict(list)
    names = [frame["name"].partition(" {")[0] for frame in saved["shared"]["frames"]]
    for profile in saved["profiles"]:
        stack = []
        for event in profile["events"]:
            if event["type"] == "O":
                stack.append(event)
            else:
                opened = stack.pop()
                assert opened["frame"] == event["frame"]
                found[names[event["frame"]]].append((opened["at"], event["at"] - opened["at"]))
    return found


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_turns_are_as_long_as_they_were(browser: Browser, path: Path) -> None:
    """Every turn and permission closes when it ended, not with the next one or with the file."""
    sample = given(path)
    facts = sample.facts
    if any(turn.duration_ns is None for turn in facts.turns) or not facts.turns:
        pytest.skip("has no turn, or one that never ended")
    saved, complaints = _opened(browser, written("perfetto", sample))
    open_ = [tool for tool in facts.tool_calls if not tool.replayed and tool.over_ns is None]
    assert len(complaints) == len(open_)
    assert all("still open at end of profile" in text for text in complaints)
    slices = _slices(saved)
    for start, expected in (
        ("turn ", [turn.duration_ns or 0 for turn in facts.turns]),
        ("permission: ", [permission.wait_ns or 0 for permission in facts.permissions]),
    ):
        took = [us * 1000 for name, times in slices.items() if name.startswith(start) for _, us in times]
        assert sorted(took) == pytest.approx(sorted(expected), abs=1)


def test_what_never_ended(browser: Browser) -> None:
    """Speedscope closes it at the end of its track, and complains of nothing else."""
    saved, complaints = _opened(browser, written("perfetto", given("incomplete")))
    assert [text.startswith(start) for text, start in zip(complaints, ('Frame "turn 0: ', 'Frame "session/prompt '), strict=True)] == [True, True]  # fmt: skip
    assert all("was still open at end of profile" in text for text in complaints)
    assert any(each.startswith("turn 0: ") for each in _slices(saved))


def test_without_times(browser: Browser) -> None:
    """Frames stand for times there, too."""
    saved, complaints = _opened(browser, written("perfetto", without_times("opencode-story")))
    assert complaints == []
    assert any(each.startswith("turn ") for each in _slices(saved))
