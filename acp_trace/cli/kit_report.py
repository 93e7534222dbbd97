"""A report of acp-tck, for `conform --tck`: its results, and its transcripts as evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from acp_trace.cli.errors import UNREADABLE, fail
from acp_trace.report.statements.kit import KitBeside

if TYPE_CHECKING:
    from acp_trace.conform.drive import Probed
    from acp_trace.conform.judge import Conformance
    from acp_trace.formats.reading.log import File
    from acp_trace.formats.reading.tck import TckResults


class KitReport:
    """The report in a file, read once. Ends the process with 2 or 3 if there is none."""

    def __init__(self, name: str) -> None:
        from acp_trace.api.importing import read_file
        from acp_trace.formats.reading.tck import results
        from acp_trace.trace.inputs import Unreadable
        from acp_trace.trace.os_errors import reason

        try:
            self._file: File = read_file(name)
        except Unreadable as error:
            fail(str(error), UNREADABLE)
        except OSError as error:
            raise typer.BadParameter(f"{name}: {reason(error)}", param_hint="--tck") from None
        found = results(self._file)
        if found is None:
            fail(f"{name} is not a report of acp-tck (`acp-tck --report-json FILE`)", UNREADABLE)
        self._said: TckResults = found

    def transcripts(self) -> Probed:
        """The tests that failed, each connection as a trace; all others have no transcript."""
        from acp_trace.conform.drive import Probed
        from acp_trace.conform.evidence import evidence
        from acp_trace.formats.reading import tck
        from acp_trace.formats.reading.log import NotThisFormat
        from acp_trace.formats.reading.trace_lines import traces
        from acp_trace.trace.parse import Parser

        probed = Probed([], [], [])
        try:
            logs = tck.read([self._file])
        except NotThisFormat:
            return probed
        for made in traces(logs, tck.NAME):
            entries = list(Parser().feed(made.data))
            name = made.log.labels["tck_test"]
            probed.traces.append(evidence(name, entries))
            probed.files.append((name, entries))
        return probed

    def beside(self, conformance: Conformance) -> KitBeside:
        """Its results beside our verdicts."""
        from acp_trace.conform.beside import beside

        said = self._said
        rows = beside(
            conformance.judged, [(each.id, each.status, each.why) for each in said.of_each], said.protocol
        )
        return KitBeside(said.tck_version, said.protocol, said.agent, said.is_conformant, rows)
