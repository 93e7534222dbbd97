"""The options of a permission: by kind and name, in any order, with what an agent quotes in a name."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.compare.codes import Match
from acp_trace.compare.result import Comparison
from tests.compare.conversation import OPTIONS, Edit, Named, asks, base, codes, compared, file, instead

_ALLOW, _REJECT = OPTIONS


def _asks(options: Any, command: str = "ls -l") -> Edit:
    """A permission for a command."""
    call = {"toolCallId": "c2", "title": command, "rawInput": {"command": ["sh", "-c", command]}}
    return instead("permission", asks(1, "session/request_permission", toolCall=call, options=options))


def _compared(expected: Edit, actual: Edit, *masks: str, match: Match = "semantic") -> Comparison:
    named: Named = base()
    return compared(file(expected(named)), file(actual(named)), match, masks)


def _always(name: str) -> list[dict[str, Any]]:
    return [_ALLOW, {"optionId": "a", "kind": "allow_always", "name": name}, _REJECT]


@pytest.mark.parametrize("name", ["Always allow {}", "Yes, and don't ask again for commands like `{}`"])
def test_a_command_in_a_name_may_be_another(name: str) -> None:
    """Real agents quote what they ask about: another model runs another command. Not so at `content`."""
    expected = _asks(_always(name.format("ls -l")))
    same_call = _asks(_always(name.format("cat x")))
    assert codes(_compared(expected, same_call, match="content")) == ["permission-option-differs"]
    assert not codes(_compared(expected, _asks(_always(name.format("cat x")), "cat x")))
    (found,) = _compared(expected, _asks(_always("Never"), "cat x")).failing
    assert (found.code, found.got) == ("permission-option-differs", "Never (allow_always)")


def test_a_name_may_be_a_word_of_the_command() -> None:
    """A word that both have is no reason to leave it out."""
    assert not codes(_compared(_asks([_ALLOW, _REJECT]), _asks([_ALLOW, _REJECT], "echo Reject Allow")))
    swapped = [{**_ALLOW, "name": "Reject"}, {**_REJECT, "name": "Allow"}]
    found = _compared(_asks(OPTIONS), _asks(swapped, "echo Reject Allow"))
    assert codes(found) == ["permission-option-differs"]


def test_a_directory_in_a_name_may_be_another() -> None:
    """That of the session: another run goes on elsewhere."""
    sides = []
    for directory in ("/w", "/tmp/x"):
        options = _always(f"Allow all edits in {directory}/src")
        moved = {"agent": {"argv": ["agent"], "cwd": directory}}
        sides.append(file(_asks(options)(base()), **moved))
    assert not codes(compared(sides[0], sides[1]))
    assert not codes(compared(sides[0], sides[1], "content"))


def test_what_is_said_of_options() -> None:
    """One divergence for each way to differ, with the options as people read them."""
    found = _compared(
        _asks([_ALLOW, _REJECT]), _asks([{**_ALLOW, "name": "Yes"}, *_always("Ever")[1:2]])
    ).failing
    assert [(one.code, one.expected, one.got) for one in found] == [
        ("permission-option-differs", "Allow (allow_once)", "Yes (allow_once)"),
        ("permission-option-missing", "Reject (reject_once)", "nothing"),
        ("permission-option-extra", "nothing", "Ever (allow_always)"),
    ]


def test_a_mask_hides_names_and_nothing_else() -> None:
    """One that somebody wrote; none is proposed, since it would hide that two names were swapped."""
    expected, actual = _asks(OPTIONS), _asks([{**_ALLOW, "name": "Yes"}, _REJECT])
    (found,) = _compared(expected, actual).failing
    mask = "/params/options/*/name:string"
    assert found.mask is None
    assert not codes(_compared(expected, actual, mask))
    assert codes(_compared(expected, _asks([_ALLOW]), mask)) == ["permission-option-missing"]


@pytest.mark.parametrize("options", [None, 5, [5, {}], [{"name": 5, "kind": None}]])
def test_options_that_are_none(options: Any) -> None:
    """Odd input is compared as far as it goes."""
    assert not codes(_compared(_asks(options), _asks(options)))
    assert "permission-option-extra" in codes(_compared(_asks(options), _asks(OPTIONS)))
