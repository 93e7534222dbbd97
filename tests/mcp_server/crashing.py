"""In the place of `worker.answer`: ends in ways that nobody expects."""

from __future__ import annotations

import os
import threading
from typing import Any

from acp_trace.system.processes import KILL


def die(*_: Any) -> Any:
    """As a process that the system ends because there is no memory."""
    os.kill(os.getpid(), KILL)
    threading.Event().wait()


def wait(*_: Any) -> Any:
    """For ever."""
    threading.Event().wait()
