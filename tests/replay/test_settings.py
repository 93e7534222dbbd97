"""The words of the options and of `NAME.replay.toml`: what each means, and one clear line for what means nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_trace.replay.settings import (
    KEYS,
    SettingError,
    Settings,
    changed,
    pace,
    seconds,
    settings_in,
    timeout,
)
from acp_trace.replay.timeouts import SECOND
from acp_trace.replay.written import conversation

EVERY: dict[str, Any] = {
    "agent": ["python", "agent.py"],
    "match": "exact",
    "mask": ["/params/update/content/text:string"],
    "budget": ["turn.first_output max < 5s"],
    "allow": ["update-missing usage_update"],
    "alternatives": ["other.jsonl"],
    "retries": 2,
    "pace": "10x",
    "timeout": 2.5,
    "unmatched": "nearest",
    "allow_terminal": True,
    "cwd": "here",
    "workspace": "here",
    "agent_cwd": "here",
    "home": "here",
    "model": "live",
    "model_match": "exact",
    "model_strict": True,
    "model_base": ["MY_URL", "http://127.0.0.1:1/v1"],
    "record": {"prompts": ["Hello"], "permission": "allow_once"},
    "fault": ["delay 5s on session/prompt #2", "kill on session/cancel"],
    "chaos": 7,
}


#: In place of an agent that is started, and of all that belongs to one.
AT_URL: dict[str, Any] = {
    "url": "wss://127.0.0.1/acp",
    "header": ["X-Key: 1", "X-Other: ${OTHER}"],
    "ca": "ca.pem",
    "allow_remote": True,
}


def of(folder: Path, **given: Any) -> Settings:
    return changed(Settings(), given, folder)


def refused(folder: Path, **given: Any) -> str:
    """The one line that is said to settings that mean nothing."""
    with pytest.raises(SettingError) as error:
        of(folder, **given)
    return str(error.value)


def test_every_key_sets_its_own(tmp_path: Path) -> None:
    """All at once; folders are seen from where the file stands."""
    (tmp_path / "here").mkdir()
    (tmp_path / "other.jsonl").touch()
    assert {*EVERY, *AT_URL} == set(KEYS)
    found = of(tmp_path, **EVERY)
    assert found.agent == ("python", "agent.py")
    assert (found.match, found.unmatched, found.pace_factor) == ("exact", "nearest", 0.1)
    assert found.allow_terminal
    assert (found.model_mode, found.model_match, found.model_strict) == ("live", "exact", True)
    assert found.model_bases == ("MY_URL", "OPENAI_BASE_URL=http://127.0.0.1:1/v1")
    assert found.timeout_ns == 2.5 * SECOND
    assert found.record == conversation(EVERY["record"])
    assert (found.alternatives, found.retries) == ((tmp_path / "other.jsonl",), 2)
    assert found.cwd == found.workspace == found.agent_cwd == found.home == tmp_path / "here"
    assert ([fault.text for fault in found.faults], found.chaos) == (EVERY["fault"], 7)
    words = of(tmp_path, agent_cwd="run", home="fresh")
    assert (words.agent_cwd, words.home) == ("run", "fresh")
    assert [mask.text for mask in found.masks] == EVERY["mask"]
    assert [budget.text for budget in found.budgets] == EVERY["budget"]
    assert [allowance.text for allowance in found.allowances] == EVERY["allow"]


def test_a_url_takes_the_place_of_an_agent(tmp_path: Path) -> None:
    """And an agent that of a URL, with what belongs to it: the options come after the file."""
    started = of(tmp_path, agent=["python"])
    at_url = changed(started, AT_URL, tmp_path)
    assert (at_url.agent, at_url.url, at_url.ca) == ((), "wss://127.0.0.1/acp", tmp_path / "ca.pem")
    assert at_url.allow_remote
    assert changed(at_url, {"agent": ["python"]}, tmp_path) == started
    assert "give either agent or url" in refused(tmp_path, agent=["python"], url="http://127.0.0.1")


def test_nothing_given_changes_nothing(tmp_path: Path) -> None:
    """What stands without a file and without options."""
    assert of(tmp_path) == Settings()
    assert timeout(Settings(), 0) == 60 * SECOND
    assert timeout(Settings(), 65 * SECOND) == 130 * SECOND, "it is no fault to be as slow as recorded"
    assert timeout(Settings(timeout_ns=SECOND), 65 * SECOND) == SECOND
    assert (Settings().match, Settings().unmatched, Settings().pace_factor) == (None, "fail", 0)
    assert (Settings().model_mode, Settings().model_match, Settings().model_strict) == (None, "loose", False)


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    """Editors on Windows write one."""
    path = tmp_path / "a.replay.toml"
    path.write_bytes(b"\xef\xbb\xbfretries = 2\r\n")
    assert settings_in(path).retries == 2


def test_masks_and_budgets_are_added_and_all_else_is_replaced(tmp_path: Path) -> None:
    """The options come after the file."""
    file = of(
        tmp_path, mask="/params/a", budget="turn.duration p95 < 9s", allow="noise", match="exact", timeout=5
    )
    both = changed(
        file,
        {"mask": ["/params/b"], "budget": ["turn.duration max < 1s"], "allow": ["end"], "match": "outcome"},
        tmp_path,
    )
    assert [mask.text for mask in both.masks] == ["/params/a", "/params/b"]
    assert (len(both.budgets), len(both.allowances)) == (2, 2)
    assert (both.match, both.timeout_ns) == ("outcome", 5 * SECOND)


@pytest.mark.parametrize(
    ("words", "factor"), [("causal", 0), ("recorded", 1), ("1x", 1), ("10x", 0.1), ("0.5x", 2), ("2.5x", 0.4)]
)
def test_a_pace_is_how_much_of_the_pauses_is_kept(words: str, factor: float) -> None:
    """`causal` none of them, `10x` a tenth."""
    assert pace(words) == factor


@pytest.mark.parametrize(
    "words", ["", "x", "10", "0x", "0.0x", "-1x", "1e3x", "fast", "٣x", "10x ", "Recorded"]
)
def test_other_words_are_no_pace(words: str) -> None:
    """The line says which there are."""
    with pytest.raises(SettingError, match=r"is not a pace: use causal, recorded, or a factor such as 10x$"):
        pace(words)


@pytest.mark.parametrize(("value", "s"), [(1, 1), (0.25, 0.25), ("90", 90), ("1e2", 100)])
def test_a_timeout_is_in_seconds(value: Any, s: float) -> None:
    """As a number, or as the words of one."""
    assert seconds(value) == s * SECOND


@pytest.mark.parametrize(
    "value", [0, -1, "", "soon", None, True, [], float("nan"), float("inf"), 10**6, 10**400, "10s"]
)
def test_other_values_are_no_timeout(value: Any) -> None:
    """Never an endless one, and never none at all."""
    with pytest.raises(SettingError, match=r"is not a number of seconds above 0$"):
        seconds(value)


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("masks", "'masks' is not a setting; did you mean mask?"),
        ("Timeout", "'Timeout' is not a setting; did you mean timeout?"),
        ("unmatch", "'unmatch' is not a setting; did you mean unmatched?"),
        ("xyzzy", f"'xyzzy' is not a setting: it is not one of {', '.join(KEYS)}"),
    ],
)
def test_a_key_that_is_none(tmp_path: Path, key: str, told: str) -> None:
    """With the nearest one, where there is one."""
    assert refused(tmp_path, **{key: "x"}) == told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"match": "semantics"}, "match is 'semantics': it must be one of outcome, semantic, content, exact"),
        ({"match": 1}, "match is 1: it must be one of outcome, semantic, content, exact"),
        ({"match": ["exact"]}, "match is ['exact']: it must be one of outcome, semantic, content, exact"),
        ({"model": "on"}, "model is 'on': it must be one of recorded, live, off"),
        ({"model_base": ["BASH_FUNC_git%%"]}, "model_base: 'BASH_FUNC_git%%' is not the name of a variable"),
        ({"model_base": "X=unix:/x"}, "model_base: 'unix:/x' is not an http:// or https:// URL"),
        ({"model_match": "fuzzy"}, "model_match is 'fuzzy': it must be one of loose, exact"),
        ({"model_strict": "yes"}, "model_strict is 'yes': it must be true or false"),
        ({"unmatched": "ask"}, "unmatched is 'ask': it must be one of fail, nearest, workspace"),
        ({"pace": 10}, "'10' is not a pace: use causal, recorded, or a factor such as 10x"),
        ({"timeout": "long"}, "'long' is not a number of seconds above 0"),
        ({"mask": 5}, "mask is 5: it must be a list of strings"),
        ({"mask": ["/a", 5]}, "mask is ['/a', 5]: it must be a list of strings"),
        ({"budget": {"a": 1}}, "budget is {'a': 1}: it must be a list of strings"),
        ({"agent": []}, "agent is empty: it is the agent's command, a list of strings"),
        ({"agent": [""]}, "agent is empty: it is the agent's command, a list of strings"),
        ({"agent": 5}, "agent is 5: it must be a list of strings"),
        ({"retries": -1}, "retries is -1: it must be a number from 0 to 100"),
        ({"retries": True}, "retries is True: it must be a number from 0 to 100"),
        ({"retries": "often"}, "retries is 'often': it must be a number from 0 to 100"),
        ({"alternatives": ["none.jsonl"]}, "alternatives: there is no file none.jsonl"),
        ({"alternatives": [5]}, "alternatives is [5]: it must be a list of strings"),
        ({"cwd": ""}, "cwd is '': it must be a directory"),
        ({"cwd": 5}, "cwd is 5: it must be a directory"),
        ({"workspace": "nowhere"}, "workspace: there is no directory nowhere"),
    ],
)
def test_a_value_that_is_none(tmp_path: Path, given: dict[str, Any], told: str) -> None:
    """One line with the key, what it is and what it may be."""
    assert refused(tmp_path, **given) == told


@pytest.mark.parametrize(
    "given",
    [
        {"mask": "no pointer"},
        {"mask": "/a:colour"},
        {"budget": "turn < 5"},
        {"budget": ""},
        {"allow": "nois"},
    ],
)
def test_masks_and_budgets_say_what_is_wrong_with_them(tmp_path: Path, given: dict[str, Any]) -> None:
    """In their own words, with a caret under the place."""
    told, text, caret = refused(tmp_path, **given).splitlines()
    assert told.strip()
    assert text.strip() in given.values()
    assert set(caret.strip()) <= {"^", "~"}


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    """Nor is a name that no system takes."""
    (tmp_path / "file").touch()
    assert refused(tmp_path, cwd="file") == "cwd: there is no directory file"
    assert refused(tmp_path, cwd="a\0b") == "cwd: there is no directory a\0b"


def test_a_folder_may_be_named_from_the_root(tmp_path: Path) -> None:
    """Then it does not matter where the file stands."""
    assert of(Path("/nowhere"), cwd=str(tmp_path)).cwd == tmp_path


def test_an_agent_may_be_one_word(tmp_path: Path) -> None:
    """Without arguments."""
    assert of(tmp_path, agent="agent").agent == ("agent",)
