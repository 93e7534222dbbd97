"""Pipes, as far as systems differ: whether they block, what they hold, what is still unread."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import sys
from collections.abc import Sequence

from acp_trace.system.choice import is_portable

if sys.platform == "win32":  # pragma: no cover  (not run yet)

    def set_blocking(fd: int, blocking: bool) -> None:
        """Choose whether a pipe blocks. Raises OSError; before Python 3.12, Windows cannot choose."""
        choose = getattr(os, "set_blocking", None)
        if choose is not None:
            choose(fd, blocking)

    def widen(_fd: int, _size: int) -> None:
        """Do nothing: Windows chooses the size of a pipe when it is made."""

    def ready(_inputs: Sequence[int], _rooms: Sequence[int], _longest_ms: int | None) -> set[int]:
        """Raise OSError: Windows does not say which pipe is ready."""
        raise OSError(errno.ENOSYS, "this system does not say which pipe is ready")

    def unread(_: int) -> int:
        """Return 0: Windows does not say what is in a pipe."""
        return 0

else:
    import fcntl

    set_blocking = os.set_blocking

    def widen(fd: int, size: int) -> None:
        """Let a pipe hold so many bytes, if the system and this user's limit allow it."""
        request = getattr(fcntl, "F_SETPIPE_SZ", None)  # Linux
        if request is not None:
            with contextlib.suppress(OSError):
                fcntl.fcntl(fd, request, size)

    def ready(inputs: Sequence[int], rooms: Sequence[int], longest_ms: int | None) -> set[int]:
        """Wait until one of `inputs` has input, or one of `rooms` has room; return those that are ready."""
        poll = select.poll()
        for fd in inputs:
            poll.register(fd, select.POLLIN)
        for fd in rooms:
            poll.register(fd, select.POLLOUT)
        return {fd for fd, _ in poll.poll(longest_ms)}

    def unread(fd: int) -> int:
        """Return the bytes in a pipe that are unread; 0 if the system does not say."""
        if is_portable():
            return 0
        import termios
        from array import array

        count = array("i", [0])
        try:
            fcntl.ioctl(fd, termios.FIONREAD, count)
        except OSError:  # such as: it was closed meanwhile
            return 0
        return count[0]
