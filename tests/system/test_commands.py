"""How Windows finds commands and quotes their lines, on strings: not run on Windows yet."""

from __future__ import annotations

import pytest

from acp_trace.system.commands import command_line, found
from acp_trace.system.processes import tree_end_command

NPM = r"C:\Users\me\AppData\Roaming\npm"
VARIABLES = {"Path": rf'C:\Windows;"{NPM}"', "PATHEXT": ".EXE;.CMD"}


@pytest.mark.parametrize(
    ("name", "files", "path"),
    [
        ("gemini", {rf"{NPM}\gemini", rf"{NPM}\gemini.cmd"}, rf"{NPM}\gemini.cmd"),
        ("node", {r"C:\Windows\node.exe", rf"{NPM}\node.cmd"}, r"C:\Windows\node.exe"),
        ("gemini.cmd", {rf"{NPM}\gemini.cmd"}, rf"{NPM}\gemini.cmd"),
        (r"D:\tools\agent", {r"D:\tools\agent.exe"}, r"D:\tools\agent.exe"),
        (r"\\server\share\agent.exe", {r"\\server\share\agent.exe"}, r"\\server\share\agent.exe"),
        ("agent", set(), None),
    ],
)
def test_which_file_a_name_means(name: str, files: set[str], path: str | None) -> None:
    """The shim without an extension, which npm makes for other shells, is not started."""
    assert found(name, VARIABLES, files.__contains__) == path


def test_a_program_gets_its_arguments_without_a_shell() -> None:
    """Quoted as its C runtime takes the quotes off."""
    line = command_line(r"C:\Program Files\a.exe", ["--text", 'say "hi"', "C:\\dir\\", "100%"])
    assert line == r'"C:\Program Files\a.exe" --text "say \"hi\"" C:\dir\ 100%'


@pytest.mark.parametrize(
    ("argument", "quoted"),
    [
        ("acp", '^^^"acp^^^"'),
        ("a b", '^^^"a^^^ b^^^"'),
        ("a&calc", '^^^"a^^^&calc^^^"'),
        ("%PATH%", '^^^"^^^%PATH^^^%^^^"'),
        ("dir\\", '^^^"dir\\\\^^^"'),
    ],
)
def test_a_shim_gets_nothing_that_a_shell_obeys(argument: str, quoted: str) -> None:
    """Each of the two shells takes one `^` off."""
    assert command_line(r"C:\npm\a.CMD", [argument]) == rf'cmd.exe /d /s /c "C:\npm\a.CMD {quoted}"'


def test_a_shim_gets_no_line_break() -> None:
    """`cmd.exe` would end the line there, and run the rest as another command."""
    with pytest.raises(ValueError, match="line break"):
        command_line(r"C:\npm\a.cmd", ["one\r\ntwo"])


def test_the_end_of_a_tree() -> None:
    """By its number, at once, with its children."""
    assert tree_end_command(12) == ["taskkill", "/F", "/T", "/PID", "12"]
