r"""Paths of Windows: every form of the recorded directory is the run's directory, and nothing else is.

A row for each form: the text of the recording and the text of the run.
"""

from __future__ import annotations

import time

import pytest

from acp_trace.normalize import windows
from acp_trace.normalize.moved_places import MovedPlaces
from acp_trace.normalize.normalizer import COMMANDS, PATHS, Level, Normalizer
from acp_trace.trace import jsontext
from tests.support import DEADLINE_S

DRIVE, SHARE, WSL = r"C:\Users\Ann\proj", r"\\srv\share\proj", r"\\wsl$\Ubuntu\home\ann\proj"


def are_equal(recorded: str, text: str, actual: str, other: str, level: Level) -> bool:
    """Whether a text of a recording equals one of a run, each in its directory."""
    places = MovedPlaces.of([(recorded, actual)])
    sides = (places.recorded, text), (places.actual, other)
    was, now = (Normalizer("expected", each).value(value, level) for each, value in sides)
    if was != text:
        assert places.recorded.touch(jsontext.text(text)), "the quick look overlooks it"
    return bool(was == now)


#: The recorded directory, a path below it, and the same path below /tmp/x.
SAME_PATHS = [
    (DRIVE, r"C:\Users\Ann\proj", "/tmp/x"),
    (DRIVE, "C:\\Users\\Ann\\proj\\", "/tmp/x/"),
    (DRIVE, r"C:\Users\Ann\proj\src\a.ts", "/tmp/x/src/a.ts"),
    (DRIVE, r"C:\Users\Ann\proj\new\n.ts", "/tmp/x/new/n.ts"),
    (DRIVE, r"C:\Users\Ann\proj\My Docs\a b.ts", "/tmp/x/My Docs/a b.ts"),
    (DRIVE, "C:/Users/Ann/proj/src/a.ts", "/tmp/x/src/a.ts"),
    (DRIVE, r"C:\Users\Ann\proj\src/main/a.ts", "/tmp/x/src/main/a.ts"),
    (DRIVE, r"C:\Users/Ann\proj/src\main.ts", "/tmp/x/src/main.ts"),
    (DRIVE, r"C:/Users/Ann/proj\new.ts", "/tmp/x/new.ts"),
    (DRIVE, r"c:\Users\Ann\proj\src\a.ts", "/tmp/x/src/a.ts"),
    (DRIVE, r"C:\USERS\ann\Proj\src\a.ts", "/tmp/x/src/a.ts"),
    (DRIVE, r"C:\\Users\\Ann\\proj\\src\\a.ts", "/tmp/x/src/a.ts"),
    (DRIVE, r"\\?\C:\Users\Ann\proj\src\a.ts", "/tmp/x/src/a.ts"),
    (DRIVE, "//?/C:/Users/Ann/proj/src/a.ts", "/tmp/x/src/a.ts"),
    (DRIVE, "file:///C:/Users/Ann/proj/src/a.ts", "file:///tmp/x/src/a.ts"),
    (DRIVE, "file:///c%3A/Users/Ann/proj/a%20b.ts", "file:///tmp/x/a%20b.ts"),
    (DRIVE, "file:///c%3a/Users/Ann/proj", "file:///tmp/x"),
    (DRIVE, "/c:/Users/Ann/proj/src/a.ts", "/tmp/x/src/a.ts"),
    (DRIVE, "/mnt/c/Users/Ann/proj/src/a.ts", "/tmp/x/src/a.ts"),
    (DRIVE, "/c/Users/Ann/proj/src/a.ts", "/tmp/x/src/a.ts"),
    (DRIVE, "/cygdrive/c/Users/Ann/proj/src/a.ts", "/tmp/x/src/a.ts"),
    ("c:/Users/Ann/proj", r"C:\Users\Ann\proj\src\a.ts", "/tmp/x/src/a.ts"),
    (r"\\?\C:\Users\Ann\proj", r"C:\Users\Ann\proj\src\a.ts", "/tmp/x/src/a.ts"),
    ("C:\\Users\\Ann\\proj\\", r"C:\Users\Ann\proj\src\a.ts", "/tmp/x/src/a.ts"),
    (r"C:\Users\Ann\My Shop", "file:///c%3A/Users/Ann/My%20Shop/a.ts", "file:///tmp/x/a.ts"),
    (r"C:\Users\Jörg\Öl", "file:///c%3A/Users/J%C3%B6rg/%c3%b6l/a.ts", "file:///tmp/x/a.ts"),
    (r"C:\Users\Jörg\Öl", r"c:\users\jÖrg\öl\a.ts", "/tmp/x/a.ts"),
    ("/mnt/c/Users/Ann/proj", r"c:\users\Ann\proj\src\a.ts", "/tmp/x/src/a.ts"),
    ("/c/Users/Ann/proj", "C:/Users/Ann/proj/src/a.ts", "/tmp/x/src/a.ts"),
    (SHARE, r"\\srv\share\proj\src\a.ts", "/tmp/x/src/a.ts"),
    (SHARE, "//srv/share/proj/src/a.ts", "/tmp/x/src/a.ts"),
    (SHARE, r"\\SRV\Share\proj\src\a.ts", "/tmp/x/src/a.ts"),
    (SHARE, r"\\\\srv\\share\\proj\\src\\a.ts", "/tmp/x/src/a.ts"),
    (SHARE, r"\\?\UNC\srv\share\proj\src\a.ts", "/tmp/x/src/a.ts"),
    (SHARE, "file://srv/share/proj/src/a.ts", "file:///tmp/x/src/a.ts"),
    (SHARE, "file:////srv/share/proj/src/a.ts", "file:///tmp/x/src/a.ts"),
    ("//srv/share/proj", r"\\srv\share\proj\src\a.ts", "/tmp/x/src/a.ts"),
    (r"\\srv\share", r"\\srv\share\src\a.ts", "/tmp/x/src/a.ts"),
    (WSL, r"\\wsl$\Ubuntu\home\ann\proj\src\a.ts", "/tmp/x/src/a.ts"),
    (WSL, r"\\wsl.localhost\ubuntu\home\ann\proj\src\a.ts", "/tmp/x/src/a.ts"),
    (WSL, "//wsl$/Ubuntu/home/ann/proj/src/a.ts", "/tmp/x/src/a.ts"),
    (WSL, "file://wsl.localhost/Ubuntu/home/ann/proj/src/a.ts", "file:///tmp/x/src/a.ts"),
    (WSL, "file://wsl%24/Ubuntu/home/ann/proj/src/a.ts", "file:///tmp/x/src/a.ts"),
    (WSL, "/home/ann/proj/src/a.ts", "/tmp/x/src/a.ts"),
    (WSL, "file:///home/ann/proj/src/a.ts", "file:///tmp/x/src/a.ts"),
]

