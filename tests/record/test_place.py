"""`--out`: many recorders with one name, and what is not a plain file: devices, pipes, links."""

from __future__ import annotations

import errno
import os
import subprocess
import threading
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest

from acp_trace.record import outfile, place
from acp_trace.record.descriptor import write_all
from tests.posix import named_pipe, unix_socket
from tests.support import ACP_TRACE, Home, agent, frames_in

_ECHO = agent("for line in lines: say(line)\nsys.exit(6)")


def test_two_recorders_into_one_device(home: Home) -> None:
    """Every process has the same /dev/null: a lock on it would make one wait for the other."""
    with home.start(_ECHO, "--out", "/dev/null") as one:
        one.say(b'{"n":1}\n')
        assert one.hear() == b'{"n":1}\n'
        with home.start(_ECHO, "--out", "/dev/null") as two:
            assert two.finish(b'{"n":2}\n') == (b'{"n":2}\n', b"", 6)
        assert one.finish(b'{"n":3}\n') == (b'{"n":3}\n', b"", 6)


@pytest.mark.parametrize("kind", ["a pipe", "a socket", "a folder"])
def test_what_no_trace_goes_into(home: Home, tmp_path: Path, kind: str) -> None:
    """A usage error before the agent starts: a pipe whose reader stops would stop the traffic."""
    path, started = tmp_path / "out\x1b[31m", tmp_path / "started"
    with unix_socket() as listener:
        if kind == "a pipe":
            named_pipe(path)
        elif kind == "a folder":
            path.mkdir()
        else:
            listener.bind(str(path))
        done = home.outcome("record", "--out", str(path), "--", "touch", str(started), COLUMNS="400")
    assert (done.returncode, done.stdout, started.exists()) == (2, b"", False)
    assert f"out\\e[31m is {kind}: give a file" in done.stderr.decode()
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_the_directory_is_made(home: Home, tmp_path: Path) -> None:
    """Also several, and as the system makes them."""
    out = tmp_path / "a" / "b" / "t.jsonl"
    with home.start(_ECHO, "--out", str(out)) as recording:
        assert recording.finish(b"{}\n") == (b"{}\n", b"", 6)
    assert [path.name for path in out.parent.iterdir()] == ["t.jsonl"]


