"""The page to look at: how large its file is, when it can be used, what it holds, how smoothly it scrolls.

Beside it: the trace compressed by gzip, and a page of plain text lines, which says how many frames a second this
machine and this browser reach at all.
"""

from __future__ import annotations

import gzip
import statistics
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page

from tests.bench.timing import Row, command, compared, cost
from tests.bench.traffic import write_trace
from tests.chromium import chromium

_MB = 1e6
_ROUNDS = 3
_WHEEL = 60  #: turns of the wheel, each by several rows
_LINES = 5000
_USABLE = "body[data-ready] [data-frame]"
#: Frames that are drawn until this is asked for again, and how long the longest took.
_COUNT = """() => {
  const drawn = { frames: 0, longest: 0, since: performance.now() };
  let last = drawn.since;
  const next = (now) => {
    drawn.frames += 1;
    drawn.longest = Math.max(drawn.longest, now - last);
    last = now;
    if (!drawn.over) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
  window.drawn = drawn;
}"""
_COUNTED = """() => {
  window.drawn.over = true;
  return window.drawn.frames / ((performance.now() - window.drawn.since) / 1000);
}"""


class _Opened(NamedTuple):
    """What one look at a page took."""

    seconds: float
    megabytes: float
    per_second: float


def page(folder: Path, *, quick: bool) -> list[Row]:
    """Files of three sizes, made by `show --html` and opened in Chromium."""
    rows = []
    with chromium() as browser:
        for count in (1000, 10_000) if quick else (1000, 100_000, 1_000_000):
            rows += _of(browser, folder, count)
    return rows


def _of(browser: Browser, folder: Path, count: int) -> list[Row]:
    trace, file, lines = (folder / f"page-{count}.{ending}" for ending in ("jsonl", "html", "lines.html"))
    write_trace(trace, count)
    packed = len(gzip.compress(trace.read_bytes(), 6)) / _MB
    written = cost([command(), "show", str(trace), "--html", str(file)], 0)
    text = trace.read_text().splitlines()[:_LINES]
    lines.write_text(
        f"<!doctype html><body data-ready><pre data-frame>{len(text)}\n"
        + "\n".join(text).replace("<", "&lt;")
    )
    looks = [(_look(browser, file), _look(browser, lines)) for _ in range(_ROUNDS)]
    drags = [_timeline(browser, file) for _ in range(_ROUNDS)]
    size = file.stat().st_size / _MB
    name, plain = f"{count:,} frames", f"{min(count, _LINES):,} lines of text"
    return [
        compared(f"{name}: file", "MB", [(size, packed)], "trace, gzip", None),
        Row(f"{name}: file, in all", "MB", size, aim=("≤", 0.3) if count == 1000 else None),
        Row(f"{name}: written in", "s", written.seconds),
        Row(f"{name}: written with", "MB", written.megabytes),
        compared(
            f"{name}: until it can be used",
            "s",
            [(ours.seconds, other.seconds) for ours, other in looks],
            plain,
        ),
        Row(
            f"{name}: until it can be used, in all",
            "s",
            statistics.median(ours.seconds for ours, _ in looks),
            aim=("<", 3.0),
        ),
        compared(
            f"{name}: memory", "MB", [(ours.megabytes, other.megabytes) for ours, other in looks], plain
        ),
        compared(
            f"{name}: drawn a second while it scrolls",
            "",
            [(ours.per_second, other.per_second) for ours, other in looks],
            plain,
        ),
        Row(
            f"{name}: drawn a second, in all",
            "",
            statistics.median(ours.per_second for ours, _ in looks),
            aim=("≥", 50.0),
        ),
        Row(
            f"{name}: until the timeline can be used",
            "s",
            statistics.median(each.seconds for each in drags),
            aim=("<", 3.0),
        ),
        Row(
            f"{name}: drawn a second while a range is dragged",
            "",
            statistics.median(each.per_second for each in drags),
            aim=("≥", 50.0),
        ),
    ]


def _look(browser: Browser, file: Path) -> _Opened:
    with closing(browser.new_context(viewport={"width": 1440, "height": 900})) as context:
        opened, seconds = _usable(context, f"{file.as_uri()}#a/messages", _USABLE)
        per_second = _scrolled(opened)
        return _Opened(seconds, _memory(browser, opened), per_second)


def _timeline(browser: Browser, file: Path) -> _Opened:
    """The same of the timeline, of which a range is dragged on the axis: each move adds up what it covers."""
    with closing(browser.new_context(viewport={"width": 1440, "height": 900})) as context:
        opened, seconds = _usable(context, f"{file.as_uri()}#a/timeline", "body[data-ready] canvas.lanes")
        box = opened.locator("canvas.lanes").bounding_box() or {"x": 0.0, "y": 0.0, "width": 800.0}
        left, width, top = box["x"] + 200, box["width"] - 240, box["y"] + 10
        opened.mouse.move(left, top)
        opened.mouse.down()
        opened.evaluate(_COUNT)
        for turn in range(_WHEEL):
            opened.mouse.move(left + width * turn / _WHEEL, top)
        per_second = float(opened.evaluate(_COUNTED))
        return _Opened(seconds, _memory(browser, opened), per_second)


def _usable(context: BrowserContext, address: str, selector: str) -> tuple[Page, float]:
    """A page, and the seconds until it had this."""
    opened = context.new_page()
    since = time.perf_counter()
    opened.goto(address, wait_until="commit")
    opened.wait_for_selector(selector)
    return opened, time.perf_counter() - since


def _scrolled(opened: Page) -> float:
    box = opened.locator("[data-frame]").first.bounding_box()
    opened.mouse.move(box["x"] + 100 if box else 400, 450)
    opened.evaluate(_COUNT)
    for turn in range(_WHEEL):
        opened.mouse.wheel(0, 900 if turn < _WHEEL * 2 / 3 else -700)
    return float(opened.evaluate(_COUNTED))


def _memory(browser: Browser, opened: Page) -> float:
    """What the process of this page holds: the largest of all renderers, because each page has its own."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    opened.evaluate("() => 0")
    return max(_resident(each["id"]) for each in processes if each["type"] == "renderer")


def _resident(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) * 1024 / _MB