#: The same of words in a text.
SAME_TEXTS = [
    (DRIVE, r'cat "C:\Users\Ann\proj\My Docs\a.ts" now', 'cat "/tmp/x/My Docs/a.ts" now'),
    (DRIVE, r"cat C:\Users\Ann\proj\new\test.ts, then", "cat /tmp/x/new/test.ts, then"),
    (DRIVE, r"in C:\Users\Ann\proj (C:\Users\Ann\proj\a)", "in /tmp/x (/tmp/x/a)"),
    (DRIVE, "cd C:\\Users\\Ann\\proj\\ && ls", "cd /tmp/x/ && ls"),
    (DRIVE, r'{"cwd":"C:\\Users\\Ann\\proj\\new"}', '{"cwd":"/tmp/x/new"}'),
    (DRIVE, r'{"t":"in C:\\Users\\Ann\\proj\nThen"}', r'{"t":"in /tmp/x\nThen"}'),
    (DRIVE, r'{"t":"\"C:\\\\Users\\\\Ann\\\\proj\\\\new\\\\a.ts\""}', r'{"t":"\"/tmp/x/new/a.ts\""}'),
    (
        DRIVE,
        r'{"t":"first\nC:\\Users\\Ann\\proj\\a\nC:/Users/Ann/proj/b"}',
        r'{"t":"first\n/tmp/x/a\n/tmp/x/b"}',
    ),
    (DRIVE, r"cd C:/Users/Ann/proj\nThen it runs", r"cd /tmp/x\nThen it runs"),
    (DRIVE, r"echo 'C:\Users\Ann\proj\n'", r"echo '/tmp/x\n'"),
    (DRIVE, r"a.ts in C:\Users\Ann\proj: 3 lines", "a.ts in /tmp/x: 3 lines"),
    (DRIVE, r"C:\Users\Ann\proj\src\a.ts:12:3 - error", "/tmp/x/src/a.ts:12:3 - error"),
    (DRIVE, "see file:///c%3A/Users/Ann/proj/a%20b.ts#L3", "see file:///tmp/x/a%20b.ts#L3"),
    (DRIVE, r"ls ...Ann\proj\src\a.ts", "ls .../tmp/x/src/a.ts"),
    (DRIVE, r"PATH=/mnt/c/Users/Ann/proj/bin:/usr/bin", "PATH=/tmp/x/bin:/usr/bin"),
    (DRIVE, r"in ~/.claude/projects/c--Users-Ann-proj/a", "in ~/.claude/projects/-tmp-x/a"),
    (DRIVE, "open http://localhost/?in=C:/Users/Ann/proj", "open http://localhost/?in=/tmp/x"),
    (SHARE, r"dir \\srv\share\proj\src or //srv/share/proj", "dir /tmp/x/src or /tmp/x"),
    (WSL, r"cd /home/ann/proj; dir \\wsl$\Ubuntu\home\ann\proj\a", "cd /tmp/x; dir /tmp/x/a"),
]

