"""What is read to its end: files, pipes and the null device, but no device that never ends."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from acp_trace.trace.inputs import Unreadable, refuse_device, whole

_needs_devices = pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="a system without /dev")


def test_a_file_and_a_pipe_are_read_whole(tmp_path: Path) -> None:
    """A pipe as the shell names it: `/dev/fd/N`."""
    (tmp_path / "log").write_bytes(b"a\n")
    assert whole(str(tmp_path / "log"), "a log") == b"a\n"
    read, write = os.pipe()
    os.write(write, b"b\n")
    os.close(write)
    if os.path.exists(f"/dev/fd/{read}"):
        assert whole(f"/dev/fd/{read}", "a log") == b"b\n"
    os.close(read)


def test_standard_input_may_be_any_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one without a descriptor."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"c")))
    assert whole("-", "a log") == b"c"


@_needs_devices
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_device_without_an_end_is_refused(
    device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its name, through a link, and as standard input."""
    (tmp_path / "link").symlink_to(device)
    for name in (device, str(tmp_path / "link")):
        with pytest.raises(Unreadable, match="is a device; a log must be a file or a pipe"):
            whole(name, "a log")
    with open(device) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        with pytest.raises(Unreadable, match="standard input is a device"):
            whole("-", "a log")


@_needs_devices
def test_the_null_device_is_empty() -> None:
    """It is always at its end."""
    refuse_device(os.devnull, "a log")
    assert whole(os.devnull, "a log") == b""
