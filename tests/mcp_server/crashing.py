"""In the place of `worker.answer`: ends in ways that nobody expects."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any


def die(*_: Any) -> Any:
    """As a process that the system ends because there is no memory."""
    os.kill(os.getpid(), signal.SIGKILL)
    threading.Event().wait()


def wait(*_: Any) -> Any:
    """For ever."""
    threading.Event().wait()
