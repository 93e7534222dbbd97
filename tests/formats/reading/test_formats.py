"""Which reader files are for: every sample for its own reader, everything else for none; and any bytes for any."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading.formats import READERS
from acp_trace.formats.reading.groups import explained, readers_for
from acp_trace.formats.reading.log import File
from tests.formats.reading.comparing import DATA, mutated, read_or_refused, sample
from tests.support import REPOSITORY, TRACES

#: Files that are read together, by the format's name.
SAMPLES: list[tuple[str, list[str]]] = [
    ("zed", ["zed/copy-all.json"]),
    ("jetbrains", ["jetbrains/acp-transport.log"]),
    ("jsons", ["jsons/no-proxy.jsons"]),
    ("jsons", ["jsons/one-proxy.jsons"]),
    ("jsons", ["jsons/two-proxies.jsons"]),
    ("toad", ["toad/toad.log"]),
    ("acpx", ["acpx/session.stream.ndjson"]),
    ("acpx", ["acpx/session.stream.ndjson", "acpx/session.stream.1.ndjson", "acpx/session.stream.2.ndjson"]),
    ("acp.el", ["acp.el/session.traffic"]),
    ("tee", ["tee/to_agent", "tee/from_agent"]),
    ("har", ["har/chromium.har"]),
    ("har", ["har/mitmproxy.har"]),
    ("mitmproxy", ["mitmproxy/flows.mitm"]),
    ("acp-devtools", ["acp-devtools/session2.json"]),
    ("acp-devtools", ["acp-devtools/captures.db.gz", "acp-devtools/captures.db-wal.gz"]),
]
IDS = ["+".join(names) for _, names in SAMPLES]


def files_of(names: Sequence[str]) -> list[File]:
    return [File(name.removesuffix(".gz"), sample(name)) for name in names]


def format_of(files: Sequence[File]) -> str | None:
    """The format that files are taken for."""
    best = explained(files, readers_for(None)).best
    return best and best.format


@pytest.mark.parametrize(("format_name", "names"), SAMPLES, ids=IDS)
def test_every_sample_is_recognised(format_name: str, names: list[str]) -> None:
    """By its own reader and by no other one but the last, which takes any text, and read."""
    files = files_of(names)
    first, *others = [name for name, reader in READERS.items() if reader.recognises(files)]
    assert first == format_name
    assert set(others) <= {"text"}
    assert format_of(files) == format_name
    assert read_or_refused(READERS[format_name], files)


def test_names_do_not_decide() -> None:
    """Standard input has none."""
    for format_name, names in SAMPLES[:7]:
        assert format_of([File("-", sample(names[0]))]) == format_name


OTHERS = [
    b"",
    b"\n\n",
    b"[]",
    b"{}",
    b"[1, 2, 3]",
    b'{"name": "x", "version": 1}',
    b'[{"_direction": "incoming"}]',
    b'{"type":"request"}\n' * 3,
    b"[info] started\n[agent loop] done\n",
    b"\x00\xff" * 40,
]


@pytest.mark.parametrize("data", OTHERS)
def test_other_files_are_not_recognised(data: bytes) -> None:
    """Random JSON, one side of a conversation, text, bytes; also beside a file that is."""
    assert format_of([File("a", data)]) is None
    assert format_of([File("a", data), *files_of(["jsons/no-proxy.jsons"])]) is None or not data.strip()


@pytest.mark.slow
def test_pages_are_text_and_traces_are_no_logs() -> None:
    """What a page quotes may be read as any text is; our own traces are read by other commands."""
    pages = [
        REPOSITORY / "README.md",
        REPOSITORY / "CHANGELOG.md",
        *sorted((REPOSITORY / "docs").glob("*.md")),
    ]
    for path in [*pages, *sorted(DATA.rglob("*.md"))]:
        assert format_of([File(path.name, path.read_bytes())]) in (None, "text"), path
    for path in TRACES:
        assert format_of([File(path.name, path.read_bytes())]) is None, path
    assert format_of([]) is None


def test_utf_16_is_read() -> None:
    """What PowerShell makes of `> file`."""
    for format_name, names in SAMPLES[:7]:
        data = sample(names[0]).decode().encode("utf-16")
        assert format_of([File("-", data)]) == format_name


PIECES = [
    b"",
    b"\n",
    b"{",
    b"}",
    b'"',
    b"null",
    b"[",
    b",",
    b"\\",
    b"\xff",
    b"'",
    b'"id":',
    b"1e999",
    b"\\ud800",
]
CHANGES = st.lists(
    st.tuples(st.integers(0, 20_000), st.integers(0, 30), st.sampled_from(PIECES) | st.binary(max_size=8)),
    min_size=1,
    max_size=6,
)
TEXTS = [row for row in SAMPLES if row[0] in ("zed", "jetbrains", "jsons", "toad", "acpx")]


@given(st.sampled_from(sorted(READERS)), st.lists(st.binary(max_size=200), max_size=3))
def test_any_bytes(format_name: str, contents: list[bytes]) -> None:
    """A reader refuses files or gives logs that keep the promises; it raises nothing else."""
    read_or_refused(READERS[format_name], [File(f"{number}", data) for number, data in enumerate(contents)])


@given(st.sampled_from(TEXTS), CHANGES)
def test_damaged_files(row: tuple[str, list[str]], changes: list[tuple[int, int, bytes]]) -> None:
    """Every line of a damaged log is a message or is counted as unused."""
    format_name, names = row
    reader = READERS[format_name]
    data = mutated(sample(names[0]), changes)
    logs = read_or_refused(reader, [File("log", data)])
    if not logs or format_name == "zed":
        return
    lines = [line for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    unused = [one for log in logs for one in log.unused if one.where.startswith("line")]
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert sum(len(log.messages) for log in logs) + len(unused) == len(lines)
