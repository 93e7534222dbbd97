"""A setting is declared once: command line, file, Python and pytest have what the table has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer.main

from acp_trace.cli.app import app_for
from acp_trace.replay.declared import SETTINGS, given
from acp_trace.replay.settings import KEYS, SettingError, Settings, changed
from tests.commands import Commands
from tests.support import REPOSITORY


def test_each_setting_is_an_option_and_a_key() -> None:
    """In the order of the table, under its heading; but for what only a file has."""
    command: Any = typer.main.get_command(app_for(["replay"])).commands["replay"]  # type: ignore[attr-defined]
    options = {param.name: param for param in command.params if param.rich_help_panel}
    shown = {keyword: setting for keyword, setting in SETTINGS.items() if setting.option.help}
    assert [*options] == [*shown]
    for keyword, setting in shown.items():
        option = options[keyword]
        assert option.opts == [f"--{setting.key.replace('_', '-')}"]
        assert (option.is_flag, option.multiple) == (setting.kind == "flag", setting.kind == "list")
        assert option.rich_help_panel == setting.option.group
    assert {*KEYS} == {"agent", "record", *(setting.key for setting in SETTINGS.values())}


@pytest.mark.parametrize("keyword", [keyword for keyword, setting in SETTINGS.items() if setting.choices])
def test_each_choice_is_taken_and_nothing_else(keyword: str) -> None:
    """Those of its type."""
    setting = SETTINGS[keyword]
    for choice in setting.choices:
        assert changed(Settings(), {setting.key: choice}, Path()) is not None
    with pytest.raises(SettingError, match="must be one of"):
        changed(Settings(), {setting.key: "else"}, Path())


def test_keywords_are_given_as_a_file_has_them() -> None:
    """Paths go through `path`, but not words such as `fresh`; None and empty lists are left out."""
    named = given(
        {"masks": ("/a",), "budgets": [], "cwd": Path("x"), "home": "fresh", "agent_cwd": "y",
         "alternatives": [Path("z")], "timeout": None, "allow_terminal": False},
        lambda path: f"/here/{path}",
    )  # fmt: skip
    assert named == {
        "mask": ["/a"],
        "cwd": "/here/x",
        "home": "fresh",
        "agent_cwd": "/here/y",
        "alternatives": ["/here/z"],
        "allow_terminal": False,
    }
    with pytest.raises(TypeError, match="'mask' is not a setting: it is not one of match, masks"):
        given({"mask": "/a"})


@pytest.mark.parametrize(
    "option",
    [
        f"--{each.key.replace('_', '-')}"
        for each in SETTINGS.values()
        if each.option.help and each.kind == "text"
    ],
)
def test_an_empty_word_is_not_taken_for_none(commands: Commands, option: str) -> None:
    """`--home "$UNSET"` is a mistake: the agent would start in another home than was meant."""
    recording = str(REPOSITORY / "sample_traces" / "opencode-acpx.jsonl")
    said = commands("replay", recording, option, "", "--explain", "--", "cat")
    assert (said.code, said.out) == (2, "")
