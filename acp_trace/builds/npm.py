"""The builds of an npm package: its versions, one of them installed, its programs.

All goes through `npm` as it is set up on this machine. No install script runs unless it is permitted: those
that did not run are noted, because a build that does not start may need one.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from acp_trace.builds import tools
from acp_trace.builds.semver import BadVersion
from acp_trace.builds.tools import NotInstallable, Unavailable

#: What npm runs of a package when it is installed.
_SCRIPTS = ("preinstall", "install", "postinstall")
#: So that a missing network is reported within seconds. Variables of the user take precedence.
_PATIENCE = {
    "npm_config_fetch_retries": "2",
    "npm_config_fetch_retry_mintimeout": "500",
    "npm_config_fetch_retry_maxtimeout": "5000",
}
_QUIET = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=warn")


def published(package: str, stop: threading.Event) -> list[str]:
    """The versions that the registry has, as it lists them. Raises Unavailable, BadVersion and Cancelled."""
    done = tools.run(
        [_npm(), "view", package, "versions", "--json", *_QUIET], stop, more=_patience(), is_list=True
    )
    if done.code:
        done.check_reach(f"the versions of {package}")
        if "E404" in done.said:
            raise BadVersion(f"npm has no package {package}")
        raise Unavailable(f"npm cannot list the versions of {package}: {done.why}")
    try:
        listed = json.loads(done.out or "[]")
    except ValueError:
        raise Unavailable(f"npm lists the versions of {package} in an unknown form") from None
    return [listed] if isinstance(listed, str) else [each for each in listed if isinstance(each, str)]


def install(
    directory: Path, package: str, version: str, scripts: Iterable[str], stop: threading.Event
) -> Mapping[str, Any]:
    """Installs a version; its programs, and the scripts that did not run.

    `scripts`: packages whose install scripts may run. Raises NotInstallable, Unavailable and Cancelled.
    """
    (directory / "package.json").write_text('{"private": true}\n', "utf-8")
    what, npm = f"{package}@{version}", _npm()
    words = [npm, "install", "--prefix", str(directory), "--ignore-scripts", "--global=false"]
    done = tools.run([*words, *_QUIET, what], stop, cwd=directory, more=_patience())
    done.check_reach()
    if done.code:
        raise NotInstallable(f"npm cannot install it: {done.why}")
    modules = directory / "node_modules"
    waiting = _with_scripts(modules)
    for name in scripts:
        if not any(each["package"] == name for each in waiting):
            continue
        words = [npm, "rebuild", "--prefix", str(directory), "--ignore-scripts=false", "--foreground-scripts"]
        done = tools.run([*words, *_QUIET, name], stop, cwd=directory, more=_patience())
        done.check_reach()
        if done.code:
            raise NotInstallable(f"the install script of {name} failed: {done.why}")
        waiting = [each for each in waiting if each["package"] != name]
    return {"programs": _programs(modules, package), "scripts": waiting}


def _npm() -> str:
    npm = tools.program("npm")
    if npm is None:
        raise Unavailable("npm is not installed: builds of --npm need it")
    return npm


def _patience() -> dict[str, str]:
    known = {name.lower() for name in os.environ}
    return {name: value for name, value in _PATIENCE.items() if name not in known}


def _programs(modules: Path, package: str) -> dict[str, str]:
    """The programs of a package by their names: the links that npm made for them."""
    about = _json(modules / package / "package.json")
    listed = about.get("bin")
    if isinstance(listed, str):
        names = [package.rpartition("/")[2]]
    else:
        names = [name for name in listed if isinstance(name, str)] if isinstance(listed, dict) else []
    links = {name: modules / ".bin" / name for name in names if name and "/" not in name and "\\" not in name}
    return {name: str(link) for name, link in links.items() if link.is_file()}


def _with_scripts(modules: Path) -> list[dict[str, str]]:
    """The packages that have an install script, each with the script."""
    found = []
    locked = _json(modules / ".package-lock.json").get("packages")
    for path, about in (locked if isinstance(locked, dict) else {}).items():
        if not isinstance(about, dict) or not about.get("hasInstallScript") or ".." in path:
            continue
        own = _json(modules.parent / path / "package.json").get("scripts")
        scripts = own if isinstance(own, dict) else {}
        said = next((f"{name}: {scripts[name]}" for name in _SCRIPTS if scripts.get(name)), "install")
        found.append({"package": path.rpartition("node_modules/")[2], "script": said[:300]})
    return found


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
