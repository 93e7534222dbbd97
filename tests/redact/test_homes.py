"""Home folders."""

from __future__ import annotations

import pytest

from acp_trace.redact.homes import Homes, placeholder


def homes(*folders: str, arguments: tuple[str, ...] = ()) -> Homes:
    made = Homes()
    for folder in folders:
        made.folder(folder)
    for argument in arguments:
        made.argument(argument)
    return made


def replaced(known: Homes, text: str) -> str:
    for start, end, number in sorted(known.spans(text), reverse=True):
        text = text[:start] + placeholder(number) + text[end:]
    return text


@pytest.mark.parametrize(
    ("folder", "names"),
    [
        ("/home/ann/work", ["ann"]),
        ("/home/ann", ["ann"]),
        ("/Users/Ann Lee/work", ["Ann Lee"]),
        (r"C:\Users\Ann Lee\work", ["Ann Lee"]),
        (r"\\?\C:\Users\ann\work", ["ann"]),
        ("/c:/Users/ann/work", ["ann"]),
        ("c:/users/ann/work", ["ann"]),
        ("/mnt/c/Users/ann", ["ann"]),
        ("/c/Users/ann", ["ann"]),
        ("/var/home/ann", ["ann"]),
        (r"\\wsl$\Ubuntu\home\ann\x", ["ann"]),
        ("file:///home/ann/x", ["ann"]),
        ("/srv/home/ann", []),
        ("/w", []),
        ("", []),
        ("/home", []),
        ("/home/linuxbrew/x", []),
        (r"C:\Users\Public", []),
        ("/root/x", []),
        ("/home/<home>", []),
    ],
)
def test_where_a_trace_is_at_home(folder: str, names: list[str]) -> None:
    """The name of the person, from a folder."""
    assert homes(folder).names == names


def test_arguments_name_homes_too() -> None:
    """Anywhere in them; what is no home is none."""
    known = homes(
        arguments=("/home/ann/bin/x", "--config=/Users/bob/c.toml", "https://h/home/eve", "/home/ann/y")
    )
    assert known.names == ["ann", "bob"]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("/home/ann", "<home>"),
        ("/home/ann/work", "<home>/work"),
        ("in /home/ann.", "in <home>."),
        ("--x=/home/ann/y:/home/ann/z", "--x=<home>/y:<home>/z"),
        ("file:///home/ann/x", "file://<home>/x"),
        ("C:\\Users\\ann\\x", "<home>\\x"),
        ("C:\\\\Users\\\\ann\\\\x", "<home>\\\\x"),
        ("file:///c%3A/Users/ann/x", "file:///c%3A<home>/x"),
        ("file:///C:/Users/ann/x", "file:///C:<home>/x"),
        ("/mnt/c/Users/ann/x", "<home>/x"),
        ("/var/home/ann/x", "<home>/x"),
        ("a\\n/home/ann/x", "a\\n<home>/x"),
        ("/home/anna /home/ann-2 /home/ann.old /home/Ann", "/home/anna /home/ann-2 /home/ann.old /home/Ann"),
        ("/srv/home/ann ann", "/srv/home/ann ann"),
        ("<home>/.claude/projects/-home-ann-work/x", "<home>/.claude/projects/-<home>-work/x"),
        ("x -home-ann y --Users-ann", "x -<home> y --<home>"),
        ("-home-anna -home_ann_x %home%ann%x", "-home-anna -<home>_x %<home>%x"),
        ("在/home/ann的", "在<home>的"),
    ],
)
def test_every_form_of_a_home(text: str, after: str) -> None:
    """With either slash, in URLs, in names of folders; not the homes of others, and no mere name."""
    assert replaced(homes("/home/ann/work"), text) == after


def test_homes_of_several_people_differ() -> None:
    """The first one is `<home>`."""
    known = homes("/home/ann", "/home/bob")
    assert replaced(known, "/home/bob/x /home/ann/y") == "<home:2>/x <home>/y"


def test_folders_that_are_told_anyway() -> None:
    """What is in the agent's folder, or above it, is no secret."""
    known = homes("/data/work/project")
    near = ["/data/work/project", "/data/work/project/", "/data/work", "/data/work/project/.env"]
    assert [known.is_near(path) for path in near] == [True] * 4
    assert not any(known.is_near(path) for path in ("/data/work/project2", "/data/wor", "", "K7MDENG/bPx"))


@pytest.mark.parametrize("name", ["alice-smith", "alice.smith", "alice_smith", "alice smith"])
def test_a_slug_has_no_other_characters(name: str) -> None:
    """Agents write one `-` for each character of a path that is no letter and no digit."""
    known = homes(f"/home/{name}/w")
    assert replaced(known, "a -home-alice-smith-w b") == "a -<home>-w b"
    assert replaced(known, f"-home-{name}-w") == "-<home>-w"


def test_many_homes_are_one_search() -> None:
    """Each keeps its number."""
    known = homes(*(f"/home/u{number}" for number in range(1000)))
    assert replaced(known, "/home/u7/x /home/u70") == "<home:8>/x <home:71>"
