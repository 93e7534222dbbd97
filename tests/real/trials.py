"""The scenarios that are more than one session: replays of builds that went wrong, `mock`, `--watch`.

Each gives its faults as lines of text; none is as it should be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.real import installing, logs, mocking, packages, watching
from tests.real.agents import PY_SDK, TS_SDK, Agent
from tests.real.client import drive, recorder
from tests.real.network import trials as network
from tests.real.processes import Deadline
from tests.real.replaying import replay
from tests.real.scenarios import PY_WORK

#: What the faults of py_agent.py are told by: the code of the first divergence.
_FAULTS = {
    "deaf": "cancel-outcome",
    "unasked": "permission-missing",
    "twice": "request-twice",
    "late": "update-after-stop",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One of them."""

    name: str
    what: str
    agent: Agent
    play: Callable[[Path, Deadline], list[str]]
    installs: tuple[Callable[[], Path], ...] = ()  #: what it needs beside the agent, as `Agent.install`


def _faulty_builds(folder: Path, deadline: Deadline) -> list[str]:
    """Records the agent as it is, and replays that to four builds of it, each with a fault of its own."""
    recorded = drive(PY_WORK, folder / "recorded", deadline, recorder(PY_WORK))
    if recorded.file is None:
        return ["the agent was not recorded"]
    faults = []
    for fault, code in _FAULTS.items():
        agent = (*PY_SDK.command, "--fault", fault)
        verdict = replay(PY_WORK, recorded.file, folder / fault, deadline, agent)
        if (verdict.exit_code, verdict.codes[:1]) != (1, (code,)):
            faults += [f"{fault}: exit {verdict.exit_code}, {verdict.codes}, in place of 1, {code}"]
    return faults


TRIALS: tuple[Trial, ...] = (
    Trial(
        name="faulty-builds",
        what="four builds of the Python SDK agent with a fault: each replay fails, with the fault's own code",
        agent=PY_SDK,
        play=_faulty_builds,
    ),
    Trial(
        name="mock-acpx",
        what="acpx with two agents, and with `mock` in their places: it prints the same",
        agent=TS_SDK,
        play=mocking.acpx,
    ),
    Trial(
        name="mock-py-sdk",
        what="the Python SDK's client with an agent, and with `mock --sessions 2`: two sessions at once",
        agent=PY_SDK,
        play=mocking.two_sessions,
    ),
    Trial(
        name="mock-something-new",
        what="the same client asks for what was not recorded: an error that says so, and a divergence",
        agent=PY_SDK,
        play=mocking.something_new,
    ),
    Trial(
        name="install-acpx",
        what="acpx with the recorder in its configuration: it records, and the file comes back to the byte",
        agent=PY_SDK,
        play=installing.acpx,
    ),
    Trial(
        name="log-acpx",
        what="acpx keeps a journal while its agents are recorded: `import` makes what we recorded of it",
        agent=PY_SDK,
        play=logs.acpx,
    ),
    Trial(
        name="log-tee",
        what="`tee` before and behind an agent that is recorded: `import` makes what we recorded of the two files",
        agent=PY_SDK,
        play=logs.tee,
    ),
    Trial(
        name="log-toad",
        what="Toad keeps its log while its agent is recorded: `import` makes what we recorded of it",
        agent=PY_SDK,
        play=logs.toad,
        installs=(lambda: packages.python_314(packages.TOAD),),
    ),
    Trial(
        name="log-mitmproxy",
        what="mitmproxy saves flows and an HTTP archive of recorded requests: `import` makes what we recorded",
        agent=PY_SDK,
        play=logs.mitmproxy,
        installs=(lambda: packages.python(packages.MITMPROXY),),
    ),
    Trial(
        name="watch",
        what="an agent is built anew, with a fault and without: `replay --watch` says what it is now",
        agent=PY_SDK,
        play=watching.rebuilt,
    ),
    *(
        Trial(name=name, what=network.what(pair), agent=pair.server, play=network.play(name))
        for name, pair in network.PAIRS.items()
    ),
)
