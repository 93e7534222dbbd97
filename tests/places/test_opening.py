"""Which package takes an address: this one, another one, one that is broken; and that nobody else is asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from acp_trace.places import door, opening
from tests.commands import Commands
from tests.support import REPOSITORY, trace

_STORY = REPOSITORY / "sample_traces" / "opencode-story.jsonl"
#: A place in memory, with what `SharedPlace` asks for and no more.
_SHELF = """
from datetime import datetime, timezone
from acp_trace.places.place import Object, SharedPlace

BOXES = {}

class Shelf(SharedPlace):
    def __init__(self, url, *, make):
        self._box = BOXES.setdefault(url, {})

    def names(self, prefix, after=""):
        now = datetime(2000, 1, 1, tzinfo=timezone.utc)
        return (Object(k, len(v), now) for k, v in list(self._box.items()) if k.startswith(prefix) and k > after)

    def put(self, name, data):
        whole = data if isinstance(data, bytes) else data.read()
        return self._box.setdefault(name, whole) is whole

    def remove(self, names):
        for name in names:
            self._box.pop(name, None)

    def pieces(self, name):
        return iter([self._box[name]]) if name in self._box else None

    def part(self, name, start, end):
        return self._box[name][start:end]
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package with a module and the entry points of places: `install("name", source, box="name:Box")`."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    names: list[str] = []

    def installed(name: str, source: str, **takes: str) -> None:
        (site / f"{name}.py").write_text(source)
        about = site / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = [f"{scheme} = {value}" for scheme, value in takes.items()]
        (about / "entry_points.txt").write_text("\n".join([f"[{opening.GROUP}]", *lines, ""]))
        names.append(name)
        opening._takers.cache_clear()

    yield installed
    for name in names:
        sys.modules.pop(name, None)
    opening._takers.cache_clear()


def test_this_package_registers_itself() -> None:
    """As any other does; without an installation the same holds."""
    own = {each.name: each.value for each in entry_points(group=opening.GROUP) if each.value == door.BUNDLED}
    assert own == dict.fromkeys(door.SCHEMES, door.BUNDLED)


def test_a_place_of_another_package(commands: Commands, install: Install, tmp_path: Path) -> None:
    """Takes part in all that a place is for: push, ls, pull, show, build, query, stats and prune."""
    install("shelf", _SHELF, shelf="shelf:Shelf")
    place = "shelf://cellar/team"
    said = commands("team", "push", place, _STORY)
    assert (said.code, "1 trace pushed" in said.out) == (0, True), said
    assert said.err == f"acp-trace: {place} is a new place for traces\n"
    assert "1 there already" in commands.passes("team", "push", place, _STORY)
    [row] = commands.json("team", "ls", place)
    assert (row["agent"], row["trace"]) == ("opencode", None)
    assert commands.json("show", f"{place}/last")["trace"]["id"] == row["id"]
    assert "written to" in commands.passes("team", "pull", place, row["id"], "--out", tmp_path)
    assert (tmp_path / f"{row['id']}.jsonl").read_bytes() == _STORY.read_bytes()
    assert "1 trace built" in commands.passes("team", "build", place, "--since", "2026-01-01")
    [counted] = commands.json("team", "query", place, "SELECT count(*) AS n FROM traces")
    assert counted == {"n": 1}
    assert len(commands.json("stats", "--at", place)) == 1
    assert commands.json("team", "prune", place, "--keep", "0")["removed"] == [row["id"]]
    assert "shelf:/cellar is mistyped" in commands("team", "ls", "shelf:/cellar").err
    assert "shelf:// or" not in commands("team", "ls", "box://x").err
    assert (
        "give a directory, or file://, s3://, gs://, az:// or shelf://"
        in commands("team", "ls", "box://x").err
    )


