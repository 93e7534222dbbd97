"""Where things are: for `acp-trace doctor`, and for `where`, its older name without the tests."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from acp_trace.cli import common

_MOST = 3  #: ids of a kind on the screen
#: The words for the rule about secrets behind the place; the default has none.
_RULES = {"refuse": "", "redact": ", without secrets", "keep": ", also with secrets"}

SnippetOf = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Show what to write into this client's configuration, and where."),
]


def where(
    client: SnippetOf = None,
    json: common.Json = False,
) -> None:
    """Show where files are, and the recorder's command: an older name of `doctor`, which also tests it.

    Home, spool and store with their sizes; live traces; traces not yet imported; versions. The command has
    the form that works from every client's environment.
    """
    if client is not None:
        print_snippet(client, json=json)
        return
    places = found()
    if json:
        common.print_json(places)
        return
    print_found(places)


def print_found(places: dict[str, Any]) -> None:
    """Prints what `found` returned, a line for each thing."""
    from acp_trace.report import units

    versions = [f"{name} {version}" for name, version in places["versions"].items()]
    for label, text in (
        ("home", "   ! ".join(filter(None, (places["home"], places["problem"], places["note"])))),
        ("spool", f"{places['spool']['path']}   {units.size(places['spool']['bytes'])}"),
        ("store", f"{places['store']['path']}   {units.size(places['store']['bytes'])}"),
        ("live", _some(places["live"])),
        ("to import", _some(places["waiting"])),
        *(zip(("push to", "", ""), _pushes(places["push"]), strict=False) if places["push"] else ()),
        ("versions", ", ".join(versions[:3])),
        ("", ", ".join(versions[3:])),
        ("recorder", places["recorder"]),
    ):
        print_line(label, text)


def print_line(label: str, text: str) -> None:
    """Prints one thing behind its name, unwrapped: paths and commands are to be copied whole."""
    from rich.text import Text

    from acp_trace.report.safe import safe
    from acp_trace.report.text import styles

    line = Text.assemble((f"{label:<10}", styles.FAINT), safe(text))
    common.console().print(line, soft_wrap=True)


def print_snippet(name: str, *, json: bool) -> None:
    """What to write into a client's configuration, with real paths; where, on stderr."""
    from acp_trace.cli.client_files import client_named, place_of
    from acp_trace.clients.snippets import snippet
    from acp_trace.report.safe import safe

    client = client_named(name)
    file, text = place_of(client), snippet(client, sys.executable)
    if json:
        common.print_json({"client": name, "file": None if file is None else str(file), "snippet": text})
        return
    if file is not None:
        print(f"in {safe(str(file))}; replace `opencode acp` with your agent's command:", file=sys.stderr)
    typer.echo(text, nl=False)


def _some(ids: list[str]) -> str:
    """The newest of them; all are in the JSON."""
    left = len(ids) - _MOST
    return ", ".join(ids[-_MOST:]) + (f" and {left} more" if left > 0 else "") or "none"


def _pushes(push: dict[str, Any]) -> list[str]:
    """Where recordings are pushed, and the results so far: a line for each kind."""
    from acp_trace.report import units

    place, refused = push["place"], push["refused"]
    lines = [f"{place} after each recording{_RULES[push['secrets']]}   {push['pushed']} pushed"]
    if refused:
        command = f"acp-trace team push {shlex.quote(place)} --redact"
        lines.append(f"! {refused} with secrets refused: {command}")
    if push["problem"]:
        lines.append(f"! {push['problem']} ({units.when(push['last'])})")
    return lines


def _push(home: Any) -> dict[str, Any] | None:
    from acp_trace.trace.names import PUSHES

    if not (home.path / PUSHES).exists():
        return None
    from acp_trace.places.door import team

    found = team("bucket.standing").standing(home)
    names = "place", "secrets", "since", "pushed", "refused", "last", "problem"
    return {name: getattr(found, name) for name in names} if found else None


def found() -> dict[str, Any]:
    """Return where things are, what is live or waits, and the versions, as `--json` prints it."""
    from importlib.metadata import version

    from acp_trace import __version__
    from acp_trace.store import schema
    from acp_trace.trace import capture_layout, document, own_python, spool
    from acp_trace.trace.names import home_note

    home = common.home()
    lying = spool.spooled(home.spool)
    return {
        "home": str(home.path),
        "problem": _problem(home.spool),
        "note": home_note(),
        "spool": {"path": str(home.spool), "bytes": sum(_size(one.path) for one in lying)},
        "store": {
            "path": str(home.store),
            "bytes": _size(home.store) + _size(home.store.with_name(home.store.name + ".wal")),
        },
        "live": [one.id for one in lying if one.live],
        "waiting": [one.id for one in lying if not one.live],
        "push": _push(home),
        "versions": {
            "acp-trace": __version__,
            "trace format": str(document.FORMAT),
            "capture": str(capture_layout.VERSION),
            "store layout": str(schema.VERSION),
            "duckdb": version("duckdb"),
            "python": sys.version.split()[0],
        },
        "recorder": shlex.join(own_python.module("acp_trace", "record", "--")),
    }


def _problem(home: Path) -> str | None:
    """Why nothing can be recorded there; None if recording is possible."""
    nearest = next(path for path in (home, *home.parents) if path.exists())
    if not nearest.is_dir():
        return f"{nearest} is not a directory: nothing can be recorded"
    if not os.access(nearest, os.W_OK | os.X_OK):
        return f"{nearest} cannot be written: nothing can be recorded"
    return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
