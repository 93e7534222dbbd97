"""Becomes a command that can write in some directories only: `confined.py FD FD… -- COMMAND …`.

The directories are descriptors, so that a link in place of one of them changes nothing. The command starts in
the first one, and can write in the others.

A separate program, run before the command in the same process; it imports nothing of this package. Linux has
Landlock for that since 5.13; elsewhere nothing is confined (`version`). What a command reads, the modes and
times that it sets on files, and its network connections are not confined.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys

#: Prefix of each variable that the agent asks for: a loader obeys some of them (LD_PRELOAD, LD_DEBUG_OUTPUT),
#: and must not see them in this process before it is confined.
ASKED = "ACP_TRACE_ASKED_"

#: linux/landlock.h and the numbers of its calls, which are the same on every architecture.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION, _BENEATH = 1, 1
_WRITE_FILE, _REFER, _TRUNCATE = 1 << 1, 1 << 13, 1 << 14
#: Removing, and making files of all kinds.
_CHANGES = sum(1 << bit for bit in range(4, 13))
#: Neither signals nor abstract sockets reach processes outside.
_SCOPE = 3
_SCOPE_SINCE = 6
_NO_NEW_PRIVS, _DEATH_SIGNAL = 38, 1
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom")

#: Unused, and not available, on Windows.
_libc = ctypes.CDLL(None if os.name == "posix" else "msvcrt", use_errno=True)


def version() -> int:
    """Return the version of Landlock; 0 if there is none."""
    if sys.platform != "linux":
        return 0
    else:  # noqa: RET505  (or mypy calls it unreachable)
        return max(int(_libc.syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)), 0)


def confine(directories: list[int]) -> None:
    """Restrict writing of this process, and all that it starts, to these directories. Raises OSError.

    `directories`: descriptors.
    """
    there = version()
    rights = _WRITE_FILE | _CHANGES | (_REFER if there > 1 else 0) | (_TRUNCATE if there > 2 else 0)
    layout = struct.pack("QQQ", rights, 0, _SCOPE if there >= _SCOPE_SINCE else 0)
    layout = layout if there >= _SCOPE_SINCE else layout[:8]
    rules = _call(_CREATE, layout, ctypes.c_size_t(len(layout)), 0)
    for directory in directories:
        _allow(rules, directory, rights)
    for device in _DEVICES:
        if os.path.exists(device):
            fd = os.open(device, getattr(os, "O_PATH", 0) | getattr(os, "O_CLOEXEC", 0))
            _allow(rules, fd, _WRITE_FILE)
            os.close(fd)
    _check(_libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
    _call(_RESTRICT, rules, 0)
    os.close(rules)


def _allow(rules: int, fd: int, rights: int) -> None:
    _call(_ADD, rules, _BENEATH, struct.pack("=Qi", rights, fd), 0)


def _call(number: int, *arguments: object) -> int:
    return _check(_libc.syscall(number, *arguments))


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def main(words: list[str]) -> None:
    """Confine this process and become the command. Does not return."""
    split = words.index("--")
    (start, *directories), command = map(int, words[:split]), words[split + 1 :]
    os.chdir(start)
    if sys.platform == "linux":
        _libc.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if version():
        confine(directories)
    for fd in (start, *directories):
        os.close(fd)
    if sys.platform != "win32":
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    asked = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(ASKED)}
    os.environ.update((name.removeprefix(ASKED), value) for name, value in asked.items())
    try:
        os.execvp(command[0], command)
    except (OSError, ValueError) as error:
        print(f"{command[0]}: {error}", file=sys.stderr)
        os._exit(127)


if __name__ == "__main__":
    main(sys.argv[1:])
