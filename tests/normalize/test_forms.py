"""What is the same to `diff` is the same to the model's matcher: a row for each form, seen by both."""

from __future__ import annotations

import pytest

from acp_trace.normalize.directories import Directories
from acp_trace.normalize.moved_places import MovedPlaces
from acp_trace.normalize.normalizer import CONTENT, REQUEST, Normalizer

#: Two texts of runs that do the same, by what their form is.
_SAME = {
    "ISO date": ("2026-11-22", "2026-12-01"),
    "ISO time": ("2026-11-22T10:11:12.345+01:00", "2026-12-01T01:02:03Z"),
    "ISO time with a blank": ("2026-11-22 10:11", "2026-12-01 01:02:03,123 +0100"),
    "ISO date and day": ("2026-11-22 (Thursday)", "2026-12-01 (Monday)"),
    "date behind a name": ("chat-2026-11-22T10-11", "chat-2026-12-01T10-11"),
    "month written out": ("November 22, 2026", "December 1, 2026"),
    "month and year": ("November 2026", "December 2026"),
    "day written out": ("Sunday, November 22, 2026 at 9:05 AM", "Monday, December 1, 2026 at 10:15 PM"),
    "day before month": ("22 November 2026", "1 December 2026"),
    "slashes": ("22/11/2026", "01/12/2026"),
    "year first": ("2026/11/22", "2026/12/01"),
    "dots": ("22.11.2026", "1.12.2026"),
    "date of a locale": ("11/22/2026, 1:02:03 PM", "12/1/2026, 2:03:04 AM"),
    "`date`": ("Sun Nov 22 10:11:12 CET 2026", "Mon Dec  1 01:02:03 +1345 2026"),
    "JavaScript": (
        "Sun Nov 22 2026 10:11:12 GMT+0100 (Central European Standard Time)",
        "Mon Dec 01 2026 01:02:03 GMT+1345 (Chatham Daylight Time)",
    ),
    "HTTP": ("Sun, 22 Nov 2026 10:11:12 GMT", "Mon, 01 Dec 2026 01:02:03 GMT"),
    "`ls`": ("Nov 22 10:11 a", "Dec  1  2025 a"),
    "time of day": ("at 10:11:12", "at 01:02:03"),
    "hours and minutes": ("at 10:11", "at 01:02"),
    "AM and PM": ("at 1:02 PM", "at 2:03 AM"),
    "zone behind a time": ("at 10:11:12 PM CET", "at 01:02:03 AM +1345"),
    "Python's date": ("datetime.datetime(2026, 11, 26, 21, 4)", "datetime.datetime(2026, 12, 1, 2, 5)"),
    "s since 1970": ("1763806272", "1764550923"),
    "s with a fraction": ("1763806272.123", "1764550923.9"),
    "ms since 1970": ("1763806272123", "1764550923999"),
    "µs since 1970": ("1763806272123456", "1764550923999111"),
    "ns since 1970": ("1763806272123456789", "1764550923999111222"),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000", "00000000-e89b-12d3-a456-426614174aaa"),
    "uuid without a digit": (
        "abcdefab-cdef-abcd-efab-cdefabcdefab",
        "bbcdefab-cdef-abcd-efab-cdefabcdefab",
    ),
    "uuid behind a word": (
        "ses_123e4567-e89b-12d3-a456-426614174000",
        "ses_00000000-e89b-12d3-a456-426614174aaa",
    ),
    "ULID": ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01BX5ZZKBKACTAV9WEVGEMMVRZ"),
    "id behind a word": ("toolu_01A09q90qw90lq917835lq9", "toolu_01B9999990lq917835lq0"),
    "id with a moment": ("run_shell_command_1732309512345_0", "run_shell_command_1732309999999_0"),
    "short id behind words": ("code-puppy-7a5f58", "code-puppy-1b2c3d"),
    "short id behind a number": ("sess-0-7d42560b-turn-1.json", "sess-0-57e28a36-turn-1.json"),
    "id behind its name": ("agentId: a753118 (for resuming)", "agentId: a5cabc0 (for resuming)"),
    "hexadecimal": ("5f2b6c1d9e8a7b6c5d4e3f2a1b0c9d8e", "00ab6c1d9e8a7b6c5d4e3f2a1b0c9d8e"),
    "base 62": ("1aB2cD3eF4gH5iJ6kL7mN", "9zB2cD3eF4gH5iJ6kL7mQ"),
    "address": ("<f at 0x7ff169e22ff0>", "<f at 0x7ffaaaa22ff0>"),
    "id in an object": ("{'task_id': '5ac630897ae2'}", "{'task_id': '77aa30897aX_9'}"),
    "id behind a label": ("cch=10e98;", "cch=20f98;"),
    "port": ("port 43211", "port 51234"),
    "port of this machine": ("http://127.0.0.1:43211/x", "http://127.0.0.1:51234/x"),
    "process": ("[PID: 12]", "[PID: 345]"),
    "duration": ("done in 12 s", "done in 9.5 s"),
    "duration in parentheses": ("(12ms)", "(340ms)"),
    "duration of several units": ("1m 12s", "2m 3s"),
    "number behind a word": ("elapsed: 3.21", "elapsed: 2.99"),
    "duration with a unit in its name": ("duration_ms: 170", "duration_ms: 1414"),
    "elapsed time with a unit in its name": ("total_elapsed_time_ms=12", "total_elapsed_time_ms=7"),
    "latency": ('"latencySeconds": 1.25', '"latencySeconds": 3'),
    "tokens by name": ("subagent_tokens: 120", "subagent_tokens: 1314"),
    "cost": ("$0.12", "$0.34"),
    "tokens": ("1,234 tokens", "1.2k tokens"),
    "figure in an object": ("'timestamp': 30025.243660276", "'timestamp': 99.123660276"),
    "own directory": (
        "drwxr-xr-x 2 root root 4096 Nov 22 10:11 .",
        "drwxr-xr-x 4 ann staff 192 Dec  1 01:02 .",
    ),
}
#: Two texts that say something else.
_OTHER = {
    "count": ("12 files", "13 files"),
    "limit of a duration": ("timeout_ms: 170", "timeout_ms: 414"),
    "name of an agent": ("agentId: reviewer", "agentId: planner"),
    "limit of a turn": ("max_duration_ms: 170", "max_duration_ms: 414"),
    "limit of tokens": ("max_tokens: 120", "max_tokens: 131"),
    "limit of an answer": ("max_output_tokens: 120", "max_output_tokens: 131"),
    "count by name": ("tool_uses: 0", "tool_uses: 1"),
    "version": ("v1.2.3", "v1.2.4"),
    "place in a file": ("a.py:12:34", "a.py:13:40"),
    "line and column": ("line 12:34", "line 13:40"),
    "line": ("a.py:12", "a.py:13"),
    "short hash": ("abc1234", "def5678"),
    "year": ("in 2024", "in 2025"),
    "color": ("#ff00aa", "#ff00ab"),
    "small id": ("id 5", "id 6"),
    "name": ("call_me_maybe", "call_me_later"),
    "name behind a word": ("tool_call_abcdefgh", "tool_call_abcdefgi"),
    "exit code": ("exit code 1", "exit code 2"),
    "size": ("12 MB", "13 MB"),
    "percent": ("12%", "13%"),
    "address of a machine": ("10.0.0.1", "10.0.0.2"),
    "chosen port": ("http://localhost:3000", "http://localhost:8080"),
    "ratio": ("3:2", "4:3"),
    "range": ("lines 10-20", "lines 10-30"),
    "word of a unit": ("12 ducks", "13 ducks"),
    "other words": ("done in 12 s", "failed in 12 s"),
    "other directory": (
        "drwxr-xr-x 2 root root 4096 Nov 22 10:11 a",
        "drwxr-xr-x 2 root root 8192 Nov 22 10:11 a",
    ),
}
#: Directories of two runs, and texts that name them in one way.
_DIRECTORIES = (("/home/ann/My Shop", "/home/ann"), ("/tmp/acp-x1y2/qz81", "/tmp/acp-x1y2"))
_SPELT = {
    "in a sentence": ("in /home/ann/My Shop.", "in /tmp/acp-x1y2/qz81."),
    "before another message": ("in /home/ann/My Shopℹ️ Go", "in /tmp/acp-x1y2/qz81ℹ️ Go"),
    "file in it": ("/home/ann/My Shop/a.py", "/tmp/acp-x1y2/qz81/a.py"),
    "URI": ("file:///home/ann/My%20Shop/a.py", "file:///tmp/acp-x1y2/qz81/a.py"),
    "quoted": ("/home/ann/My%20Shop/a.py", "/tmp/acp-x1y2/qz81/a.py"),
    "JSON": ('{"p":"\\n/home/ann/My Shop"}', '{"p":"\\n/tmp/acp-x1y2/qz81"}'),
    "dashes": ("-home-ann-My-Shop", "-tmp-acp-x1y2-qz81"),
    "name of a file, as grok makes it": ("%2Fhome%2Fann%2FMy%20Shop", "%2Ftmp%2Facp-x1y2%2Fqz81"),
    "dashes for slashes": ("-home-ann-My Shop", "-tmp-acp-x1y2-qz81"),
    "low lines": ("_home_ann_My_Shop/x", "_tmp_acp_x1y2_qz81/x"),
    "home": ("~/My Shop/a.py", "~/qz81/a.py"),
    "elsewhere": ("../../../home/ann/My Shop/a.py", "../../tmp/acp-x1y2/qz81/a.py"),
    "root": ("home/ann/My Shop/a.py", "tmp/acp-x1y2/qz81/a.py"),
    "diff": ("--- a/home/ann/My Shop/x", "--- a/tmp/acp-x1y2/qz81/x"),
    "beginning left out": ("...nn/My Shop/a.py", "...y2/qz81/a.py"),
    "ellipsis": ("in …ann/My Shop", "in …1y2/qz81"),
    "last name": ("Welcome to My Shop", "Welcome to qz81"),
    "last name in another form": ("my-shop", "qz81"),
}
_SPELT_OTHERWISE = {
    "another directory": ("/home/ann/My Shop2/a", "/tmp/acp-x1y2/qz81/a"),
    "another file": ("/home/ann/My Shop/a", "/tmp/acp-x1y2/qz81/b"),
    "another side of a diff": ("a/home/ann/My Shop/x", "b/tmp/acp-x1y2/qz81/x"),
    "part of a word": ("My Shopping", "qz81ping"),
}
_LEVELS = {"diff": CONTENT, "matcher": REQUEST}
_NORMALIZER = Normalizer("expected", Directories([]))


