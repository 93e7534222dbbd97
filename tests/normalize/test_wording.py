"""Texts without what is another in each run, and nothing else left out."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.normalize.directories import Directories
from acp_trace.normalize.normalizer import CONTENT, Normalizer

NORMALIZER = Normalizer("expected", Directories(["/tmp/x/run", "/w"]), ids=["ses_e0656", "c1"])


@pytest.mark.parametrize(
    ("text", "compared"),
    [
        ("--- a/tmp/x/run/a.py\n+++ b/tmp/x/run/a.py", "--- a‹cwd›/a.py\n+++ b‹cwd›/a.py"),
        ("tmp/x/run/a.txt, ../../tmp/x/run, w/a.txt", "‹cwd›/a.txt, ‹cwd›, w/a.txt"),
        ("old/tmp/x/run, ./tmp/x/run, tmp/x/runs", "old/tmp/x/run, ./tmp/x/run, tmp/x/runs"),
        ("cannot read '/w/b.txt'.", "cannot read '‹cwd›/b.txt'."),
        ("file:///w/a, /w", "file://‹cwd›/a, ‹cwd›"),
        ("/tmp/x/run-2 /tmp/x/run.bak /workshop/w", "/tmp/x/run-2 /tmp/x/run.bak /workshop/w"),
        ("Viewing .../x/run/a.txt, …p/x/run and ...n/b", "Viewing ‹cwd›/a.txt, ‹cwd› and ...n/b"),
        ("and so on... /w/a, ...run2", "and so on... ‹cwd›/a, ...run2"),
        ("session (ses_e0656) of c1", "session (‹id›) of c1"),  # c1 may be any word
        ("ses_e06567", "ses_e06567"),
        ("took 3.1s, then 1m 3s and 200 ms", "took ‹duration›, then ‹duration› and ‹duration›"),
        ("-rw-r--r-- 1 root 40 Nov 22 13:10 a.txt", "-rw-r--r-- 1 root 40 ‹time› a.txt"),
        ("drwxr-xr-x 2 me me 4096 Nov 22 13:10 .\nd--------- 9 a b 60 Nov 2 2025 ..", "‹listed›\n‹listed›"),
        ("drwxr-xr-x 2 me me 4096 Nov 22 13:10 .git", "drwxr-xr-x 2 me me 4096 ‹time› .git"),
        ("Sun Nov 22 23:51:07 UTC 2026, Sunday", "‹time›, Sunday"),
        ("Sun Nov 22 23:51:07 +1345 2026, Sun Nov 22 11:51:07 PM -03 2026", "‹time›, ‹time›"),
        ("Nov 22 2026 23:51:07 GMT+1345 (Chatham Daylight Time)", "‹time›"),
        ("23:51:07 +0100, 23:51:07Z, 2026-11-22 23:51+13:45", "‹time›, ‹time›, ‹time›"),
        ("40 Nov 22 13:10 EGGS\n40 Nov 22 13:10 UTC.md", "40 ‹time› EGGS\n40 ‹time› UTC.md"),
        ("datetime.datetime(2026, 11, 22, 23, 51), datetime.x(3)", "‹time›, datetime.x(3)"),
        (r"a\nSun Nov 22 23:51:07 UTC 2026\n", r"a\n‹time›\n"),
        (
            r"d-wx------ 2 me me 4096 Nov 22 13:10 .\\nd--------- 9 a b 60 Nov 2 2025 ..\\n",
            r"‹listed›\\n‹listed›\\n",
        ),
        ("{'task_id': '5ac630897ae2', 'task': 'a1'}", "{'task_id': '‹id›', 'task': 'a1'}"),
        (r'"{\"callId\": \"x-1234\", \"n\": 3}"', r'"{\"callId\": \"‹id›\", \"n\": 3}"'),
        ("{'timestamp': 30025.243660276, \"timeout\": 30}", "{'timestamp': ‹figure›, \"timeout\": 30}"),
        ("{'message_id': 'hello', 'task_id': 'a1'}", "{'message_id': 'hello', 'task_id': 'a1'}"),
        ("'invalid': 'a1', \"user_id\": \"b2\"", "'invalid': 'a1', \"user_id\": \"b2\""),
        ("23:51:07 + 12", "‹time› + 12"),
        ("Sun, 22 Nov 2026 23:51:07 GMT; Sat UTC", "‹time›; Sat UTC"),
        ("2026-11-22T13:10:11.12Z, 2026-11-22", "‹time›, ‹time›"),
        ("1763817000123", "‹time›"),
        ("at 1763817000123456, 1763817000123456789, 1763817000.25", "at ‹time›, ‹time›, ‹time›"),
        ("2026-11-26 (Thursday), Thursday", "‹time›, Thursday"),
        ("<object at 0x7ff169e22ff0>, 0x1F", "<object at ‹id›>, 0x1F"),
        ("1,234 tokens for $0.03", "‹tokens› for ‹cost›"),
        ("0b1f3c1e-7a54-4c0e-9b1a-0123456789ab", "‹id›"),
        ("of abcdefab-cdef-abcd-efab-cdefabcdefab", "of ‹id›"),  # the only one that needs no digit
        ("took ٣s", "took ‹duration›"),
        (
            "Process Group PGID: 10166, pid=17 (PID 4)",
            "Process Group PGID: ‹figure›, pid=‹figure› (PID ‹figure›)",
        ),
        ("rapid 17, pid a", "rapid 17, pid a"),
        ("5 files, version 1.2.27, exit 3", "5 files, version 1.2.27, exit 3"),
    ],
)
def test_what_is_left_out_of_a_text(text: str, compared: str) -> None:
    """Directories and ids of the trace, and what has a form of its own."""
    assert NORMALIZER.words(text, CONTENT) == compared


@pytest.mark.parametrize(
    ("value", "compared"),
    [
        ({"startedAt": 17, "duration_ms": 3, "pid": 4}, dict.fromkeys(("startedAt", "duration_ms", "pid"), "‹figure›")),
        ({"/w/a": 1, "0b1f3c1e-7a54-4c0e-9b1a-0123456789ab": 2}, {"‹cwd›/a": 1, "‹id›": 2}),
        ({"0b1f3c1e-7a54-4c0e-9b1a-0123456789ab": 1, "2026-11-20": 2, "‹id› 2": 3, "1b1f3c1e-7a54-4c0e-9b1a-0123456789ab": 4}, {"‹id›": 1, "‹time›": 2, "‹id› 2": 3, "‹id› 3": 4}),
        ({"elapsed": {"secs": 0, "nanos": 17, "of": "/w"}}, {"elapsed": {"secs": "‹figure›", "nanos": "‹figure›", "of": "‹cwd›"}}),
        ({"at": [1763817000, 12], "given": 1763817000.5}, {"at": ["‹time›", 12], "given": "‹time›"}),
        ({"made": 1763817000, "size": 8192}, {"made": "‹time›", "size": 8192}),
        ({"startedAtMs": 17, "started_at_ms": 3}, dict.fromkeys(("startedAtMs", "started_at_ms"), "‹figure›")),
        ({"timeout": None, "path": "/w/a", "lines": [3, True]}, {"timeout": None, "path": "‹cwd›/a", "lines": [3, True]}),
    ],
)  # fmt: skip
def test_what_is_left_out_of_a_value(value: Any, compared: Any) -> None:
    """Also figures whose member says that they are times, or figures of usage."""
    assert NORMALIZER.value(value, CONTENT) == compared
