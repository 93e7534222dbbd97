"""Every error of the system is told by its reason."""

from __future__ import annotations

import pytest

from acp_trace.trace.os_errors import file_and_reason, reason


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError(28, "No space left on device", "a.jsonl"), "No space left on device"),
        (OSError("read length must be positive"), "read length must be positive"),
        (OSError(), "OSError"),
        (MemoryError(), "Cannot allocate memory"),
        (ValueError("embedded null byte"), "embedded null byte"),
    ],
)
def test_reason(error: Exception, told: str) -> None:
    """Without its number and its file, and never nothing."""
    assert reason(error) == told


def test_file_and_reason() -> None:
    """With the file, if there is one."""
    assert file_and_reason(OSError(2, "No such file or directory", "a")) == "a: No such file or directory"
    assert file_and_reason(OSError(2, "No such file or directory")) == "No such file or directory"
