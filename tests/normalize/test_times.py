"""All usual forms of a moment are one; what looks like one and is none stays."""

from __future__ import annotations

import pytest

from acp_trace.normalize.forms import Found, neutral
from acp_trace.normalize.times import TIME, is_moment


def mask(text: str) -> str:
    return neutral(text, Found([], []))


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-22",
        "2026/11/22",
        "22/11/2026",
        "11/22/2026",
        "22.11.2026",
        "2026-11-22T09:05",
        "2026-11-22T09:05:07Z",
        "2026-11-22T09:05:07.123456+01:00",
        "2026-11-22 09:05:07",
        "2026-11-22 09:05:07,123 +0100",
        "2026-11-22, 9:05 PM",
        "Sun Nov 22 2026",
        "Sun Nov 22 2026 09:05:07 GMT+0100 (Central European Standard Time)",
        "Sunday, November 22, 2026",
        "Sunday, November 22, 2026 at 9:05 AM",
        "Nov 22, 2026",
        "22 November 2026",
        "Sun, 22 Nov 2026 09:05:07 GMT",
        "Sun Nov 22 09:05:07 UTC 2026",
        "Sun Nov 22 09:05:07 +1345 2026",
        "Sun Nov 22 09:05:07 -03 2026",
        "datetime.datetime(2026, 11, 22, 9, 5, 7, 123456)",
        "datetime.datetime(2026, 11, 22, 9, 5, tzinfo=datetime.timezone.utc)",
        "Nov 22 09:05",
        "November 22nd, 2026",
        "November 2026",
        "2026-11-26 (Thursday)",
        "11/22/2026, 9:05:07 AM",
        "09:05:07",
        "23:59:59.999",
        "1795378937",
        "1795378937.123",
        "1795378937123",
        "1795378937123456789",
    ],
)
def test_a_moment_is_one_in_every_usual_form(text: str) -> None:
    """Alone, and within a sentence; nothing of it is left."""
    assert mask(text) == TIME
    assert mask(f"Today is {text}. Go on.") == f"Today is {TIME}. Go on."
    assert mask(f"<date>{text}</date>") == f"<date>{TIME}</date>"


def test_an_escaped_line_end_is_no_letter_before_a_date() -> None:
    """As a result that is JSON or Python in a text has it. The day of the week goes with the date."""
    assert mask(r"'a.txt\nSun Nov 22 09:05:07 UTC 2026\n'") == rf"'a.txt\n{TIME}\n'"
    assert mask(r"nSun Nov 22") == rf"nSun {TIME}"


@pytest.mark.parametrize(
    "text",
    [
        "version 2.1.316",
        "1.2.2026",
        "127.0.0.1:18401",
        "line 12:34",
        "a.py:12:30:45",
        "120000",
        "4000000000",
        "2026",
        "may 2 of them fail?",
        "src/2026/11",
        "x2026-11-22x",
    ],
)
def test_a_number_alone_is_no_moment(text: str) -> None:
    """Versions, addresses, places in a file, limits."""
    assert mask(text) == text.replace("1.2.2026", TIME)


def test_the_current_year_is_a_moment() -> None:
    """Agents tell it alone, too; a year without these words may be what the user asks for."""
    assert mask("The current year is 2026. Find 2026.") == f"The current year is {TIME}. Find 2026."


def test_what_a_list_of_files_says_of_its_own_directory_is_masked() -> None:
    """Size, owner and date of `.` and `..`, also in JSON in a string; not those of a file."""
    own = "drwxr-xr-x 2 me me 4096 Nov 22 13:10 .", "d--------- 19 root adm 60 Jan  2  2025 .."
    assert mask("total 12\n" + "\n".join(own)) == "total 12\n‹listed›\n‹listed›"
    assert mask("total 12\\n" + "\\n".join(own) + "\\n") == "total 12\\n‹listed›\\n‹listed›\\n"
    other = "drwxr-xr-x 2 me me 4096 Nov 22 13:10 .git"
    assert mask(other).startswith(f"drwxr-xr-x 2 me me 4096 {TIME}")


def test_what_a_run_counts_is_masked_with_its_word() -> None:
    """A number without such a word may be what the user asked for."""
    assert mask("pid 4711, took 1.25s; (PID: 12)") == "pid ‹figure›, took ‹duration›; (PID: ‹figure›)"
    assert mask("write 25 lines in 3 files") == "write 25 lines in 3 files"


@pytest.mark.parametrize(("number", "expected"), [(1795378937, True), (1795378937123, True), (8192, False)])
def test_a_number_of_json_may_be_a_moment(number: int, expected: bool) -> None:
    """Seconds and smaller units since 1970, in the years in which agents run."""
    assert is_moment(number) is expected