@pytest.mark.parametrize("seen", ["diff", "matcher"])
def test_a_form_is_the_same_to_both(seen: str) -> None:
    """To `diff --match content`, and to the matcher of model calls from `environment` on."""

    def are_same(pair: tuple[str, str]) -> bool:
        was, now = (_NORMALIZER.words(text, _LEVELS[seen]) for text in pair)
        return was == now

    assert [form for form, pair in _SAME.items() if not are_same(pair)] == []
    assert [form for form, pair in _OTHER.items() if are_same(pair)] == []


@pytest.mark.parametrize("pattern", ["{}", "It said: {}. Go on.", '"{}"', r"a\n{}\n"])
def test_a_form_is_found_wherever_it_stands(pattern: str) -> None:
    """Alone, in a sentence, in quotes, between escaped ends of lines."""
    made = {
        form: {_NORMALIZER.words(pattern.format(text), CONTENT) for text in pair}
        for form, pair in _SAME.items()
    }
    assert [form for form, texts in made.items() if len(texts) > 1] == []


@pytest.mark.parametrize("seen", ["diff", "matcher"])
def test_a_moved_directory_is_the_same_to_both(seen: str) -> None:
    """However a text spells it."""
    here, there = _DIRECTORIES
    pairs = list(zip(here, there, strict=True))
    moved = MovedPlaces.of(pairs)
    sides = Directories(here, pairs), Directories(there, pairs)
    sides = sides if seen == "diff" else (moved.recorded, moved.actual)
    normalizers = Normalizer("expected", sides[0]), Normalizer("actual", sides[1])

    def are_same(pair: tuple[str, str]) -> bool:
        was, now = (each.words(text, _LEVELS[seen]) for each, text in zip(normalizers, pair, strict=True))
        return was == now

    assert [form for form, pair in _SPELT.items() if not are_same(pair)] == []
    assert [form for form, pair in _SPELT_OTHERWISE.items() if are_same(pair)] == []