#: What is not below the recorded directory, and what it would be below /tmp/x.
OTHER_PATHS = [
    (DRIVE, r"C:\Users\Ann\proj\src\a.ts", "/tmp/x/src/b.ts"),
    (DRIVE, r"C:\Users\Ann\proj\src\a.ts", "/tmp/x/src/A.ts"),
    (DRIVE, r"C:\Users\Ann\proj\src\a.ts", r"/tmp/x/src\a.ts"),
    (DRIVE, r"C:\Users\Ann\proj2\a.ts", "/tmp/x/a.ts"),
    (DRIVE, r"C:\Users\Ann\proj.old\a.ts", "/tmp/x/a.ts"),
    (DRIVE, r"C:\Users\Bob\proj\a.ts", "/tmp/x/a.ts"),
    (DRIVE, r"D:\Users\Ann\proj\a.ts", "/tmp/x/a.ts"),
    (DRIVE, r"\\C\Users\Ann\proj\a.ts", "/tmp/x/a.ts"),
    (DRIVE, "/Users/Ann/proj/a.ts", "/tmp/x/a.ts"),
    (DRIVE, "/mnt/d/Users/Ann/proj/a.ts", "/tmp/x/a.ts"),
    (DRIVE, "/cc/Users/Ann/proj/a.ts", "/tmp/x/a.ts"),
    (DRIVE, r"C:Users\Ann\proj\a.ts", "/tmp/x/a.ts"),
    (r"C:\Users\Ann\My Shop", r"C:\Users\Ann\My%20Shop\a.ts", "/tmp/x/a.ts"),
    (r"C:\ask", "C:\\aſk\\a.ts", "/tmp/x/a.ts"),
    ("/mnt/c/Users/Ann/proj", "/mnt/c/users/ann/proj/a.ts", "/tmp/x/a.ts"),
    ("/mnt/c/Users/Ann/proj", r"/mnt/c/Users/Ann/proj/src\a.ts", "/tmp/x/src/a.ts"),
    ("/w/shop", "w:/shop/a.ts", "/tmp/x/a.ts"),
    ("/home/Ann/proj", "/home/ann/proj/a.ts", "/tmp/x/a.ts"),
    ("/home/Ann/proj", r"/home/Ann/proj/src\a.ts", "/tmp/x/src/a.ts"),
    (SHARE, r"\\srv2\share\proj\a.ts", "/tmp/x/a.ts"),
    (SHARE, r"\\srv\share2\proj\a.ts", "/tmp/x/a.ts"),
    (SHARE, "/srv/share/proj/a.ts", "/tmp/x/a.ts"),
    (SHARE, "file:///srv/share/proj/a.ts", "file:///tmp/x/a.ts"),
    ("//srv/share/proj", "https://srv/share/proj/a.ts", "https:/tmp/x/a.ts"),
    (WSL, r"\\wsl$\Ubuntu\home\Ann\proj\a.ts", "/tmp/x/a.ts"),
    (WSL, r"\\wsl$\Debian\home\ann\proj\a.ts", "/tmp/x/a.ts"),
    (WSL, "/home/Ann/proj/a.ts", "/tmp/x/a.ts"),
]

