"""Push to a directory and to a bucket, and pull from there: each trace once, byte for byte, without secrets."""

from __future__ import annotations

import errno
import io
import json
import os
import tempfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from acp_trace.places import layout, packing, pull
from acp_trace.places.address import url_of
from acp_trace.places.opening import open_place
from acp_trace.places.place import AccessDenied, PlaceError, SharedPlace
from acp_trace.store.sources import FileSource
from acp_trace.team.bucket.push import Push, Pushed, Secrets
from acp_trace.trace.entries import Entry
from tests.bucket.server import S3Server
from tests.commands import Commands
from tests.posix import named_pipe
from tests.support import REPOSITORY, header, line

SAMPLES = sorted((REPOSITORY / "sample_traces").glob("*.jsonl"))
_KEY = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5q" * 2


def opened(place: str, *, make: bool = True) -> SharedPlace:
    """A place."""
    return open_place(url_of(place, "/"), make=make)


def pushed(place: SharedPlace, files: list[Path], secrets: Secrets = "keep", jobs: int = 4) -> list[Pushed]:
    """What became of these files."""
    return list(Push(place, secrets).all([partial(FileSource, file) for file in files], jobs))


def states(done: list[Pushed]) -> set[str]:
    """What became of them, each once."""
    return {one.state for one in done}


def secret_trace(path: Path) -> Path:
    """A trace with a secret."""
    frame = {"jsonrpc": "2.0", "method": "x", "params": {"apiKey": _KEY}}
    path.write_bytes(header() + line(t=1, **{"from": "client"}, frame=frame))
    return path


def test_what_was_pushed_comes_back(place: str) -> None:
    """Byte for byte; and a second push sends nothing."""
    there = opened(place)
    done = pushed(there, SAMPLES)
    assert states(done) == {"pushed"}
    assert states(pushed(opened(place), SAMPLES)) == {"there"}
    kept = pull.kept_in(opened(place, make=False))
    assert sorted(each.id for each in kept) == sorted(one.id for one in done)
    assert [each.id for each in kept] == sorted((each.id for each in kept), reverse=True)
    by_id = {one.id: file for one, file in zip(done, SAMPLES, strict=True)}
    for each in kept:
        assert b"".join(pull.lines(there, each)) == by_id[each.id].read_bytes()


def test_one_trace_is_pushed_without_a_list(s3_server: S3Server, bucket: str) -> None:
    """A place that has many takes no more requests for it. Of many that are pushed, a list tells which are there."""
    there = opened(bucket)
    s3_server.forget()
    assert states(pushed(opened(bucket), SAMPLES[:1])) == {"pushed"}
    assert s3_server.requests == {"GET": 1, "HEAD": 1, "PUT": 1}
    s3_server.forget()
    assert states(pushed(there, SAMPLES[:1])) == {"there"}
    assert s3_server.requests == {"HEAD": 1, "GET": 1}
    s3_server.forget()
    assert states(pushed(there, SAMPLES[:1] * 40, jobs=1)) == {"there"}
    assert s3_server.requests == {"HEAD": 16, "GET": 17}


def test_who_may_put_and_list_but_not_read(s3_server: S3Server, bucket: str) -> None:
    """Can push: traces of others are not asked for, but listed."""
    there = opened(bucket)
    pushed(there, SAMPLES[:1])
    s3_server.denied.add("HEAD")
    assert [one.state for one in pushed(there, SAMPLES[:2], jobs=1)] == ["there", "pushed"]


def test_a_marker_that_cannot_be_put(tmp_path: Path) -> None:
    """Nothing is pushed to what would be no place for whoever asks."""
    (tmp_path / layout.MARKER).mkdir()
    with pytest.raises(PlaceError, match="is not acp-trace's: use another place"):
        opened(str(tmp_path))


