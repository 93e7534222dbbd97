"""`just pictures`: takes the pictures of docs/page.md, of recordings in sample_traces, in Chromium.

Each view at two widths, in light and in dark.
"""  # noqa: INP001  (a script, in no package)

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

_ROOT = Path(__file__).parent.parent
_IMAGES = Path(__file__).parent / "images"
_SIZES = {1440: 900, 390: 780}
_CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


class Picture(NamedTuple):
    """One picture: its name, the command that writes the page, and the part of the address behind `#`."""

    name: str
    command: tuple[str, ...]
    fragment: str


_SHOW = ("show", "sample_traces/gemini-model.jsonl")
_STORY = ("show", "sample_traces/opencode-story.jsonl")
_DIFF = ("diff", "sample_traces/opencode-acpx.jsonl", "sample_traces/opencode-cancel-acpx.jsonl")
PICTURES = (
    Picture("overview", _STORY, "a/overview"),
    Picture("timeline", _SHOW, "a/timeline?turn=S1.1&from=3200000000&to=5400000000"),
    Picture("sequence", _SHOW, "a/sequence?frame=13"),
    Picture("messages", _SHOW, "a/messages?join=1"),
    Picture("transcript", _SHOW, "a/transcript"),
    Picture("state", _STORY, "a/state?cancel=29"),
    Picture("model", _SHOW, "a/model?call=3"),
    Picture("compare", _DIFF, "a/compare?divergence=1"),
)


def main() -> None:
    """Takes all pictures, or those that are named."""
    names = sys.argv[1:]
    _IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        for picture in PICTURES:
            if not names or picture.name in names:
                file = _written(picture, Path(directory))
                for width, height in _SIZES.items():
                    for scheme in ("light", "dark"):
                        _take(browser, picture, f"{file.as_uri()}#{picture.fragment}", width, height, scheme)
        browser.close()


def _written(picture: Picture, directory: Path) -> Path:
    file = directory / f"{picture.name}.html"
    subprocess.run(
        [sys.executable, "-m", "acp_trace", *picture.command, "--html", file], cwd=_ROOT, check=False
    )
    return file


def _take(browser: Browser, picture: Picture, url: str, width: int, height: int, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        timezone_id="UTC",
        locale="en-GB",
    )
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector("body[data-ready]")
    page.wait_for_load_state("networkidle")
    _drawn(page)
    with Image.open(BytesIO(page.screenshot())) as image:  # a page has few colours: a quarter of the bytes
        image.convert("RGB").quantize(128).save(
            _IMAGES / f"{picture.name}-{width}-{scheme}.png", optimize=True
        )
    context.close()


def _drawn(page: Page) -> None:
    """Waits until nothing has changed for some frames."""
    page.evaluate(
        """() => new Promise((drawn) => {
          let quiet = 0;
          const changes = { subtree: true, childList: true, attributes: true };
          new MutationObserver(() => { quiet = 0; }).observe(document, changes);
          const next = () => ((quiet += 1) > 12 ? drawn() : requestAnimationFrame(next));
          requestAnimationFrame(next);
        })"""
    )


if __name__ == "__main__":
    main()