#: The same of words in a text: one that names no path of the directory, and what would be equal to it then.
OTHER_TEXTS = [
    (DRIVE, r"{'t':'in C:\\Users\\Ann\\proj\new'}", "{'t':'in /tmp/x/new'}"),
    (DRIVE, r"cd C:/Users/Ann/proj\nThen it runs", "cd /tmp/x/nThen it runs"),
    (DRIVE, r"printf 'C:\Users\Ann\proj\n'", "printf '/tmp/x/n'"),
    (DRIVE, r"C:\Users\Ann\proj\a or \n is", "/tmp/x/a or /n is"),
    (DRIVE, r"C:\Users\Ann\proj\a; then b\nc", "/tmp/x/a; then b/nc"),
    (DRIVE, "see abc:/Users/Ann/proj for", "see ab/tmp/x for"),
    (DRIVE, "see https://host/c:/Users/Ann/proj", "see https://host/tmp/x"),
    (DRIVE, "see https://host/c/Users/Ann/proj", "see https://host/tmp/x"),
    (DRIVE, "see https://host/mnt/c/Users/Ann/proj", "see https://host/tmp/x"),
    (DRIVE, "see http://host/?in=c:/Users/Ann", "see http://host/?in=/tmp"),
    (DRIVE, r"section C: of \Users\Ann\proj", "section /tmp/x"),
    (DRIVE, "section C: of Users/Ann/proj", "section /tmp/x"),
    (r"C:\of", "see section C: of it", "see section /tmp/x it"),
    ("//srv/share/proj", "see https://srv/share/proj/a", "see https:/tmp/x/a"),
    (SHARE, "see https://srv/share/proj/a", "see https:/tmp/x/a"),
]


@pytest.mark.parametrize(("recorded", "text", "other"), SAME_PATHS)
@pytest.mark.parametrize("level", [PATHS, COMMANDS])
def test_every_form_of_a_path_is_found(recorded: str, text: str, other: str, level: Level) -> None:
    """As a whole string, at each level; on Linux, and in a run in another directory of Windows."""
    assert are_equal(recorded, text, "/tmp/x", other, level)
    assert are_equal("/tmp/x", other, recorded, text, level)
    inner = other.removeprefix("file://").removeprefix("/tmp/x").replace("/", "\\")
    if text[:5] != "file:":
        assert are_equal(recorded, text, r"D:\work\proj", rf"d:\Work\proj{inner}", level)


@pytest.mark.parametrize(("recorded", "text", "other"), SAME_TEXTS)
def test_every_form_in_a_text_is_found(recorded: str, text: str, other: str) -> None:
    """As words."""
    assert are_equal(recorded, text, "/tmp/x", other, COMMANDS)


@pytest.mark.parametrize(("recorded", "text", "other"), OTHER_PATHS)
@pytest.mark.parametrize("level", [PATHS, COMMANDS])
def test_other_files_are_different(recorded: str, text: str, other: str, level: Level) -> None:
    """A false `equal` would hide a fault."""
    assert not are_equal(recorded, text, "/tmp/x", other, level)