@pytest.mark.parametrize("variable", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT", "AWS_ENDPOINT_URL_S3"])
@pytest.mark.parametrize("value", ["127.0.0.1:9000", "minio", "s3://x", "http://"])
def test_an_endpoint_that_is_no_url(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    """Is told by the name of its variable; obstore would panic."""
    for each in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv(variable, value)
    with pytest.raises(PlaceError, match=f"^s3://traces/team: {variable} must be http://HOST"):
        opened("s3://traces/team")


def test_half_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Is a matter of access, as no key is."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY", raising=False)
    with pytest.raises(AccessDenied, match="needs AWS_SECRET_ACCESS_KEY in the environment, too"):
        opened("s3://traces/team")


def test_machines_that_push_at_once(place: str) -> None:
    """Every trace is there once, and each was pushed by one of them."""
    opened(place)
    done: list[Pushed] = []

    def machine() -> None:
        done.extend(pushed(opened(place), SAMPLES))

    machines = [threading.Thread(target=machine) for _ in range(4)]
    for each in machines:
        each.start()
    for each in machines:
        each.join()
    assert len(done) == 4 * len(SAMPLES)
    sent = [one.id for one in done if one.state == "pushed"]
    assert sorted(sent) == sorted(set(sent)) == sorted(each.id for each in pull.kept_in(opened(place)))


def test_secrets_are_refused_or_taken_out(place: str, tmp_path: Path) -> None:
    """By default nothing of such a trace leaves the machine."""
    there, trace = opened(place), secret_trace(tmp_path / "secret.jsonl")
    [refused] = pushed(there, [trace], "refuse")
    assert (refused.state, refused.secrets) == ("refused", 1)
    assert refused.rules
    assert pull.kept_in(there) == []
    [redacted] = pushed(there, [trace], "redact")
    assert redacted.state == "pushed"
    [kept] = pull.kept_in(there)
    text = b"".join(pull.lines(there, kept))
    assert _KEY.encode() not in text
    assert b"<secret:1>" in text


_FIRST = header() + line(t=1, **{"from": "client"}, frame={"jsonrpc": "2.0", "method": "x"})


class _Edited(FileSource):
    """A trace whose file gets a secret after it was searched."""

    def entries(self) -> Iterator[Entry]:
        yield from super().entries()
        secret_trace(Path(self.name))


@pytest.mark.parametrize("secrets", ["refuse", "redact"])
def test_a_file_that_changes_while_it_is_pushed(tmp_path: Path, secrets: Secrets) -> None:
    """Nothing goes to the place that was not searched."""
    trace = tmp_path / "trace.jsonl"
    trace.write_bytes(header() + line(t=1, **{"from": "client"}, frame={"jsonrpc": "2.0", "method": "x"}))
    there = opened(str(tmp_path / "place"))
    (done,) = Push(there, secrets).all([lambda: _Edited(trace)])
    assert (done.state, done.why) == (
        "failed",
        "the file was changed while it was searched for secrets: push it again",
    )
    assert list(there.names("traces/")) == []
    assert states(pushed(there, [trace], "redact")) == {"pushed"}


def test_a_secret_in_the_name_of_an_agent_is_not_in_the_name_of_the_object(tmp_path: Path) -> None:
    """Nor is one in its command."""
    trace = tmp_path / "trace.jsonl"
    trace.write_bytes(header(agent={"argv": [f"/bin/{_KEY}"]}))
    (done,) = pushed(opened(str(tmp_path / "place")), [trace], "redact")
    assert done.state == "pushed"
    assert "/agent=unknown/" in (done.key or "")


@pytest.mark.parametrize("key", [_KEY, "hunter2-but-longer"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'{"t":2,"from":"client","frame":{"method":"x","params":{"apiKey":"', b""),
        (b'{"t":2,"from":"client","frame":{"method":"x","params":{"apiKey":"', b"\n"),
        (b'{"t":2,"later_addition":{"apiKey":"', b'"}}\n'),
    ],
)
def test_secrets_in_lines_that_cannot_be_read(tmp_path: Path, before: bytes, after: bytes, key: str) -> None:
    """In a torn line, a damaged one, and one of a later acp-trace: such a trace is refused, too."""
    there, trace = opened(str(tmp_path / "team")), tmp_path / "lost.jsonl"
    trace.write_bytes(_FIRST + before + key.encode() + after)
    [refused] = pushed(there, [trace], "refuse")
    assert (refused.state, refused.secrets) == ("refused", 1)
    assert states(pushed(there, [trace], "redact")) == {"pushed"}
    [kept] = pull.kept_in(there)
    assert key.encode() not in b"".join(pull.lines(there, kept))


def test_redact_leaves_out_what_cannot_be_read(tmp_path: Path) -> None:
    """As `redact` does, for nobody knows what is in it; otherwise it stays if nothing looks like a secret."""
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(_FIRST + b'{"t":2,"log":"half of')
    modes: tuple[tuple[Secrets, bool], ...] = (("refuse", True), ("redact", False))
    for secrets, is_there in modes:
        there = opened(str(tmp_path / secrets))
        assert states(pushed(there, [torn], secrets)) == {"pushed"}
        [kept] = pull.kept_in(there)
        assert (b"half of" in b"".join(pull.lines(there, kept))) is is_there


