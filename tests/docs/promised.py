"""The names that others rely on (docs/versioning.md), as they are now: kind -> names.

`python -m tests.docs.promised` adds what is new to promised.json. It takes nothing away: what is gone there
is a promise that is broken, and is taken out by hand, with a line in CHANGELOG.md.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
from pathlib import Path
from typing import Any

import typer.main

import acp_trace
from acp_trace import api, plugin
from acp_trace.analyze import findings
from acp_trace.analyze.budgets import metrics
from acp_trace.builds import bisection
from acp_trace.cli import errors
from acp_trace.cli.app import app
from acp_trace.compare import codes as divergences
from acp_trace.plugin.result import Result
from acp_trace.replay import incidents, settings
from acp_trace.report import model
from acp_trace.report.json import check as check_document
from acp_trace.report.json import conform as conform_document
from acp_trace.report.json import diff as diff_document
from acp_trace.report.json import matrix as matrix_document
from acp_trace.report.json import replay as replay_document
from acp_trace.report.json import report as document
from acp_trace.report.json import session as session_document
from acp_trace.store import schema
from acp_trace.trace import capture_layout
from acp_trace.trace import document as lines

FILE = Path(__file__).with_name("promised.json")


def now() -> dict[str, list[str]]:
    """What there is."""
    commands: dict[str, Any] = typer.main.get_command(app).flat()  # type: ignore[attr-defined]
    options = [
        f"{name} {option}"
        for name, command in commands.items()
        for one in command.params
        for option in (*one.opts, *one.secondary_opts)
        if option.startswith("-")
    ]
    classes = inspect.getmembers(model, inspect.isclass)
    shapes = [shape for _, shape in classes if dataclasses.is_dataclass(shape)]
    found = {
        "versions": [
            f"trace {lines.FORMAT}",
            f"capture {capture_layout.VERSION}",
            f"store {schema.VERSION}",
            f"acp_trace_report {document.VERSION}",
            f"acp_trace_session {session_document.VERSION}",
            f"acp_trace_check {check_document.VERSION}",
            f"acp_trace_conform {conform_document.VERSION}",
            f"acp_trace_diff {diff_document.VERSION}",
            f"acp_trace_replay {replay_document.VERSION}",
            f"acp_trace_matrix {matrix_document.VERSION}",
            f"acp_trace_bisect {bisection.VERSION}",
        ],
        "commands": list(commands),
        "options": options,
        "exit codes": [
            f"{name} {value}"
            for name, value in vars(errors).items()
            if name.isupper() and isinstance(value, int)
        ],
        "findings": list(findings.codes.CODES),
        "divergences": list(divergences.CODES),
        "codes of a run": list(incidents.RUN_CODES),
        "metrics": list(metrics.METRICS),
        "settings": list(settings.KEYS),
        "report": [f"{shape.__name__}.{field}" for shape in shapes for field in _fields(shape)],
        "store": [
            *(f"{table.name}.{column.name}" for table in schema.TABLES for column in table.columns),
            *(f"{view.name}.{column.name}" for view in schema.VIEWS for column in view.columns),
        ],
        "python": [
            *(f"acp_trace.{name}" for name in acp_trace.__all__),
            *(f"acp_trace.api.{name}" for name in api.__all__),
            *(f"acp_trace.api.{name}.{member}" for name in api.__all__ for member in _members(api, name)),
            *(f"acp_trace.plugin.{name}" for name in plugin.__all__),
            *(f"acp_trace.plugin.Result.{field}" for field in _fields(Result)),
        ],
    }
    return {kind: sorted(set(names)) for kind, names in found.items()}


def promised() -> dict[str, list[str]]:
    """What was written down."""
    found: dict[str, list[str]] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return found


def _members(module: Any, name: str) -> list[str]:
    """The public fields, properties and methods of a class that is not an exception."""
    of = getattr(module, name)
    if not inspect.isclass(of) or issubclass(of, Exception):
        return []
    return [member for member in {*dir(of), *_fields(of)} if not member.startswith("_")]


def _fields(shape: Any) -> list[str]:
    return [one.name for one in dataclasses.fields(shape)] if dataclasses.is_dataclass(shape) else []


if __name__ == "__main__":
    before = promised()
    both = {kind: sorted({*names, *before.get(kind, [])}) for kind, names in now().items()}
    FILE.write_text(json.dumps(both, indent=1) + "\n", "utf-8")
