"""`python -m tests.system.without_posix ARGS…`: run acp-trace on this system as if it were Windows.

Modules and functions that only POSIX has are taken away before acp-trace is imported, and `sys.platform`
is `win32`. `import` as the only argument imports each module instead. Libraries and the standard library are
imported first and keep what they need. This shows that acp-trace asks for nothing that Windows lacks; it does
not show that Windows answers as expected.
"""

from __future__ import annotations

import asyncio
import concurrent.futures.process
import fcntl
import http.server
import importlib
import ntpath
import os
import pkgutil
import select
import shlex
import signal
import socket
import ssl
import subprocess
import sys
import sysconfig
import tempfile
import traceback
import types
import webbrowser
from typing import Any

assert sys.platform != "win32", "there, it would take away what is not there"
#: Kept: the module is taken away.
flock, LOCK_EX, LOCK_NB, LOCK_UN = fcntl.flock, fcntl.LOCK_EX, fcntl.LOCK_NB, fcntl.LOCK_UN

#: Those of every command, then those of extras, which take a second to import: for the commands that use them.
LIBRARIES = (
    "duckdb",
    "msgspec",
    "rich.console",
    "rich.markdown",
    "rich.progress",
    "rich.table",
    "typer",
    "watchfiles",
)
EXTRAS = (
    "cryptography.x509",
    "h11",
    "h2.connection",
    "mcp.server.fastmcp",
    "obstore",
    "pyarrow",
    "pytest",
    "wsproto",
)
#: Modules that only POSIX has. `pwd` and `tty` stay: libraries import them late.
MODULES = ("fcntl", "grp", "pty", "resource", "syslog", "termios")
#: Functions and constants that Windows lacks. The standard library of POSIX itself still needs others.
MISSING = {
    os: ["O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC", "P_PID", "WEXITED", "WNOWAIT", "chown", "confstr", "copy_file_range", "eventfd", "fchmod", "fchown", "fdatasync", "fork", "forkpty", "fstatvfs", "geteuid", "getgid", "getegid", "getgroups", "getloadavg", "getpgid", "getuid", "killpg", "lchown", "lockf", "memfd_create", "mkfifo", "nice", "openpty", "pidfd_open", "posix_fadvise", "posix_fallocate", "posix_spawn", "posix_spawnp", "pread", "preadv", "pwrite", "pwritev", "sched_getaffinity", "sched_yield", "sendfile", "setgid", "setpgid", "setsid", "setuid", "splice", "sync", "sysconf", "tcgetpgrp", "ttyname", "uname", "wait3", "wait4", "waitid"],
    select: ["poll", "epoll"],
    signal: ["alarm", "pthread_kill", "pthread_sigmask", "pause", "setitimer", "sigtimedwait", "sigwait", "sigwaitinfo"],
    socket: ["AF_UNIX", "SCM_RIGHTS", "SO_PEERCRED", "SO_REUSEPORT"],
}  # fmt: skip
SIGNALS = {"SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM"}


class _Anything(types.ModuleType):
    """A module of Windows, of which nothing is called here but locks: each other name is 0."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return 0

    LK_UNLCK, LK_LOCK, LK_NBLCK = 0, 1, 2

    @staticmethod
    def locking(fd: int, mode: int, _count: int) -> None:
        """Lock with flock, which the agents of a test see: they run on the system as it is."""
        flock(fd, LOCK_UN if mode == _Anything.LK_UNLCK else LOCK_EX | LOCK_NB)


def take_away(*, has_extras: bool) -> None:
    """Make this process one without POSIX."""
    for name in (*LIBRARIES, *(EXTRAS if has_extras else ())):
        try:
            importlib.import_module(name)
        except ImportError:  # of an extra
            pass
    sysconfig.get_config_vars()
    assert all((asyncio, concurrent.futures.process, http.server, ssl, tempfile, webbrowser))
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for module, names in MISSING.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    for name in dir(signal):
        if name.startswith("SIG") and not name.startswith("SIG_") and name not in SIGNALS:
            delattr(signal, name)
    _add_windows()
    sys.platform = "win32"


def _add_windows() -> None:
    for name in ("msvcrt", "_winapi", "winreg"):
        sys.modules[name] = _Anything(name)
    for name in ("CTRL_BREAK_EVENT", "CTRL_C_EVENT", "SIGBREAK"):
        setattr(signal, name, signal.SIGTERM)
    for name in ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW", "DETACHED_PROCESS"):
        setattr(subprocess, name, 0)
    start, seek = subprocess.Popen.__init__, os.lseek

    def started(self: Any, args: Any, *rest: Any, **options: Any) -> None:
        options.pop("creationflags", None)
        words = shlex.split(args.replace("\\", "/")) if isinstance(args, str) else list(args)
        if words[0] == "taskkill":
            words = ["kill", "-9", words[-1]]
        start(self, words, *rest, **options)

    def moved(fd: int, at: int, how: int = 0) -> int:
        return seek(fd, min(at, 1 << 40), how)  # the byte that is locked is farther than ext4 reaches

    subprocess.Popen.__init__ = started  # type: ignore[method-assign]
    os.lseek = moved


def imported() -> list[str]:
    """Import each module of acp-trace; return a line for each that cannot be imported."""
    import acp_trace

    failed = []
    for each in pkgutil.walk_packages(acp_trace.__path__, "acp_trace."):
        if each.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(each.name)
        except ModuleNotFoundError as error:
            if error.name in MODULES or (error.name or "").startswith("acp_trace"):
                failed.append(f"{each.name}: {error}")
        except (AttributeError, ImportError, OSError) as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            failed.append(f"{each.name}: {error} ({ntpath.basename(at.filename)}:{at.lineno})")
    return failed


def main() -> None:
    """Run the command, or import everything."""
    words = sys.argv[1:]
    take_away(has_extras=words == ["import"] or words[:1] == ["team"])
    if words == ["import"]:
        sys.exit("\n".join(imported()) or 0)
    from acp_trace.__main__ import main as run

    sys.argv = ["acp-trace", *words]
    run()


if __name__ == "__main__":
    main()