def test_two_traces_with_one_id(place: str, tmp_path: Path) -> None:
    """The second one is not taken for the first one, and its end not for lost: both are told."""
    first, second, shorter = (tmp_path / f"{name}.jsonl" for name in ("first", "second", "shorter"))
    first.write_bytes(_FIRST + b'{"t":2,"log":"more"}\n')
    shorter.write_bytes(_FIRST)
    head = json.loads(header())
    second.write_bytes(json.dumps({**head, "started_at": "2026-11-20T13:05:01.999999Z"}).encode() + b"\n")
    there = opened(place)
    assert states(pushed(there, [shorter])) == {"pushed"}
    [told] = pushed(there, [second])
    assert (told.state, told.key) == ("failed", None)
    assert str(told.why).startswith("the place has another trace with this id, which began at ")
    [told] = pushed(there, [first])
    assert (told.state, "only the beginning of this trace" in str(told.why)) == ("failed", True)
    [kept] = pull.kept_in(there)
    assert b"".join(pull.lines(there, kept)) == _FIRST
    there.remove([kept.key])
    assert [states(pushed(there, [each])) for each in (first, shorter)] == [{"pushed"}, {"there"}]


def test_another_machine_puts_its_trace_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the question whether an id is there and the put: this one's trace is not taken for that one."""
    first, second = (tmp_path / f"{name}.jsonl" for name in ("first", "second"))
    first.write_bytes(_FIRST)
    head = json.loads(header())
    second.write_bytes(json.dumps({**head, "started_at": "2026-11-20T13:05:01.999999Z"}).encode() + b"\n")
    there = opened(str(tmp_path / "team"))
    assert states(pushed(there, [first])) == {"pushed"}
    monkeypatch.setattr(there, "has", lambda _: False)
    [told] = pushed(there, [second])
    assert (told.state, "another trace with this id" in str(told.why)) == ("failed", True)
    assert states(pushed(there, [first])) == {"there"}


def test_two_objects_with_one_id(commands: Commands, tmp_path: Path) -> None:
    """Count once, and as the same one for every command: as it is in the tables."""
    file, place = tmp_path / "file.jsonl", str(tmp_path / "team")
    file.write_bytes(header())
    there = opened(place)
    [sent] = pushed(there, [file])
    other = layout.key(sent.id, "aaa")
    there.put(other, b"".join(packing.packed([_FIRST])))
    assert [each["key"] for each in commands.json("ls", "--at", place)] == [other]
    assert {pull.find(there, text).key for text in (sent.id, sent.id[-6:], "last")} == {other}
    assert len(commands.json("prune", "--at", place, "--keep", "0", "--dry-run")["removed"]) == 2


@pytest.mark.parametrize("id_", ["", "last", "../x", "x" * 101, "ä"])
def test_a_file_is_called_as_in_the_store(commands: Commands, tmp_path: Path, id_: str) -> None:
    """By its lines, if its header says no id, or one that means something else."""
    file = tmp_path / "file.jsonl"
    file.write_bytes(json.dumps({**json.loads(header()), "id": id_}).encode() + b"\n")
    [sent] = pushed(opened(str(tmp_path / "team")), [file])
    [loaded] = commands.json("load", file)["loaded"]
    assert sent.id == loaded["trace_id"]
    assert sent.id.startswith("file-")
    assert commands.json("push", tmp_path / "team")["traces"][0]["state"] == "there"


def test_a_trace_that_cannot_be_read_stops_no_other(place: str, tmp_path: Path) -> None:
    """It is told."""
    newer = tmp_path / "newer.jsonl"
    newer.write_bytes(b'{"acp_trace":99,"id":"20261120T130501Z-7f3a9c"}\n')
    done = pushed(opened(place), [newer, *SAMPLES[:1]])
    assert [one.state for one in done] == ["failed", "pushed"]
    assert done[0].why
    assert "\n" not in done[0].why


def test_ids_by_their_ends(place: str) -> None:
    """As in the store; what is not there, or is several, is told with the nearest."""
    there = opened(place)
    pushed(there, SAMPLES)
    for each in pull.kept_in(there):
        assert pull.find(there, each.id) == each
        assert pull.find(there, each.id[-6:]) == each
    with pytest.raises(pull.NotInPlace, match="has no trace"):
        pull.find(there, "zzzzzz")
    with pytest.raises(pull.NotInPlace, match=r"matches \d+ traces") as raised:
        pull.find(there, "2026")
    assert raised.value.candidates