@pytest.mark.parametrize(("recorded", "text", "other"), OTHER_TEXTS)
def test_other_texts_are_different(recorded: str, text: str, other: str) -> None:
    """Escapes, URLs and prose are no paths."""
    assert not are_equal(recorded, text, "/tmp/x", other, COMMANDS)


@pytest.mark.parametrize(
    ("path", "directory", "rest"),
    [
        (r"c:\w\src\a.ts", r"C:\W", "src/a.ts"),
        ("/c:/w/a", r"C:\w", "a"),
        ("/mnt/c/w/a", r"C:\w", "a"),
        (r"C:\w", "C:/w/", ""),
        (r"C:\w\in\..\a", r"C:\w", "a"),
        (r"C:\w\..\a", r"C:\w", None),
        (r"C:\work", r"C:\w", None),
        ("src/a.ts", r"C:\w", None),
        (r"C:\a", "C:\\", "a"),
        (r"\\SRV\x\w\a", "//srv/x/w", "a"),
        (r"\\wsl.localhost\Ubuntu\w\a", r"\\wsl$\ubuntu\w", "a"),
        (r"\\wsl$\Ubuntu\W\a", r"\\wsl$\Ubuntu\w", None),
        (r"C:\w\a", "/w", None),
    ],
)
def test_paths_below_a_directory(path: str, directory: str, rest: str | None) -> None:
    """Only those of Windows."""
    assert windows.below(path, directory) == rest


@pytest.mark.parametrize(
    ("directory", "uri"),
    [
        ("/w/a b", "file:///w/a%20b"),
        (r"C:\w\a b", "file:///C:/w/a%20b"),
        (r"\\srv\my share\w", "file://srv/my%20share/w"),
    ],
)
def test_the_uri_of_a_directory(directory: str, uri: str) -> None:
    """As programs write it."""
    assert windows.uri(directory) == uri


@pytest.mark.parametrize("path", ["c:\\", "c:/", "C:\\", "C:/"])
def test_a_root_is_the_same_in_every_form(path: str) -> None:
    """A session in it is in its directory; other paths are as they are."""
    assert are_equal("C:\\", path, "/tmp/x", "/tmp/x", PATHS)
    assert not are_equal("C:\\", f"{path}a", "/tmp/x", "/tmp/x/a", PATHS)


def test_a_directory_in_two_forms_has_one_name() -> None:
    r"""An agent may start in `c:\w` whose session is in `C:\w`: neither is another directory."""
    places = MovedPlaces.of([(r"C:\w", "/tmp/1"), ("c:/w", "/tmp/2")])
    assert places.actual.path("/tmp/1/a") == places.actual.path("/tmp/2/a") == places.recorded.path(r"C:\w\a")


def test_directories_stay_apart() -> None:
    """The longest that has a path; `~` and `..` lead from one to another."""
    places = MovedPlaces.of(
        [(r"C:\Users\Ann", "/home"), (r"C:\Users\Ann\a", "/a"), (r"C:\Users\Ann\b\c", "/b")]
    )
    assert places.recorded.named(r"C:\Users\Ann\a\x ~\a\x ..\b\c\x") == "‹cwd 2›/x ‹cwd 2›/x ‹cwd 3›/x"


@pytest.mark.parametrize(
    "piece",
    [
        "C:\\",
        "\\",
        "C:\\w",
        "C:\\w\\",
        "C:\\w\\n",
        "\\n",
        "'C:/w ",
        "\"'/c/w/",
        "/",
        "file:///",
        "\\\\?\\",
        "...w",
        "a ",
    ],
)
@pytest.mark.parametrize("before", ["", "C:\\w", '"C:\\w\\', "/c/w\\", "\\\\s\\w"])
def test_any_text_is_looked_through_soon(before: str, piece: str) -> None:
    """What takes a square of its length would take minutes."""
    places = MovedPlaces.of([(r"C:\w", "/x"), (r"\\s\w", "/y")])
    text = f"{before}{piece * (150_000 // len(piece))}\\w!"
    began = time.monotonic()
    places.recorded.path(text)
    places.recorded.named(text)
    assert time.monotonic() - began < DEADLINE_S
