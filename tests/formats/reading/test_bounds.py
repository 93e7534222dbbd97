"""What no text can make of a reader: more time than in proportion to its length, or memory without a bound."""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from acp_trace.formats.reading import plain_text
from acp_trace.formats.reading.groups import explained, readers_for
from acp_trace.formats.reading.log import File, NotThisFormat
from tests.support import PYTHON

_MESSAGE = b'{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"text":"%s"}}'
_HOSTILE = {
    "braces": b"{" * 1_000_000,
    "lines of braces": b'{"a":[\n' * 10_000,
    "lists that go on": b"[\n" * 900 + b"1," * 250_000,
    "Python that goes on": (b"{'" + b"a" * 10_000 + b"': \n") * 100,
    "JavaScript that goes on": b"{a:'x'," * 50_000,
    "nested": b"[" * 50_000 + b"]" * 50_000,
    "one line": b'{"a":"' + b"x" * 5_000_000 + b'"}',
    "quotes": b'"' * 500_000,
    "a mail of braces": b"> {\n>" * 15_000,
    "a service of braces": b"a-1  | {\n" * 2_500,
    "strings in strings": b'{\\"a\\":' * 20_000,
    "doubled quotes": b'{""a"":' * 20_000,
    "tags": b"&quot;jsonrpc&quot;<a>" * 25_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", _HOSTILE)
def test_a_hostile_text_takes_no_longer_than_its_length(name: str) -> None:
    """A bound far above what it takes, and far below what going through it for each line would."""
    began = time.process_time()
    file = File("a", _HOSTILE[name])
    assert explained([file], readers_for(None)).best is None
    with suppress(NotThisFormat):
        assert plain_text.read([file])
    assert time.process_time() - began < 30


_BIG = {
    "10 MB of braces": ("b'{' * 10_000_000", False),
    "100,000 nested brackets": ("b'[' * 100_000 + b']' * 100_000", False),
    "a line of 20 MB": ("b'{\"a\":\"' + b'x' * 20_000_000 + b'\"}'", False),
    "a message of 20 MB": (f"{_MESSAGE!r} % (b'x' * 20_000_000)", True),
    "a message of 10 MB in a string": (
        f"({_MESSAGE!r} % (b'x' * 10_000_000)).replace(b'\"', b'\\\\\"')",
        True,
    ),
    "300 kB of lines": ("b'a-1  | {\\n' * 30_000", False),
}
#: The process's own peak: `ru_maxrss` would also have that of the process which started it.
_READS = """
import sys, time
from acp_trace.formats.reading.groups import explained, readers_for
from acp_trace.formats.reading.log import File
data = eval(sys.argv[1])
before = time.process_time()
best = explained([File("a", data)], readers_for(None)).best
took = time.process_time() - before
with open("/proc/self/status") as status:
    (peak,) = (int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
print(best is not None, took, peak // 1024, len(data) // 1_000_000)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the peak of a process is asked as Linux tells it"
)
@pytest.mark.parametrize("name", _BIG)
def test_a_big_text_takes_bounded_memory(name: str) -> None:
    """A small multiple of its length, and no more time than seconds a MB."""
    text, is_read = _BIG[name]
    said = subprocess.run([*PYTHON, "-c", _READS, text], capture_output=True, check=True, timeout=500)
    read, seconds, peak_mb, length_mb = said.stdout.split()
    assert (read == b"True") == is_read
    assert int(peak_mb) < 200 + 12 * int(length_mb)
    assert float(seconds) < 30 + 3 * int(length_mb)