def test_damage_is_told(place: str) -> None:
    """A trace that was cut off, one that is none, and what else lies there."""
    there = opened(place)
    pushed(there, SAMPLES[:1])
    [whole] = pull.kept_in(there)
    data = there.read(whole.key)
    assert data is not None
    for id_, content, why in (
        ("20261121T000000Z-aaaaaa", data[:-9], "is cut off"),
        ("20261121T000000Z-bbbbbb", b"", "is cut off"),
        ("20261121T000000Z-cccccc", b"no zstd at all", "is damaged"),
    ):
        there.put(layout.key(id_, "x"), content)
        with pytest.raises(PlaceError, match=why):
            b"".join(pull.lines(there, pull.find(there, id_)))
    there.put("traces/readme.txt", b"somebody else's")
    there.put("tables/x.parquet", b"somebody else's")
    assert len(pull.kept_in(there)) == 4


@pytest.mark.parametrize(
    ("marker", "why"),
    [
        (b'{"acp_trace_place": 2}', "update acp-trace"),
        (b"[]", "is not acp-trace's"),
        (b"\xff", "is not acp-trace's"),
        (b'{"name":"x"}', "is not acp-trace's"),
        (b'{"acp_trace_place": "\\u001b[31m"}', "is not acp-trace's"),
        (b"[" * 50_000, "is not acp-trace's"),
        (b'{"acp_trace_place": 1}' + b" " * (1 << 20), "is not acp-trace's"),
    ],
)
def test_a_place_of_others(tmp_path: Path, marker: bytes, why: str) -> None:
    """Nothing is put into it."""
    (tmp_path / layout.MARKER).write_bytes(marker)
    with pytest.raises(PlaceError, match=why):
        opened(str(tmp_path))


def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    """A stranger's directory may have one in the place of any object."""
    place = open_place(url_of(str(tmp_path), ""), make=True)
    named_pipe(tmp_path / "x")
    with pytest.raises(PlaceError, match="x is not a regular file"):
        place.read("x")
    with pytest.raises(PlaceError, match="x is not a regular file"):
        place.part("x", 0, 1)
    (tmp_path / layout.MARKER).unlink()
    named_pipe(tmp_path / layout.MARKER)
    with pytest.raises(PlaceError, match="is not a regular file"):
        opened(str(tmp_path))


def test_a_giant_marker_is_not_read(tmp_path: Path) -> None:
    """A sparse file of a terabyte takes no memory."""
    (tmp_path / layout.MARKER).touch()
    os.truncate(tmp_path / layout.MARKER, 1 << 40)
    with pytest.raises(PlaceError, match="is not acp-trace's"):
        opened(str(tmp_path))


def test_places_that_are_none(tmp_path: Path, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line each."""
    (tmp_path / "file").touch()
    for text, make, why in (
        (str(tmp_path), False, "is not a place for traces: `acp-trace team push"),
        (str(tmp_path / "nothing"), False, "does not exist"),
        (str(tmp_path / "file" / "team"), True, "is not a directory"),
        (bucket, False, "is not a place for traces"),
        ("s3://no-such-bucket/team", True, "is in a bucket that does not exist"),
    ):
        with pytest.raises(PlaceError, match=why) as raised:
            opened(text, make=make)
        assert "\n" not in str(raised.value)
    monkeypatch.setattr("acp_trace.team.bucket.objects._RETRIES", {"max_retries": 0})
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(PlaceError, match="cannot be reached"):
        opened(bucket)


def test_removing(place: str) -> None:
    """What is gone already is no fault; what has no date is never too old."""
    there = opened(place)
    pushed(there, SAMPLES)
    kept = pull.kept_in(there)
    there.remove([kept[0].key, kept[0].key, "traces/nothing"])
    assert pull.kept_in(there) == kept[1:]
    undated = layout.Kept("imported-addc68502050", layout.UNKNOWN, "x", "key")
    now = datetime(2100, 1, 1, tzinfo=UTC)
    assert pull.to_prune([*kept, undated], older_than=timedelta(1), keep=None, now=now) == kept
    assert pull.to_prune([*kept, undated], older_than=timedelta(1), keep=2, now=now) == kept[2:]
    assert pull.to_prune(kept, older_than=None, keep=2, now=now) == kept[2:]
    assert pull.to_prune(kept, older_than=timedelta(1), keep=None, now=datetime(2000, 1, 1, tzinfo=UTC)) == []


def test_no_space_for_what_is_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told where there is none: that is not the place."""

    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", lambda _: Full())
    [told] = pushed(opened(str(tmp_path)), SAMPLES[:1])
    assert (told.state, told.why) == ("failed", f"{tempfile.gettempdir()}: No space left on device")