def test_where_no_file_can_be_made(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line that says why, before the agent starts: nobody looks for a recording that was never made."""
    (tmp_path / "file").write_text("mine")
    for name, why in (
        ("file/t.jsonl", f"{tmp_path / 'file'} is not a directory"),
        ("file/a/t.jsonl", f"{tmp_path / 'file'} is not a directory"),
        (f"{'x' * 300}/t.jsonl", "File name too long"),
        (f"{'x' * 300}.jsonl", "File name too long"),
    ):
        assert why in str(outfile.obstacle(tmp_path / name))
    argv = ["record", "--out", str(tmp_path / "file" / "t.jsonl"), "--", "touch", str(tmp_path / "started")]
    done = home.outcome(*argv, COLUMNS="400")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"t.jsonl cannot be written: " in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert outfile.obstacle("/dev/null") is None
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert outfile.obstacle(tmp_path / "t.jsonl") == f"{tmp_path} is not writable"
    with pytest.MonkeyPatch.context() as patch:
        denied = PermissionError(errno.EACCES, "Permission denied", "/x")
        patch.setattr(os, "makedirs", Mock(side_effect=denied))
        assert outfile.obstacle(tmp_path / "t.jsonl") == "/x: Permission denied"


def test_a_pipe_that_comes_later(tmp_path: Path) -> None:
    """When the place is asked again, because it gave an error or the file was deleted: a loss as any."""
    pipe = tmp_path / "pipe"
    named_pipe(pipe)
    with pytest.raises(OSError, match="is a pipe") as found:
        place.in_file(str(pipe), "some-id", lambda _: None)
    assert found.value.filename == str(pipe)


@pytest.fixture(params=[0, errno.EPERM], ids=["with hard links", "without"])
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system with hard links, and one without."""

    def no_link(*_: object) -> None:
        raise OSError(request.param, os.strerror(request.param))

    if request.param:
        monkeypatch.setattr(os, "link", no_link)


@pytest.mark.slow
@pytest.mark.usefixtures("links")
def test_many_recorders_with_one_name_keep_a_file_each(tmp_path: Path) -> None:
    """However they meet, no file takes the place of another."""
    barrier = threading.Barrier(8)
    opened: list[int] = []

    def record(number: int) -> None:
        barrier.wait()
        for turn in range(40):
            name = f"{number}-{turn}"
            opened.append(
                place.in_file(str(tmp_path / "x.jsonl"), name, partial(write_all, data=name.encode()))[0]
            )

    threads = [threading.Thread(target=record, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for fd in opened:
        os.close(fd)
    kept = sorted(path.read_text() for path in tmp_path.iterdir())
    assert kept == sorted(f"{number}-{turn}" for number in range(8) for turn in range(40))


@pytest.mark.usefixtures("links")
def test_a_file_that_appears_at_the_last_moment_is_kept(tmp_path: Path) -> None:
    """Another recorder gives its file the name after this one had looked, before it takes it itself."""
    path = tmp_path / "x.jsonl"

    def fill(fd: int) -> None:
        if not list(tmp_path.glob("x*")):
            path.write_text("theirs")
        os.write(fd, b"ours")

    fd, made = place.in_file(str(path), "id", fill)
    os.close(fd)
    files = {one.name: one.read_text() for one in tmp_path.iterdir()}
    assert made == str(path)
    assert files == {"x.jsonl": "ours", "x.1.jsonl": "theirs"}


def test_two_traces_with_one_id_in_the_spool(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids are made by chance: the second file is beside the first, and the loader says that the id is taken."""
    monkeypatch.setenv("ACP_TRACE_HOME", str(home.path))
    made = []
    for text in (b"first", b"second"):
        fd, path = place.in_spool("same", partial(write_all, data=text))
        os.close(fd)
        made.append(os.path.basename(path))
    assert made == ["same.capture", "same.1.capture"]
    assert [path.read_bytes() for path in home.spooled()] == [b"second", b"first"]


@pytest.mark.parametrize("name", ["a" * 249, "é" * 124 + "a"])
def test_a_name_as_long_as_names_may_be(home: Home, tmp_path: Path, name: str) -> None:
    """The number of the file that is kept has to fit in: the end of its name makes room."""
    out = tmp_path / f"{name}.jsonl"
    for number in range(3):
        with home.start(_ECHO, "--out", str(out)) as recording:
            assert recording.finish(b'{"n":%d}\n' % number)[1] == b""
    kept = [
        frames_in(path)[0]["frame"]["n"]
        for path in (Path(place.numbered(str(out), 1)), Path(place.numbered(str(out), 2)), out)
    ]
    assert kept == [0, 1, 2]
    assert len([path for path in tmp_path.iterdir() if path != home.path]) == 3


@pytest.mark.parametrize(
    ("target", "what"),
    [("/proc/self/fd/2", "a link"), ("file", "a link"), ("nothing", "a link that leads nowhere")],
)
def test_a_link_is_refused(home: Home, tmp_path: Path, target: str, what: str) -> None:
    """Nothing is written through it, and nothing renames it away: `/dev/stderr` is one, and the system's."""
    (tmp_path / "file").write_text("mine")
    out, said = tmp_path / "out.jsonl", tmp_path / "said"
    out.symlink_to(target if target.startswith("/") else tmp_path / target)
    with said.open("wb") as stderr:
        argv = [*ACP_TRACE, "record", "--out", str(out), "--", "touch", str(tmp_path / "started")]
        done = subprocess.run(argv, stderr=stderr, env={**home.environment, "COLUMNS": "400"}, check=False)
    assert done.returncode == 2
    assert f"out.jsonl is {what}: give a file" in said.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "out.jsonl", "said"]
    assert out.is_symlink()
    assert (tmp_path / "file").read_text() == "mine"


def test_a_link_to_a_device(home: Home, tmp_path: Path) -> None:
    """It stays where it is, and the device is written to."""
    out = tmp_path / "out.jsonl"
    out.symlink_to("/dev/null")
    with home.start(_ECHO, "--out", str(out)) as recording:
        assert recording.finish(b"{}\n") == (b"{}\n", b"", 6)
    assert [path.is_symlink() for path in tmp_path.iterdir()] == [True]


def test_an_empty_name(home: Home) -> None:
    """`--out "$FILE"` where FILE is not set: not into the spool without a word."""
    done = home.outcome("record", "--out", "", "--", "true")
    assert (done.returncode, b"the name is empty: give a file" in done.stderr) == (2, True)
    assert not home.spooled()


@pytest.mark.parametrize(
    ("name", "what"), [("-", "standard output, which carries the protocol"), ("later/", "a folder")]
)
def test_a_name_that_means_another_thing(home: Home, tmp_path: Path, name: str, what: str) -> None:
    """Not a file called `-`, and none where a directory was meant."""
    done = home.outcome("record", "--out", name, "--", "touch", str(tmp_path / "started"), COLUMNS="400")
    assert done.returncode == 2
    assert f"{name} is {what}: give a file" in done.stderr.decode()
    assert not list(tmp_path.iterdir())
    assert not os.path.lexists(name.rstrip("/"))
