"""The builds of an npm package, from a registry that is a directory."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from acp_trace.builds import npm
from acp_trace.builds.ahead import Ahead
from acp_trace.builds.semver import BadVersion
from acp_trace.builds.sources import NoProgram, Packages
from acp_trace.builds.tools import NotInstallable, Unavailable
from tests.builds.stage import registry, version

STOP = threading.Event()


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry with a few versions."""
    made = registry(
        tmp_path / "registry",
        {
            "1.0.0": version(),
            "1.1.0": version(script=True),
            "1.2.0": version(fails="No matching version"),
            "1.3.0": version(bin=["a", "b"]),
            "1.4.0": version(bin=[]),
        },
    )
    for name, value in made.items():
        monkeypatch.setenv(name, value)
    return tmp_path / "registry"


def package(home: Path, **more: object) -> Packages:
    return Packages(home, "npm", "small", ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"], **more)  # type: ignore[arg-type]


def said(name: str) -> None:
    """Nobody listens."""


def test_versions_are_listed(shelf: Path) -> None:
    """Of a package that there is; of no other."""
    assert npm.published("small", STOP) == ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"]
    with pytest.raises(BadVersion, match="npm has no package other"):
        npm.published("other", STOP)
    (shelf / "away").touch()
    with pytest.raises(Unavailable, match="cannot be reached"):
        npm.published("small", STOP)


def test_a_version_is_installed_once(shelf: Path, tmp_path: Path) -> None:
    """Without its scripts, which are named; a second time it is there, also without a registry."""
    source = package(tmp_path / "home", arguments=["acp"])
    ready = source.ready("1.0.0", STOP, said)
    assert Path(ready.argv[0]).name == "small"
    assert ready.argv[1:] == ("acp",)
    assert source.ready("1.1.0", STOP, said).scripts == ["small (postinstall: node build.js)"]
    (shelf / "away").touch()
    assert source.ready("1.0.0", STOP, said) == ready
    assert "--ignore-scripts" in (shelf / "log").read_text()
    with pytest.raises(Unavailable, match="cannot be reached"):
        package(tmp_path / "home", scripts=["small"]).ready("1.1.0", STOP, said)


def test_a_script_is_permitted(shelf: Path, tmp_path: Path) -> None:
    """In a directory of its own: the build is another one."""
    ready = package(tmp_path / "home", scripts=["small"]).ready("1.1.0", STOP, said)
    assert not ready.scripts
    assert (Path(ready.argv[0]).parents[1] / "small" / "built").exists()
    assert package(tmp_path / "home").ready("1.1.0", STOP, said).argv != ready.argv


def test_what_cannot_be_installed(shelf: Path, tmp_path: Path) -> None:
    """A version that fails says something of the version; a full disk does not."""
    with pytest.raises(NotInstallable, match="npm cannot install it: npm error"):
        package(tmp_path / "home").ready("1.2.0", STOP, said)
    (shelf / "full").touch()
    with pytest.raises(Unavailable, match="the disk is full"):
        package(tmp_path / "home").ready("1.3.0", STOP, said)
    (shelf / "full").unlink()
    (shelf / "cut").touch()  # npm ends with 0 then
    with pytest.raises(Unavailable, match="the disk is full"):
        package(tmp_path / "home").ready("1.0.0", STOP, said)
    (shelf / "cut").unlink()
    assert package(tmp_path / "home").ready("1.0.0", STOP, said).argv


def test_which_program_is_the_agent(shelf: Path, tmp_path: Path) -> None:
    """Its only one, a named one, or what the command says."""
    home = tmp_path / "home"
    with pytest.raises(NoProgram, match="name one with --bin: a, b"):
        package(home).ready("1.3.0", STOP, said)
    with pytest.raises(NoProgram, match="no program: give the command"):
        package(home).ready("1.4.0", STOP, said)
    assert Path(package(home, bin="b").ready("1.3.0", STOP, said).argv[0]).name == "b"
    with pytest.raises(NotInstallable, match="has no program c; it has a, b"):
        package(home, bin="c").ready("1.3.0", STOP, said)
    ready = package(home, arguments=["node", "{build}/x.js"]).ready("1.4.0", STOP, said)
    assert ready.argv == ("node", str(home / "builds" / "npm" / "small" / "1.4.0" / "x.js"))


def test_once_away_a_registry_is_not_asked_again(shelf: Path, tmp_path: Path) -> None:
    """Each build would take as long to fail."""
    (shelf / "away").touch()
    ahead = Ahead(package(tmp_path / "home"), said)
    try:
        for name in ("1.0.0", "1.1.0", "1.3.0"):
            with pytest.raises(Unavailable):
                ahead.get(name)
    finally:
        ahead.close()
    assert len((shelf / "log").read_text().splitlines()) == 1
