"""acp_trace/clients: what install puts in, uninstall takes out to the byte, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.clients import configuration, jsonc, recorder
from acp_trace.clients.configuration import Configuration
from acp_trace.clients.edits import CannotEdit
from acp_trace.clients.jsonc import Node
from acp_trace.clients.table import CLIENTS, EditableClient
from tests.clients.written import configurations

PYTHON = "/opt/venv/bin/python"
_NAMES = ("x", 'y \u2028"')
ZED, ACPX = CLIENTS["zed"], CLIENTS["acpx"]


def _value(node: Node, text: str) -> object:
    """What a JSON parser without positions makes of it."""
    if node.kind == "object":
        return {member.name: _value(member.value, text) for member in node.members}
    if node.kind == "array":
        return [_value(item, text) for item in node.items]
    return node.string if node.kind == "string" else text[node.start : node.end]


@pytest.mark.slow
@given(configurations(), st.data())
def test_every_agent_comes_back_to_the_byte(
    given: tuple[EditableClient, str, list[str]], data: st.DataObject
) -> None:
    """Agents wrapped and added one after the other, and taken out in any order."""
    client, text, names = given
    now: str | None = text
    done = [*data.draw(st.permutations(names)), *data.draw(st.permutations(_NAMES))]
    for name in done:
        assert now is not None
        before = Configuration(client, now)
        if name in names:
            now = before.wrapped(name, PYTHON)
        else:
            now = before.extended(name, ["agent", "\u00e9 \\"], PYTHON)
        after = Configuration(client, now)
        assert set(after.installed) == {*before.installed, name}
        assert after.records(name)
    for name in data.draw(st.permutations(done)):
        assert now is not None
        now = Configuration(client, now).without(name)
    assert now == text


@pytest.mark.slow
@given(configurations())
def test_only_the_command_of_the_agent_changes(given: tuple[EditableClient, str, list[str]]) -> None:
    """All other values are what they were, in their order."""
    client, text, names = given
    for name in names:
        new = Configuration(client, text).wrapped(name, PYTHON)
        old_value, new_value = (_value(jsonc.parse(one), one) for one in (text, new))
        assert isinstance(old_value, dict)
        assert isinstance(new_value, dict)
        agent, recorded = (one[client.agents].pop(name) for one in (old_value, new_value))
        assert new_value == old_value
        for key in ("command", "args", "argv"):
            agent.pop(key, None)
            recorded.pop(key, None)
        assert recorded == agent


@pytest.mark.parametrize(
    ("command", "recorded"),
    [
        (["acp-trace", "record", "--", "a"], True),
        (["/opt/bin/acp-trace", "record"], True),
        (["C:\\tools\\acp-trace.exe", "record"], True),
        (["C:/Python/python.exe", "-EP", "-m", "acp_trace", "record"], True),
        (["acp-trace", "mock"], False),
        (["opencode", "record"], False),
        (["C:\\acp-trace\\agent.exe", "record"], False),
    ],
)
def test_what_a_recorder_is(command: list[str], recorded: bool) -> None:
    """By any path, also one of Windows."""
    assert recorder.records(command) == recorded


@given(st.sampled_from([ZED, CLIENTS["jetbrains"], ACPX]), st.booleans())
def test_a_file_that_install_made_is_gone_afterwards(client: EditableClient, second: bool) -> None:
    """Also if another agent came after it, in either order."""
    text = configuration.created(client, "a", ["agent", "acp"], PYTHON)
    for order in ("a", "b"), ("b", "a"):
        now: str | None = text
        if second:
            now = Configuration(client, text).extended("b", ["agent"], PYTHON)
        for name in order[: 1 + second] if second else ("a",):
            assert now is not None
            now = Configuration(client, now).without(name)
        assert now is None


_SETTINGS = """// Zed settings
{
  "theme": "One Dark", // mine
  "agent_servers": {
    // the one for work
    "OpenCode": {
      "type": "custom",
      "command": "opencode",
      "args": ["acp"],
      "env": { "KEY": "x" },
    },
    "claude-acp": { "type": "registry" },
  },
}"""


def test_what_is_put_in() -> None:
    """The command and its arguments, and nothing else."""
    assert Configuration(ZED, _SETTINGS).wrapped("OpenCode", PYTHON) == _SETTINGS.replace(
        '"opencode",', f'"{PYTHON}",'
    ).replace('["acp"]', '["-EP", "-m", "acp_trace", "record", "--", "opencode", "acp"]')


def test_what_is_added() -> None:
    """An entry of its own, in front of the others, indented as they are."""
    new = Configuration(ZED, _SETTINGS).extended("mine", ["agent", "acp"], PYTHON)
    assert new == _SETTINGS.replace(
        '"agent_servers": {\n',
        '"agent_servers": {\n    "mine": {\n      "type": "custom",\n'
        f'      "command": "{PYTHON}",\n'
        '      "args": ["-PE", "-m", "acp_trace", "record", "--", "agent", "acp"],\n'
        '      "env": {}\n    },\n',
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"theme": "One Dark"', '"theme": "Ayu", "x": [1]'),
        ("// the one for work", "// the other one"),
        ('"KEY": "x"', '"KEY": "y"'),
        ('"OpenCode"', '"new": {"command": "n"}, "OpenCode"'),
        ('"env"', '"cwd": "/w", "env"'),
    ],
)
def test_other_parts_may_change_meanwhile(old: str, new: str) -> None:
    """Then only the recorder is taken out."""
    text = Configuration(ZED, _SETTINGS).wrapped("OpenCode", PYTHON)
    assert Configuration(ZED, text.replace(old, new)).without("OpenCode") == _SETTINGS.replace(old, new)


def test_a_formatter_may_have_been_there() -> None:
    """What is left is what was there, in the formatter's layout."""
    text = Configuration(ZED, _SETTINGS).wrapped("OpenCode", PYTHON)
    laid_out = (
        text.replace(", ", ",\n        ").replace('["', '[\n        "').replace('"acp"]', '"acp",\n      ]')
    )
    out = Configuration(ZED, laid_out).without("OpenCode")
    assert out is not None
    assert _value(jsonc.parse(out), out) == _value(jsonc.parse(_SETTINGS), _SETTINGS)
    made = configuration.created(ZED, "a", ["agent"], PYTHON)
    assert Configuration(ZED, made.replace(", ", ",\n\t")).without("a") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"--", ', '"--", /* mine */ '),
        ('"opencode", ', '"opencode", // mine\n '),
        ('"-EP", ', '"-EP", "-v", '),
        ('"record", "--"', '"record", "--out", "x", "--"'),
    ],
)
def test_what_was_changed_inside_is_left(old: str, new: str) -> None:
    """Nothing of a person's is lost: it is refused."""
    text = Configuration(ZED, _SETTINGS).wrapped("OpenCode", PYTHON).replace(old, new)
    with pytest.raises(CannotEdit, match="by hand"):
        Configuration(ZED, text).without("OpenCode")