@pytest.mark.parametrize(
    ("source", "takes", "why"),
    [
        ("raise RuntimeError('one\\ntwo')", "x:X", "the package x, which handles x://, failed: RuntimeError: one"),
        ("raise SystemExit(0)", "x:X", "failed: SystemExit: 0"),
        ("import nothing_of_this_name", "x:X", "failed: ModuleNotFoundError: No module named"),
        ("", "x:X", "failed: AttributeError"),
        ("", "x X", "failed: "),
        ("X = 1", "x:X", "failed: TypeError: 'int' object is not callable"),
        ("def X(url, *, make): return url", "x:X", "gives what is not a place for x://"),
        (_SHELF.partition("    def part")[0] + "X = Shelf", "x:X", "failed: TypeError: Can't instantiate abstract"),
    ],
)  # fmt: skip
def test_a_broken_package(commands: Commands, install: Install, source: str, takes: str, why: str) -> None:
    """One line names it, and nothing else of acp-trace fails."""
    install("x", source, xx=takes)
    for words in (("team", "ls", "xx://a"), ("show", "xx://a/last")):
        said = commands(*words)
        assert (said.code, said.out, said.err.count("\n")) == (3, "", 1), said
        assert why.replace("x://", "xx://") in said.err


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("names", ("team", "ls", "xx://a")),
        ("names", ("show", "xx://a/last")),
        ("put", ("team", "push", "xx://b", _STORY)),
        ("pieces", ("team", "ls", "xx://a")),
        ("part", ("team", "query", "xx://a", "SELECT * FROM traces")),
        ("remove", ("team", "prune", "xx://a", "--keep", "0")),
    ],
)
def test_a_package_that_fails_later(
    commands: Commands, install: Install, method: str, words: tuple[str, ...]
) -> None:
    """What a method raises after the place was opened is one line, too, from whichever thread it comes."""
    install("x", _SHELF, xx="x:Shelf")
    commands.passes("team", "push", "xx://a", _STORY)
    commands.passes("team", "build", "xx://a", "--since", "2026-01-01")
    shelf = vars(sys.modules["x"])["Shelf"]

    def fails(*_: object, **__: object) -> Iterator[object]:
        raise RuntimeError("one\ntwo")

    def fails_late(*_: object, **__: object) -> Iterator[object]:
        yield from ()
        raise RuntimeError("one\ntwo")

    for failing in (fails, fails_late) if method in {"names", "pieces"} else (fails,):
        setattr(shelf, method, failing)
        said = commands(*words)
        assert (said.code, said.err.count("\n")) == (3, 1), said
        assert "the package x, which handles xx://, failed: RuntimeError: one\n" in said.err


def test_two_packages_for_one_address(commands: Commands, install: Install, tmp_path: Path) -> None:
    """Neither is used, also if one is this one: nobody takes over the addresses of another package."""
    install("thief", _SHELF, file="thief:Shelf")
    said = commands("team", "push", tmp_path / "team", _STORY)
    assert (said.code, said.err.count("\n"), "thief" in sys.modules) == (3, 1, False)
    assert "file:// is taken by thief and acp-trace: uninstall all but one" in said.err
    assert not (tmp_path / "team").exists()


def test_entry_points_that_cannot_be_read(commands: Commands, install: Install, tmp_path: Path) -> None:
    """Of whatever package: the places of this one are there all the same."""
    install("damaged", "", x="x\nno value")
    assert "1 trace pushed" in commands.passes("team", "push", tmp_path / "team", _STORY)


def test_only_an_address_asks(commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No start, and no trace, whatever stands in it: to look through all packages takes time, and a trace is a stranger's."""
    monkeypatch.setattr(opening, "_takers", lambda: pytest.fail("somebody asked"))
    texts = json.dumps({"id": 1, "method": "shelf://cellar/last", "params": {"cwd": "shelf://cellar"}})
    path = tmp_path / "hostile.jsonl"
    path.write_bytes(trace(("client", json.loads(texts)), agent_argv=["shelf://cellar/agent"]))
    for words in (("--help",), ("team", "--help"), ("show", path), ("frames", path), ("load", path), ("ls",)):
        commands.passes(*words)
    commands("check", path)


def test_without_the_extra(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """`team` is in no help; typed, it says how to get it, in one line."""
    assert "\n  team " in commands.passes("--help")
    monkeypatch.setitem(sys.modules, "obstore", None)
    assert "team " not in commands.passes("--help")
    for words in (("team",), ("team", "--help"), ("team", "push", "--help"), ("team", "ls", "/mnt/team")):
        said = commands(*words)
        assert (said.code, said.out) == (2, ""), words
        assert (
            said.err == "acp-trace: a place for traces needs more packages: pip install 'acp-trace[team]'\n"
        )
