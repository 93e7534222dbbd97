"""`acp-trace doctor`: where things are, and whether the clients of this machine reach the recorder."""

from __future__ import annotations

from typing import Any

import typer

from acp_trace.cli import common
from acp_trace.cli.errors import DIFFERS
from acp_trace.cli.where import SnippetOf, found, print_found, print_line, print_snippet


def doctor(
    client: SnippetOf = None,
    json: common.Json = False,
) -> None:
    """Show where files are; test that clients reach the recorder.

    Shows home, spool and store with their sizes, live traces, traces not yet imported, versions, and the
    recorder's command in a form that works in every client's environment. Then tests each recorder in the
    configuration of a client on this machine. The test starts the recorder in a minimal environment, as the
    client would, with a test agent in place of the real one. The test passes if the test agent's answer comes
    back. Exits with 1 if a test fails, or if nothing can be recorded here.
    """
    if client is not None:
        print_snippet(client, json=json)
        return
    from acp_trace.cli.client_checks import checked_entries

    places = found()
    if not json:
        print_found(places)
    entries = checked_entries()
    ok = places["problem"] is None and all(entry.problem is None for entry in entries)
    if json:
        rows = [
            {
                "client": entry.client,
                "file": str(entry.file),
                "agent": entry.agent,
                "ok": entry.problem is None,
                "problem": entry.problem,
            }
            for entry in entries
        ]
        common.print_json({**places, "clients": rows, "ok": ok})
    else:
        for label, text in zip(["clients", *[""] * len(entries)], map(_line, entries), strict=False):
            print_line(label, text)
        if not entries:
            print_line("clients", "none is set up: `acp-trace install CLIENT` puts the recorder into one")
    if not ok:
        raise typer.Exit(DIFFERS)


def _line(entry: Any) -> str:
    name = f"{entry.client}, {entry.agent}" if entry.agent else entry.client
    return f"! {name}: {entry.problem} ({entry.file})" if entry.problem else f"{name}: the recorder answers"
