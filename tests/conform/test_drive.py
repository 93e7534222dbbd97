"""Small agents with one fault each: the requirements that fail are those, and no others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from acp_trace.conform.drive import CannotRun, ProbeSettings, Probing
from acp_trace.conform.judge import Conformance, judge
from acp_trace.conform.probes import PROBES
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.settings import Settings
from acp_trace.report.statements.conformance import is_silent

pytestmark = pytest.mark.slow

SMALL = Path(__file__).parent / "small_agent.py"
#: Time for the slowest process to answer, in ns.
LIMIT_NS = 6_000_000_000


def probed(fault: str, directory: Path, *names: str, login: str | None = None) -> Conformance:
    """What is said of the small agent with this fault."""
    settings = ProbeSettings(
        (sys.executable, str(SMALL), fault),
        cancel_prompt="HOLD",
        replay=Settings(timeout_ns=LIMIT_NS),
        traces=directory,
        login=login,
    )
    stop = Stop()
    try:
        made = Probing(settings, stop).run([each for each in PROBES if not names or each.name in names])
    finally:
        stop.close()
    return judge(made.traces, "agent", made.notes)


def failed(conformance: Conformance) -> set[str]:
    """The ids of the requirements that failed."""
    return {one.requirement.id for one in conformance.judged if one.status == "fail"}


def test_agent_that_conforms(tmp_path: Path) -> None:
    """All that is mandatory was exercised and passed, and nothing failed."""
    conformance = probed("", tmp_path)
    assert failed(conformance) == set()
    assert conformance.ok
    counts = conformance.counts()
    assert counts["mandatory"]["not-exercised"] == 0
    assert counts["capability"]["not-exercised"] == 0
    assert (conformance.name, conformance.version) == ("small", "1")
    assert {file.stem for file in tmp_path.iterdir()} >= {"initialize", "cancel", "load", "close-in-turn"}


@pytest.mark.parametrize(
    ("fault", "probes", "ids"),
    [
        ("crash", (), {"ACT-CRASH-001"}),
        ("hang", (), {"ACT-HANG-001", "ACP-INIT-001"}),
        ("wrong-id", (), {"ACP-JSONRPC-001"}),
        ("noise", ("initialize",), {"ACP-TRANSPORT-001"}),
        ("same-session", ("initialize", "sessions"), {"ACP-SESSION-002"}),
        (
            "ignores-cancel",
            ("initialize", "sessions", "prompt", "cancel"),
            {"ACP-CANCEL-001", "ACT-CANCEL-001"},
        ),
        ("cancel-error", ("initialize", "sessions", "prompt", "cancel"), {"ACP-CANCEL-001"}),
        ("late", ("initialize", "sessions", "prompt", "cancel"), {"ACP-CANCEL-002", "ACT-END-002"}),
        ("dies-of-input", ("initialize", "malformed-line"), {"ACT-INPUT-001"}),
        ("stays", ("initialize",), {"ACP-SHUTDOWN-001"}),
        ("wrong-mode", ("initialize", "sessions"), {"ACP-MODES-001"}),
        ("closes-output", ("initialize", "sessions", "prompt"), {"ACT-CRASH-001"}),
        ("loads-others", ("initialize", "sessions", "prompt", "load"), set()),
        ("loads-nothing", ("initialize", "sessions", "prompt", "load"), {"ACP-LOAD-001"}),
    ],
)
def test_one_fault(fault: str, probes: tuple[str, ...], ids: set[str], tmp_path: Path) -> None:
    """A fault fails what it breaks, with a trace and a frame to look at, and nothing that follows from it."""
    conformance = probed(fault, tmp_path, *probes)
    assert failed(conformance) == ids
    for one in conformance.judged:
        if one.status == "fail":
            assert one.trace is not None
            assert Path(one.trace).is_file()
            assert one.frame


@pytest.mark.parametrize(("fault", "tried"), [("needs-login", "sessions"), ("model-away", "prompt")])
def test_what_cannot_be_tried(fault: str, tried: str, tmp_path: Path) -> None:
    """Without a login or a model, what depends on it is not exercised; nothing fails."""
    conformance = probed(fault, tmp_path)
    assert failed(conformance) == set()
    status = {one.requirement.id: one.status for one in conformance.judged}
    assert status["ACP-INIT-001"] == "pass"
    assert status["ACP-CANCEL-001"] == status["ACP-PROMPT-001"] == "not-exercised"
    assert (status["ACP-SESSION-001"] == "pass") == (tried == "prompt")
    assert any("cancel" in note for note in conformance.notes)


def test_a_login(tmp_path: Path) -> None:
    """Each conversation logs in first, but for those about initialize; then everything is exercised."""
    conformance = probed("needs-login", tmp_path, login="web")
    assert failed(conformance) == set()
    assert conformance.notes == ()
    status = {one.requirement.id: one.status for one in conformance.judged}
    assert {status[f"ACP-{id_}-001"] for id_ in ("SESSION", "PROMPT", "CANCEL", "LOAD", "DELETE")} == {"pass"}
    assert status["ACP-INIT-003"] == status["ACP-AUTH-003"] == "pass"
    without = {file.stem for file in tmp_path.iterdir() if b'"authenticate"' not in file.read_bytes()}
    assert without == {"initialize", "version"}


def test_a_refused_login(tmp_path: Path) -> None:
    """The report says so once, and nothing fails."""
    conformance = probed(
        "needs-login", tmp_path, "initialize", "unknown-method", "sessions", "prompt", login="x"
    )
    assert failed(conformance) == set()
    assert [note for note in conformance.notes if "login" in note] == [
        "login x: refused, Method not found (-32601)"
    ]


def test_a_prompt_without_an_answer(tmp_path: Path) -> None:
    """The note quotes the request that was to work, not the refusal of one that was to fail."""
    conformance = probed("mute", tmp_path, "initialize", "sessions", "prompt", "unknown-session", "meta")
    assert failed(conformance) == {"ACT-HANG-001"}
    assert conformance.notes == (
        "meta: needs a prompt that is answered, and session/prompt was not answered",
    )


def test_an_agent_that_ends_before_it_says_anything(tmp_path: Path) -> None:
    """Perhaps its command is wrong, or its directory: the report says so, and what it wrote to stderr."""
    conformance = probed("does-not-start", tmp_path)
    assert (failed(conformance), is_silent(conformance)) == ({"ACT-CRASH-001"}, True)
    why, nothing_else = conformance.notes
    assert "exit code 3" in why
    assert "`--agent-cwd DIR` sets another directory" in why
    assert "nothing else was tried" in nothing_else


def test_no_agent(tmp_path: Path) -> None:
    """A command that does not exist is no fault of an agent."""
    settings = ProbeSettings((str(tmp_path / "nothing"),), traces=tmp_path)
    stop = Stop()
    try:
        with pytest.raises(CannotRun, match="cannot start the agent"):
            Probing(settings, stop).run()
    finally:
        stop.close()
