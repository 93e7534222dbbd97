"""Fixtures that every folder shares."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import re
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.entropy import deterministic_PRNG

from acp_trace.store.connect import writing
from acp_trace.store.make import make
from tests.chromium import chromium
from tests.commands import CommandHome, Commands
from tests.support import Fill, Home

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A slow machine is no fault, and a run must say the same twice; `--hypothesis-profile=search` looks
# for new cases.
settings.register_profile("repeatable", deadline=None, derandomize=True, database=None, max_examples=50)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile("repeatable")

# A shell without job control starts what runs in its background with SIGINT and SIGQUIT ignored, `nohup` does
# so with SIGHUP, and processes inherit that: the tests' children would hear none of them.
for _name, _handler in (
    ("SIGINT", signal.default_int_handler),
    ("SIGQUIT", signal.SIG_DFL),
    ("SIGHUP", signal.SIG_DFL),
):
    if (_number := getattr(signal, _name, None)) and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)

#: Tests that start many processes, or work for long: left out of a plain `pytest`, which stays short; `just
#: integration` runs them.
SLOW = (
    "analyze/test_hostile.py",
    "bucket/",
    "cli/test_captures.py",
    "cli/test_mock.py",
    "cli/test_replay.py",
    "cli/test_show_session.py",
    "compare/test_hostile.py",
    "compare/test_properties.py",
    "docs/test_ci_page.py",
    "docs/test_pytest_page.py",
    "docs/test_quickstart.py",
    "docs/test_recipes_with_agents.py",
    "lake/test_build.py",
    "lake/test_commands.py",
    "mcp_server/test_question.py",
    "mcp_server/test_server.py",
    "plugin/",
    "record/network/test_command.py",
    "record/test_crowd.py",
    "record/test_ending.py",
    "record/test_memory.py",
    "redact/test_properties.py",
    "replay/test_faults.py",
    "replay/test_floods.py",
    "replay/test_model_served.py",
    "replay/test_model_side.py",
    "replay/test_properties.py",
    "replay/test_variations.py",
    "security/test_query.py",
    "security/test_redacting.py",
    "security/test_sizes.py",
    "security/test_terminal.py",
    "store/",
    "view/test_server.py",
    "workflows/test_example.py",
)
#: What a file has if a test in it has that marker; places of some kinds have one.
_MARKED = {
    "azure": re.compile(r"mark\.azure\b|\bplace\b|\bcontainer\b"),
    "browser": re.compile(r"mark\.browser\b"),
    "home": re.compile(r"\b(?:home|commands|filled)\b"),
    "slow": re.compile(r"mark\.slow\b|\bplace\b"),
    "spark": re.compile(r"mark\.spark\b"),
}
#: Tests of the making of a store: they make each one anew.
MAKES_STORES = ("store/test_connect.py", "store/test_make.py", "store/test_place.py", "store/test_schema.py")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Ten thousand tests stay to the end: the garbage collector need not look at them again and again.

    Hypothesis asks it, once, what refers to its source of chance: that costs least before there are tests.
    """
    with deterministic_PRNG():
        gc.disable()
    try:
        _import_a_share(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _import_a_share(config: pytest.Config) -> None:
    """Workers compile a fresh checkout together: each imports its share first, and finds the others' compiled.

    What cannot be imported is told when it is collected.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    sys.dont_write_bytecode = False  # where the environment forbids it, all would compile all in each run
    here, number = Path(__file__).parent, int(worker.removeprefix("gw"))
    files = [path for path in sorted(here.rglob("test_*.py")) if not _is_left_out(path, config)]
    for path in files[number :: int(os.environ["PYTEST_XDIST_WORKER_COUNT"])]:
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(path.relative_to(here.parent).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Hypothesis takes examples from the constants of all modules that were imported, `derandomize` or not.

    From now on of these: what tests import in their turn, in whatever worker, changes no example.
    """
    constants = providers._get_local_constants()
    providers._get_local_constants = lambda: constants


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files of which nothing will run are not imported, unless they are named: each worker would do so."""
    named = {config.invocation_params.dir / word.partition("::")[0] for word in config.args}
    return True if _is_left_out(collection_path, config) and collection_path not in named else None


def _is_left_out(path: Path, config: pytest.Config) -> bool:
    wanted = {name for no, name in re.findall(r"(not )?\b(\w+)", config.option.markexpr) if not no} & set(
        _MARKED
    )
    if wanted:
        return path.name.startswith("test_") and not any(_may_have(path, marker) for marker in wanted)
    return "not slow" in config.option.markexpr and _is_in(path, SLOW)


@cache
def _may_have(path: Path, marker: str) -> bool:
    return (marker == "slow" and _is_in(path, SLOW)) or bool(_MARKED[marker].search(path.read_text("utf-8")))


def pytest_addoption(parser: pytest.Parser) -> None:
    """For another Python, whose libraries and syntax differ from this one's in no case alone."""
    parser.addoption(
        "--one-case", action="store_true", help="run one case of each test, and one command of each file"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks those, and what else has a home directory; leaves out the other cases."""
    for item in items:
        if _is_in(item.path, SLOW):
            item.add_marker("slow")
        if "home" in getattr(item, "fixturenames", ()) and not any(map(item.get_closest_marker, _MARKED)):
            item.add_marker("home")
        for marker in _MARKED:
            if item.get_closest_marker(marker) and not _may_have(item.path, marker):
                raise pytest.UsageError(f"{item.nodeid}: `-m {marker}` would not find it, see _MARKED")
    if config.getoption("--one-case"):
        first = {*{_case_of(item): item for item in reversed(items)}.values()}
        config.hook.pytest_deselected(items=[item for item in items if item not in first])
        items[:] = [item for item in items if item in first]


def _case_of(item: pytest.Item) -> object:
    """What `--one-case` keeps one of: of tests with a home directory, which take time, a file has one."""
    return item.path if item.get_closest_marker("home") else item.nodeid.partition("[")[0]


@cache
def _is_in(path: Path, places: tuple[str, ...]) -> bool:
    here = Path(__file__).parent
    return path.is_relative_to(here) and path.relative_to(here).as_posix().startswith(places)


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store, to be copied: to make one takes a tenth of a second."""
    path = tmp_path_factory.mktemp("empty") / "store.duckdb"
    with writing(path):
        pass
    return path


@pytest.fixture
def home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty_store: Path, request: pytest.FixtureRequest
) -> Home:
    """A home directory that nothing else uses, for commands and for code in this process.

    What a command would start behind itself is left out here: a loader takes half a second of a processor, and
    the next command that looks at the store loads the trace.
    """
    monkeypatch.chdir(Path.cwd())  # `load --background` goes elsewhere, and lets others pass
    monkeypatch.setattr("os.nice", lambda _: 0, raising=False)  # Windows has none
    monkeypatch.setenv("ACP_TRACE_HOME", str(tmp_path / "home"))
    if not _is_in(request.path, MAKES_STORES):
        monkeypatch.setattr(
            "acp_trace.store.connect.make", lambda path, _: make(path, partial(shutil.copyfile, empty_store))
        )
    for module in ("acp_trace.record.afterwards", "acp_trace.cli.playing"):
        monkeypatch.setattr(f"{module}.start_loader", lambda: None)
    return CommandHome(tmp_path / "home")


@pytest.fixture(scope="module")
def _filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("filled")


@pytest.fixture
def filled(home: Home, tmp_path: Path, _filled: Path) -> Fill:
    """Fills the directory and the home of a test by a function that a module calls once; later tests get a copy."""
    assert home.path.parent == tmp_path

    def fill(how: Callable[[], object]) -> None:
        kept = _filled / how.__qualname__
        if kept.exists():
            shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
        else:
            how()
            shutil.copytree(tmp_path, kept)

    return fill


@pytest.fixture
def commands(home: Home, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Commands in this process; CI is not meant."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("CI", raising=False)
    return Commands(home, capfd, monkeypatch)


@pytest.fixture
def unanswered() -> Iterator[str]:
    """An address of this machine at which nobody listens: its port is taken, so that nobody begins to."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a process."""
    with chromium() as browser:
        yield browser
