"""The document of `acp-trace matrix --json`, a public interface (docs/builds.md)."""

from __future__ import annotations

from typing import Any

import msgspec

from acp_trace.builds.grid import Grid, GridCell, median_of

VERSION = 1


def document(grid: Grid) -> dict[str, Any]:
    """The document, ready for msgspec.json.encode."""
    return {
        "acp_trace_matrix": VERSION,
        "passed": grid.exit_code == 0 and not grid.missing,
        "missing": grid.missing,
        "traces": list(grid.traces),
        "builds": [_build(grid, build) for build in grid.builds],
        "cells": [_cell(grid, cell) for cell in grid.listed],
    }


def _build(grid: Grid, build: str) -> dict[str, Any]:
    cells = grid.of_build(build)
    return {
        "name": build,
        "cells": len(cells),
        "passed": sum(cell.verdict == "passed" for cell in cells),
        "turn_ns": median_of(cells, "turn_ns"),
        "tokens": median_of(cells, "tokens"),
    }


def _cell(grid: Grid, cell: GridCell) -> dict[str, Any]:
    return {
        "trace": cell.trace,
        "build": cell.build,
        "verdict": cell.verdict,
        "change": grid.mark(cell),
        "runs": cell.runs,
        "passed": cell.passed,
        "code": None if cell.first is None else cell.first.code,
        "divergence": None if cell.first is None else msgspec.to_builtins(cell.first),
        "why": cell.why,
        "duration_ns": cell.took_ns,
        "turn_ns": cell.turn_ns,
        "tokens": cell.tokens,
        "run_traces": list(cell.run_traces),
    }
