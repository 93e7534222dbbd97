"""The turns of a connection: short while they take long, and long while they are quick."""

from __future__ import annotations

from acp_trace.gate.shares import Share


def test_what_takes_long_gets_less() -> None:
    """Down to a kilobyte, and up again to the most."""
    share = Share(8000, 8000)
    sizes = []
    for seconds in (0.02, 0.02, 0.005, 0.001, 0.001, 0.001, 0.001):
        assert share.took(seconds) is (seconds > 0.01)
        sizes.append(share.size)
    assert sizes == [2000, 1024, 1024, 2048, 4096, 8000, 8000]
    assert Share(1 << 16).size == 1024