@pytest.mark.parametrize(
    ("old", "new"),
    [('"env": {}', '"env": {"A": "b"}'), ('"env": {}', '"env": {} // mine\n'), ('"custom"', '"x"')],
)
def test_an_added_entry_that_was_changed_is_left(old: str, new: str) -> None:
    """The same for an entry of install's own."""
    text = Configuration(ZED, "{}").extended("mine", ["agent"], PYTHON).replace(old, new)
    with pytest.raises(CannotEdit, match="by hand"):
        Configuration(ZED, text).without("mine")


def test_what_people_put_into_the_object_that_install_made_stays() -> None:
    """The object stays as well, then."""
    text = Configuration(ZED, "{\n}\n").extended("mine", ["agent"], PYTHON)
    theirs = text.replace('"agent_servers": {', '"agent_servers": {\n    "b": {"command": "b"},')
    out = Configuration(ZED, theirs).without("mine")
    assert out == '{\n  "agent_servers": {\n    "b": {"command": "b"}\n  }\n}\n'


@pytest.mark.parametrize(
    ("client", "agents", "why"),
    [
        (ZED, '"agent_servers": {"a": {"type": "registry"}}', "has no command in the file"),
        (ZED, '"agent_servers": {"a": {"command": 1}}', "not a string"),
        (ZED, '"agent_servers": {"a": {"command": "x", "args": "y"}}', "not a list of strings"),
        (ZED, '"agent_servers": {"a": {"command": "x", "args": null}}', "not a list of strings"),
        (ZED, '"agent_servers": {"a": {"command": "x", "command": "y"}}', "`command` twice"),
        (ZED, '"agent_servers": {"a": {"command": "x"}, "a": {"command": "y"}}', "two agents a"),
        (ZED, '"agent_servers": {"aa": {"command": "x"}}', "did you mean aa"),
        (ZED, '"agent_servers": {"a": []}', "not an object"),
        (ZED, '"agent_servers": []', "not an object"),
        (ZED, '"agent_servers": {}, "agent_servers": {}', "twice"),
        (ACPX, '"agents": {"a": {"argv": []}}', "only `argv`"),
        (ACPX, '"agents": {"a": {"argv": ["x"], "args": []}}', "only `argv`"),
    ],
)
def test_what_the_client_could_not_read_is_refused(client: EditableClient, agents: str, why: str) -> None:
    """Each with what is wrong."""
    with pytest.raises(CannotEdit, match=why):
        Configuration(client, "{" + agents + "}").wrapped("a", PYTHON)


def test_acpx_splits_a_command_that_stands_alone() -> None:
    """The recorder's words are put in front, quoted as a shell reads them."""
    text = '{"agents": {"Mine": {"command": "node \\"a b.js\\" --acp"}}}'
    new = Configuration(ACPX, text).wrapped("mine", "/a b/python")
    assert '"\'/a b/python\' -EP -m acp_trace record -- node \\"a b.js\\" --acp"' in new
    assert Configuration(ACPX, new).without("MINE") == text


def test_acpx_takes_no_space_in_a_command_with_args() -> None:
    """As it says itself: "must be an unquoted executable with no whitespace when args is present"."""
    text = '{"agents": {"a": {"command": "node", "args": []}}}'
    with pytest.raises(CannotEdit, match="write all words into `argv` first"):
        Configuration(ACPX, text).wrapped("a", "/a b/python")


@pytest.mark.parametrize("command", ["acp-trace", "/opt/bin/acp-trace"])
def test_a_recorder_that_was_written_by_hand_is_known_and_left(command: str) -> None:
    """It records; uninstall did not put it there."""
    text = f'{{"agents": {{"a": {{"argv": ["{command}", "record", "--", "x"]}}}}}}'
    found = Configuration(ACPX, text)
    assert found.records("a")
    assert found.installed == []
    with pytest.raises(CannotEdit, match="by hand"):
        found.without("a")


def test_a_line_that_is_no_command_line_is_refused() -> None:
    """Nobody can say what acpx would start, which splits it."""
    broken = Configuration(ACPX, '{"agents": {"a": {"command": "\\""}}}')
    with pytest.raises(CannotEdit, match="is not a valid command line: no closing quotation"):
        broken.wrapped("a", PYTHON)
