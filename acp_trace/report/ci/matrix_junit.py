"""A matrix as JUnit XML: a suite for each recording, with a case for each build."""

from __future__ import annotations

from junitparser import TestCase, TestSuite

from acp_trace.builds.grid import Grid, GridCell
from acp_trace.report.ci.junit import document, failed, passed, seconds, suite_names, xml_text
from acp_trace.report.ci.places import Place
from acp_trace.report.statements.matrix import difference, verdict

_CLASS = "matrix"


def junit(grid: Grid) -> bytes:
    """The XML document."""
    names = suite_names([Place(trace, trace) for trace in grid.traces])
    suites = []
    for trace, name in zip(grid.traces, names, strict=True):
        suite = TestSuite(name)
        cells = [cell for cell in grid.listed if cell.trace == trace]
        suite.add_testcases([_case(cell, name) for cell in cells])
        suite.time = seconds(sum(cell.took_ns or 0 for cell in cells))
        suites.append(suite)
    return document("acp-trace matrix", suites)


def _case(cell: GridCell, suite: str) -> TestCase:
    name, class_ = xml_text(cell.build), f"{_CLASS}.{suite}"
    if cell.verdict == "passed":
        case = passed(name, class_)
    else:
        message = xml_text(": ".join(filter(None, (verdict(cell), difference(cell)))))
        kind = cell.first.code if cell.first is not None else cell.verdict
        case = failed(name, class_, _text(cell), message=message, kind=kind)
    case.time = seconds(cell.took_ns or 0)
    return case


def _text(cell: GridCell) -> str:
    lines = [difference(cell)]
    if cell.first is not None:
        for side, frame in (("expected", cell.first.expected), ("actual", cell.first.actual)):
            if frame is not None:
                lines.append(f"{side} #{frame.number} {frame.text}")
    lines += [f"run {trace}" for trace in cell.run_traces]
    return "\n".join(xml_text(line) for line in lines)
