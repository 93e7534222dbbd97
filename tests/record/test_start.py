"""How the recorder starts: fast, in any environment, seen as live."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_trace.cli import start
from acp_trace.cli.app import app
from acp_trace.record import recorder
from acp_trace.trace import lock
from tests.support import ACP_TRACE, PYTHON, Home, Recording, agent, until

_ECHO = agent("for line in lines: say(line)")


def test_it_imports_nothing_heavy_while_traffic_flows(home: Home) -> None:
    """duckdb, rich, watchfiles and pydantic cost more than the recorder itself; OpenSSL has 4 MB."""
    code = (
        "import sys, threading\n"
        "from acp_trace.record import pump\n"
        "plain = pump.Pump.run\n"
        "def run(self):\n"
        "    names = {name.partition('.')[0] for name in sys.modules}\n"
        "    banned = {'duckdb', '_duckdb', 'rich', 'watchfiles', 'pydantic', 'pydantic_core', '_hashlib'}\n"
        "    heavy = names & banned\n"
        "    open(report, 'a').write(f'{sorted(heavy)}\\n')\n"
        "    plain(self)\n"
        "pump.Pump.run = run\n"
        "report = sys.argv.pop()\n"
        "sys.argv[:] = ['acp-trace', 'record', '--no-load', '--label', 'a=b', '--workspace-snapshot', '--', 'cat']\n"
        "from acp_trace.cli import main\n"
        "main()\n"
    )
    report = home.path.parent / "report"
    argv = [sys.executable, "-I", "-c", code, str(report)]
    subprocess.run(argv, input=b"", env=home.environment, check=True, timeout=30, capture_output=True)
    assert report.read_text().startswith("[]\n[]\n[]\n")


def test_without_options_nothing_is_parsed(home: Home) -> None:
    """A client waits for `record -- AGENT`: typer would more than double its start."""
    code = (
        "import os, sys\n"
        "from acp_trace.record import recorder\n"
        "recorder.record = lambda *_, **__: print('typer' in sys.modules)\n"
        "from acp_trace.cli import main\n"
        "main()\n"
    )
    for words, parsed in ((["--", "true"], False), (["--no-load", "--", "true"], True)):
        argv = [sys.executable, "-I", "-c", code, "record", *words]
        done = subprocess.run(argv, env=home.environment, check=True, timeout=30, capture_output=True)
        assert done.stdout.decode() == f"{parsed}\n"


#: Becomes another program, with one entry more in its environment than Python lets through.
_EXEC = """
import ctypes, os, sys
entry, *argv = sys.argv[1:]
array = lambda texts: (ctypes.c_char_p * (len(texts) + 1))(*texts, None)
environment = [name + b"=" + value for name, value in os.environb.items()]
ctypes.CDLL(None).execve(argv[0].encode(), array([os.fsencode(word) for word in argv]), array([*environment, entry.encode()]))
"""


@pytest.mark.parametrize("entry", ["=C:=C:/here", "=C:", "=", "==x"])
def test_an_environment_with_an_entry_of_no_name(home: Home, entry: str) -> None:
    """Programs of Windows leave such; the agent gets what it would have got without us, but for `=…` alone."""
    shown = agent("say(open('/proc/self/environ', 'rb').read().replace(b'\\0', b'\\n'))")
    argv = [*PYTHON, "-c", _EXEC, entry, *ACP_TRACE, "record", "--no-load", "--", *shown]
    with Recording(argv, home.environment) as recording:
        out, err, code = recording.finish()
    assert (err, code) == (b"", 0)
    found = out.decode().splitlines()
    assert (entry in found) is (entry.count("=") > 1)
    assert f"ACP_TRACE_HOME={home.path}" in found


@pytest.mark.parametrize("named", ["by its path", "on the PATH", "from here"])
def test_a_script_that_names_no_interpreter(home: Home, tmp_path: Path, named: str) -> None:
    """The shell runs it, as it does for a client that starts it with execvp."""
    script = tmp_path / "agent-script"
    script.write_text('printf "%s|" "$0" "$@"')
    script.chmod(0o755)
    name = {"by its path": str(script), "on the PATH": script.name, "from here": f"./{script.name}"}[named]
    path = f"{tmp_path}:{os.environ['PATH']}"
    with home.start([name, "a b", ""], cwd=tmp_path, env={"PATH": path}) as recording:
        out, err, code = recording.finish()
    shown = name if "/" in name else str(script)
    assert (out.decode(), err, code) == (f"{shown}|a b||", b"", 0)


@pytest.mark.parametrize("words", [[], ["--no-load"]], ids=["at once", "through the parser"])
def test_ctrl_c_while_starting_is_no_traceback(home: Home, words: list[str]) -> None:
    """At the import of any module: it ends by the signal, or its agent has begun and gets it."""
    code = (
        "import os, runpy, signal, sys\n"
        "moment, begun = int(sys.argv.pop(1)), 0\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *_):\n"
        "        global begun\n"
        "        begun += bool(begun) or name == 'acp_trace.cli'\n"
        "        if begun == moment: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "sys.argv[0] = 'acp-trace'\n"
        "runpy.run_module('acp_trace', run_name='__main__')\n"
    )
    codes = set()
    for moment in range(1, 40, 4):
        argv = [sys.executable, "-EP", "-c", code, str(moment), "record", *words, "--", "true"]
        done = subprocess.run(
            argv, input=b"", env=home.environment, timeout=30, capture_output=True, check=False
        )
        assert (done.stdout, done.stderr) == (b"", b""), moment
        codes.add(done.returncode)
    assert codes <= {-2, 0}
    assert -2 in codes


@pytest.mark.parametrize("agent", [["a"], ["a", "--out", "b"], ["--help"], ["a", "--", "b"], ["", "a"]])
def test_it_is_the_same_command(monkeypatch: pytest.MonkeyPatch, agent: list[str]) -> None:
    """Whether typer has read the words or nobody."""
    calls: list[Any] = []
    monkeypatch.setattr(recorder, "record", lambda *words, **options: calls.append((words, options)))
    monkeypatch.setattr(sys, "argv", ["acp-trace", "record", "--", *agent])
    start.main()
    app(["record", "--", *agent], standalone_mode=False)
    assert calls[0] == calls[1]


@pytest.mark.parametrize(
    "leak", [{"PYTHONHOME": "/nonexistent"}, {"PYTHONPATH": "{bad}"}, {"PYTHONSTARTUP": "/nonexistent"}]
)
def test_a_leaked_python_environment_breaks_nothing(home: Home, tmp_path: Path, leak: dict[str, str]) -> None:
    """Toad's PYTHONHOME reaches the recorder; `python -I` does not look at it (docs/clients.md)."""
    for name in ("msgspec", "typer", "threading"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    leak = {key: text.format(bad=tmp_path) for key, text in leak.items()}
    (key, text) = next(iter(leak.items()))
    tell = ["sh", "-c", f'printf \'"%s"\\n\' "${key}"']
    with home.start(tell, env=leak) as recording:
        out, err, code = recording.finish()
    assert (out, err, code) == (f'"{text}"\n'.encode(), b"", 0)  # the agent still gets the variable
    assert len(home.spooled()) == 1


def test_a_live_trace_is_locked_and_a_dead_one_is_not(home: Home) -> None:
    """However the recorder dies, the system drops the lock."""
    with home.start(_ECHO) as recording:
        recording.say(b"{}\n")
        recording.hear()
        (path,) = home.spooled()
        assert lock.held(path)
        recording.process.kill()
        recording.process.wait()
        until(lambda: not lock.held(path), "the lock to drop")


def test_the_recorder_loads_its_trace_afterwards(home: Home) -> None:
    """Nobody asks for it: a loader of its own process does it."""
    subprocess.run(
        [*ACP_TRACE, "record", "--", *_ECHO], input=b"{}\n", env=home.environment, check=True, timeout=30,
        capture_output=True,
    )  # fmt: skip
    until(lambda: home.store.exists() and not home.spooled(), "the loader")
    assert home.json("ls")[0]["frames"] == 2


def test_the_agents_environment_is_the_clients(home: Home) -> None:
    """Also without a locale, where Python sets a variable of its own (PEP 538)."""
    given = {"PATH": "/usr/bin:/bin", "ACP_TRACE_HOME": str(home.path), "X": "1"}
    argv = [*ACP_TRACE, "record", "--no-load", "--", "env"]
    done = subprocess.run(argv, env=given, capture_output=True, check=True, timeout=30)
    assert dict(line.split("=", 1) for line in done.stdout.decode().splitlines()) == given
