"""`matrix --mock`: recorded agents played to clients, each of which starts `acp-trace mock` as its agent."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from acp_trace.builds import grid
from acp_trace.builds.ahead import Ahead
from acp_trace.builds.clients import PlayedClient, played
from acp_trace.builds.judged import JudgedRun
from acp_trace.builds.kept import KeptFile
from acp_trace.builds.tools import Unavailable
from acp_trace.cli import common
from acp_trace.cli.errors import Misuse
from acp_trace.cli.matrix_run import Matrix, MatrixRequest
from acp_trace.cli.playable import Playable
from acp_trace.replay.drive.waits import result_of
from acp_trace.report.safe import safe

#: The settings of a replay that `mock` has, with their options.
_SETTINGS = {
    "match": "--match",
    "masks": "--mask",
    "pace": "--pace",
    "timeout": "--timeout",
    "unmatched": "--unmatched",
}


def options_of(settings: Mapping[str, Any]) -> list[str]:
    """The options of `mock` for these settings. Raises Misuse for one that it does not have."""
    from acp_trace.replay.declared import SETTINGS

    words: list[str] = []
    for keyword, value in settings.items():
        if value is None or value is False or value == []:
            continue
        if keyword not in _SETTINGS:
            raise Misuse(f"--{SETTINGS[keyword].key.replace('_', '-')} is not for --mock")
        for each in value if isinstance(value, list) else [value]:
            words += [_SETTINGS[keyword], str(each)]
    return words


class ClientMatrix(Matrix):
    """The cells of clients."""

    def __init__(self, asked: MatrixRequest, kept: KeptFile, options: Sequence[str], *, again: bool) -> None:
        super().__init__(asked, kept, again=again)
        self._options = options

    def _play(self, builds: Sequence[str], ahead: Ahead) -> None:
        """Plays to these clients, at most `jobs` at the same time."""
        stop = threading.Event()
        due = [(build, each) for build in builds for each in self._due(build)]
        argv = {build: ahead.get(build).argv for build in builds}
        times = self._asked.times
        with ThreadPoolExecutor(self._asked.jobs) as pool:
            try:
                futures: list[Future[JudgedRun]] = [
                    pool.submit(self._run, each, argv[build], stop)
                    for build, each in due
                    for _ in range(times)
                ]
                for at, (build, recording) in enumerate(due):
                    mine = futures[at * times : (at + 1) * times]
                    try:
                        runs = [result_of(future) for future in mine]
                    except Unavailable as error:
                        common.note(f"{safe(build)}: {safe(str(error))}")
                        self._take(grid.not_installed(recording.name, build, str(error)))
                        continue
                    self._take(grid.cell(recording.name, build, runs))
            finally:
                stop.set()
                pool.shutdown(cancel_futures=True)

    def _run(self, recording: Playable, argv: Sequence[str], stop: threading.Event) -> JudgedRun:
        name = recording.name if recording.path is None else str(recording.path.resolve())
        return played(PlayedClient(name, argv, self._options), stop)
