"""docs/cookbook.md and docs/a-bug-found.md: their commands run, and print what the pages show."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.cli.test_mock_listen import ANY, address_of, ended, started
from tests.docs.pages import DOCS, blocks, prose, text_of
from tests.docs.screens import Checkout, in_order, missing
from tests.support import Home

COOKBOOK = DOCS / "cookbook.md"
STORY = DOCS / "a-bug-found.md"
FILES = DOCS / "examples" / "a-bug-found"
RECORDING = FILES / "qwen-effort.jsonl"
#: The commands of the story that look at it.
_OF_THE_RECORDING = [[name, RECORDING.name] for name in ("show", "model", "frames")]
_ADDRESS = "127.0.0.1:4180"


def _recipes() -> list[str]:
    return text_of(COOKBOOK).split("\n## ")[1:]


def test_each_recipe_is_one_screen() -> None:
    """Twenty, each with a command, its screen of at most three lines, and a link; the page is short."""
    assert len(_recipes()) == 20
    for recipe in _recipes():
        screens = re.findall(r"^```text\n(.*?)^```$", recipe, re.DOTALL | re.MULTILINE)
        assert [len(screen.splitlines()) <= 3 for screen in screens] == [True], recipe
        assert len(re.findall(r"^```(?:sh|python)$", recipe, re.MULTILINE)) == 1, recipe
        assert ".md" in recipe, recipe
    assert len(text_of(COOKBOOK).split()) <= 1_100


def _over_http(home: Home, checkout: Checkout, block: str) -> str:
    """Each line in a terminal of its own, at a port that is free."""
    serve, connect = block.splitlines()
    with started(home, str(checkout.directory / serve.split()[2]), "--listen", ANY) as mock:
        address = address_of(mock).removesuffix("/acp")
        done = checkout.run("sh", connect.replace(_ADDRESS, address))
        assert (done.returncode, ended(mock)[0]) == (0, 0), done
    return done.stdout


@pytest.mark.slow
def test_the_recipes_print_what_they_show(home: Home, tmp_path: Path) -> None:
    """From the top to the end, in one directory: comparing and judging may end with 1, no other with an error."""
    checkout = Checkout(home, tmp_path)
    printed, screens = "", 0
    for language, body in in_order(COOKBOOK):
        if language == "text":
            assert missing(body, printed) == [], (body, printed)
            screens += 1
        elif _ADDRESS in body:
            printed = _over_http(home, checkout, body)
        else:
            done = checkout.run(language, body)
            assert done.returncode == int(body.startswith(("acp-trace diff", "acp-trace check"))), (
                body,
                done,
            )
            printed = done.stdout + done.stderr
    assert screens == 20


def _sent() -> dict[str, Any]:
    """What the client of the story's recording sent: the parameters by method."""
    entries = [msgspec.json.decode(line) for line in RECORDING.read_bytes().splitlines()]
    frames = [entry["frame"] for entry in entries if entry.get("from") == "client"]
    return {frame["method"]: frame["params"] for frame in frames}


def test_the_story_has_its_recording() -> None:
    """The script of the page made it; the page is no longer than promised."""
    script = blocks(STORY, "toml")[0]
    assert script == (FILES / "effort.toml").read_text("utf-8")
    steps = tomllib.loads(script)["steps"]
    sent = _sent()
    option = sent["session/set_config_option"]
    assert steps == [
        {"new": "main"},
        {"set_option": option["configId"], "value": option["value"]},
        {"prompt": sent["session/prompt"]["prompt"][0]["text"]},
        {"cancel": True, "after": "3 updates"},
    ]
    assert "session/cancel" in sent
    assert len(prose(STORY).split()) <= 900


@pytest.mark.slow
def test_the_story_shows_its_recording(home: Home, tmp_path: Path) -> None:
    """What needs no version from npm runs. The other side's frames are those of a run that is not here."""
    checkout = Checkout(home, tmp_path)
    (tmp_path / RECORDING.name).symlink_to(RECORDING)
    ran = 0
    for (_, command), (_, screen) in pairwise(in_order(STORY)):
        here = [line for line in command.splitlines() if line.split()[1:3] in _OF_THE_RECORDING]
        if not here:
            continue
        done = checkout.run("sh", "\n".join(here))
        assert done.returncode == 0, done
        shown = screen if len(here) == len(command.splitlines()) else screen.partition("\n\n")[0]
        assert [line for line in missing(shown, done.stdout) if line] == [], (screen, done.stdout)
        ran += len(here)
    assert ran == 3
