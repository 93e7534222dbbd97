"""Commands, run in this process: hundreds of them would take minutes as processes of their own."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

import pytest
import typer.main

from acp_trace.cli import main
from tests.support import Home


class Said(NamedTuple):
    """What a command printed, and its exit code."""

    out: str
    err: str
    code: int


class Commands:
    """Runs commands in a home of their own."""

    def __init__(self, home: Home, capfd: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.home = home
        self._capfd = capfd
        self._patch = patch

    def __call__(self, *args: str | os.PathLike[str]) -> Said:
        """Runs a command to its end. An exception fails the test."""
        self._capfd.readouterr()
        self._patch.setattr(sys, "argv", ["acp-trace", *(os.fspath(one) for one in args)])
        try:
            with _built_once():
                main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        out, err = self._capfd.readouterr()
        return Said(out, err, code)

    def passes(self, *args: str | os.PathLike[str]) -> str:
        """What a command printed that has to end well."""
        said = self(*args)
        assert said.code == 0, said
        return said.out

    def json(self, *args: str | os.PathLike[str]) -> Any:
        """What a command says with `--json`, that has to end well."""
        return json.loads(self.passes(*args, "--json"))


class CommandHome(Home):
    """A home whose commands run in this process: each saves the fifth of a second that a start takes.

    A command still gets streams, an environment and signal handlers of its own. What is about processes starts
    them, with `start` or `subprocess`.
    """

    def outcome(
        self, *args: str, stdin: bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs a command to its end; everything it said. An exception that it does not explain fails the test."""
        if args[:1] == ("record",):  # it gives its descriptors and its place away, and ends without Python
            return super().outcome(*args, stdin=stdin, **environment)
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(stdin)
            given.seek(0)
            with _streams(given, out, err), _process_state({**self.environment, **environment}, args):
                code = _exit_code()
            said = _whole(out), _whole(err)
        return subprocess.CompletedProcess(["acp-trace", *args], code, *said)


#: The functions of commands -> their parsers.
_BUILT: dict[tuple[object, ...], Any] = {}


@contextlib.contextmanager
def _built_once() -> Iterator[None]:
    """Parsers stay for the next command: typer takes 7 ms for those of one, and 40 ms for all."""
    build = typer.main.get_command

    def built(app: typer.Typer) -> Any:
        groups = [group for group in app.registered_groups if group.typer_instance is not None]
        apps = [app, *(group.typer_instance for group in groups if group.typer_instance)]
        key = (
            *(group.hidden for group in groups),
            *(command.callback for one in apps for command in one.registered_commands),
        )
        if key not in _BUILT:
            _BUILT[key] = build(app)
        return _BUILT[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", built)
        yield


def _whole(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _exit_code() -> int:
    """What the command in `sys.argv` ends with."""
    try:
        with _built_once():
            main()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        print(ended.code, file=sys.stderr)
        return 1
    return 0


@contextlib.contextmanager
def _streams(*files: IO[bytes]) -> Iterator[None]:
    """Puts files in the places of the three standard descriptors, and of Python's streams over them."""
    before, kept = (sys.stdin, sys.stdout, sys.stderr), [os.dup(fd) for fd in range(3)]
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        for fd, file in enumerate(files):
            os.dup2(file.fileno(), fd)
        sys.stdin = open(0, encoding="utf-8", closefd=False)
        sys.stdout, sys.stderr = (
            open(fd, "w", encoding="utf-8", errors=errors, closefd=False)
            for fd, errors in ((1, "strict"), (2, "backslashreplace"))
        )
        try:
            yield
        finally:
            sys.stdout.close()
            sys.stderr.close()
            sys.stdin.close()
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        for fd, saved in enumerate(kept):
            os.dup2(saved, fd)
            os.close(saved)


@contextlib.contextmanager
def _process_state(environment: dict[str, str], args: tuple[str, ...]) -> Iterator[None]:
    """An environment and arguments as a process of its own has them; put back with what commands change."""
    before, argv, collects = dict(os.environ), sys.argv, gc.isenabled()
    main_module = sys.modules["__main__"]
    package = main_module.__package__
    try:
        _environment(environment)
        sys.argv = ["acp-trace", *args]
        main_module.__package__ = None  # else `python -m pytest` would be part of the name in "Usage:"
        yield
    finally:
        sys.argv = argv
        main_module.__package__ = package
        _environment(before)
        (gc.enable if collects else gc.disable)()


def _environment(wanted: dict[str, str]) -> None:
    for name in os.environ.keys() - wanted.keys():
        del os.environ[name]
    os.environ.update(wanted)
    if sys.platform != "win32":
        time.tzset()
