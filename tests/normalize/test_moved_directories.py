"""Recorded directories of Windows in the messages of a run: below the run's directory, with its slashes."""

from __future__ import annotations

import pytest

from acp_trace.normalize.moved_directories import MovedDirectories


def moved(recorded: str, actual: str) -> MovedDirectories:
    made = MovedDirectories()
    made.pair(recorded, actual)
    return made


@pytest.mark.parametrize(
    ("text", "now"),
    [
        (r"C:\w", "/tmp/x"),
        (r"C:\w\src\new.ts", "/tmp/x/src/new.ts"),
        (r"c:/W/src\new.ts", "/tmp/x/src/new.ts"),
        ("file:///c%3A/w/a%20b.ts", "file:///tmp/x/a%20b.ts"),
        ("/mnt/c/w/a", "/tmp/x/a"),
        (r"C:\work\a", r"C:\work\a"),
        (r"src\a", r"src\a"),
    ],
)
def test_a_path_of_windows_in_a_run_on_linux(text: str, now: str) -> None:
    """As a whole string."""
    assert moved(r"C:\w", "/tmp/x").path(text) == now


@pytest.mark.parametrize(
    ("text", "now"),
    [
        (r"read C:\w\src\a.ts and C:\work", r"read /tmp/x/src/a.ts and C:\work"),
        (r'{"a":"C:\\w\\new\nor \\n"}', r'{"a":"/tmp/x/new\nor \\n"}'),
        (r"see file:///C:/w/a, C:/w\nThen", r"see file:///tmp/x/a, /tmp/x\nThen"),
    ],
)
def test_a_text_with_paths_of_windows_in_a_run_on_linux(text: str, now: str) -> None:
    """Escapes stay."""
    assert moved(r"C:\w", "/tmp/x").text(text) == now


@pytest.mark.parametrize(
    ("text", "now"),
    [
        (r"C:\w\src/a.ts", r"D:\run\src/a.ts"),
        (r'{"a":"C:\\w\\a"}', r'{"a":"D:\\run\\a"}'),
        ("C:/w/a", "D:/run/a"),
        ("file:///c%3A/w/a", "file:///D:/run/a"),
    ],
)
def test_a_run_on_windows(text: str, now: str) -> None:
    """A directory is written as the recorded one."""
    assert moved(r"C:\w", r"D:\run").text(text) == now


def test_a_uri_of_linux_in_a_run_on_windows() -> None:
    """The drive follows three slashes."""
    assert moved("/w", r"D:\run").path("file:///w/a") == "file:///D:/run/a"
