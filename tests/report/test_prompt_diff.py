"""How two prompts differ, in lines: what is gone, what is new, and no more of the rest than is needed."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from acp_trace.model.changes import ModelChange
from acp_trace.model.prompt_diff import MessageChange, PartChange, PromptDiff, ToolChange, difference
from acp_trace.model.shapes import Media, Part, Prompt, PromptMessage, Text, Tool, ToolUse
from acp_trace.model.value_diff import ValueChange
from acp_trace.report.text.prompt_diff import bodies, listed


def _lines(diff: PromptDiff, *, width: int = 76, all_: bool = False) -> list[str]:
    out = StringIO()
    console = Console(file=out, width=width, color_system=None, highlight=False)
    for line in next(bodies([diff], width, all_=all_)):
        console.print(line)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def _system(expected: str, actual: str) -> PromptDiff:
    return difference(Prompt(system=expected), Prompt(system=actual))


def test_of_a_line_only_what_is_around_the_difference() -> None:
    """Prompts have long lines; all of it with `--all`. No line is wider than the terminal."""
    words = " ".join(f"word{number}" for number in range(60))
    lines = _lines(_system(f"{words} one {words}", f"{words} two {words}"))
    assert lines[0] == "line 1"
    assert [line[:3] for line in lines if line[0] in "-+"] == ["- …", "+ …"]
    assert "one" in "".join(lines)
    assert sum(map(len, lines)) < 250
    whole = _lines(_system(f"{words} one {words}", f"{words} two {words}"), all_=True)
    assert whole[1].startswith("- word0 word1")
    assert max(map(len, whole)) <= 76


def test_blanks_that_differ_are_seen() -> None:
    """At the end of a line nobody would see them."""
    assert _lines(_system("Follow:\nEnd", "Follow: \nEnd")) == ["line 1", "- Follow:", "+ Follow:␣"]


def test_lines_that_are_alike_stand_together() -> None:
    """What is gone for good, or new, does not stand between a line and what became of it."""
    expected = "1. Stay calm\n2. Be brief\n3. Be kind to everybody"
    actual = "1. Stay calm now\nZebras graze\n3. Be kind to all"
    assert _lines(_system(expected, actual)) == [
        "line 1",
        "- 1. Stay calm",
        "+ 1. Stay calm now",
        "- 2. Be brief",
        "+ Zebras graze",
        "- 3. Be kind to everybody",
        "+ 3. Be kind to all",
    ]


def test_what_is_long_is_cut_and_says_so() -> None:
    """All of it with `--all`; where something is new, the line before it is named."""
    added = "\n".join(f"Rule {number}" for number in range(30))
    diff = _system("Begin\nEnd", f"Begin\n{added}\nEnd")
    lines = _lines(diff)
    assert (lines[0], lines[1], lines[-1]) == ("after line 1", "+ Rule 0", "… and 18 more lines: --all")
    assert _lines(diff, all_=True)[-1] == "+ Rule 29"


def test_a_long_list_of_changes_is_cut_and_says_so() -> None:
    """What comes first has its lines; of what comes late, only how many there are. `--all` has everything."""
    diff = _system("", "\n".join(f"Rule {number}" for number in range(30)))
    calls = tuple(range(1, 60, 2))
    changes = [
        ModelChange(
            code="model-prompt-changed",
            message=str(number),
            expected_calls=calls,
            actual_calls=calls,
            diff=diff,
        )
        for number in range(30)
    ]
    lines = listed(changes, 60, all_=False).plain.splitlines()
    assert lines[0] == " 1  model-prompt-changed  30 calls from call 1 to 59"
    assert [line.strip() for line in lines if "…" in line] == [
        *["… and 18 more lines: --all"] * 3,
        "… and 26 more lines: --all",
        *["… 30 lines: --all"] * 16,
        "… and 10 more changes: --all",
    ]
    assert "…" not in listed(changes, 200, all_=True).plain


def test_nothing_in_it_is_obeyed_by_a_terminal() -> None:
    """Neither in texts, nor in names of places."""
    value = ValueChange("/a\x1b[2J", '"\\u001b[31m"', '"x"')
    lines = _lines(PromptDiff(tools_changed=(ToolChange("t", (), (value,)),)))
    assert lines == ["/a\\e[2J", "- \\e[31m", "+ x"]
    assert "\x1b" not in "".join(_lines(_system("a\x1b[31m b", "a\x1b[32m b")))


def _changed(expected: Part | None, actual: Part | None) -> list[str]:
    was, now = (
        Prompt(messages=(PromptMessage("user", () if part is None else (part,)),))
        for part in (expected, actual)
    )
    return _lines(difference(was, now))


def test_parts_of_messages() -> None:
    """Words line by line, a tool call by its arguments, what is of another kind as a whole."""
    assert _changed(Text("a b c"), Text("a b d")) == ["line 1", "- a b c", "+ a b d"]
    run = ToolUse("1", "run", {"cmd": "ls", "n": 1})
    assert _changed(run, ToolUse("2", "run", {"cmd": "pwd", "n": 1})) == ["/cmd", "- ls", "+ pwd"]
    assert _changed(run, Text("No.")) == ['- run {"cmd":"ls","n":1}', "+ No."]
    assert _changed(None, Media("image", "a.png")) == ["+ image a.png"]
    message = PromptMessage("user", (Text("One\nTwo"),))
    assert _lines(PromptDiff(messages=(MessageChange("removed", "user", 1, None, message),))) == [
        "- One",
        "- Two",
    ]
    assert _lines(
        PromptDiff(messages=(MessageChange("changed", "u", 1, 1, None, (PartChange(run, None),)),))
    ) == ['- run {"cmd":"ls","n":1}']


def test_what_the_message_has_said_is_not_said_again() -> None:
    """Short parameters, names of tools; their order is shown with `--all`."""
    short = PromptDiff(parameters=(ValueChange("/t", "0", "1"),), tools_added=("a",), tools_removed=("b",))
    assert _lines(short) == []
    long = ValueChange("/stop", '"' + "x" * 70 + '"', None)
    assert _lines(PromptDiff(parameters=(long,))) == ["- " + "x" * 70]
    was, now = (Prompt(tools=tuple(Tool(name, "", {}) for name in names)) for names in ("ab", "ba"))
    order = difference(was, now)
    assert _lines(order) == []
    assert _lines(order, all_=True) == ["- a, b", "+ b, a"]
