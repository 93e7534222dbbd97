"""`acp_replay` in a test."""

from __future__ import annotations

import pytest

import acp_trace.api
from acp_trace.plugin import AcpReplay, Result
from acp_trace.transport.endpoint import Endpoint
from acp_trace.transport.headers import value
from acp_trace.transport.serving import Receive, Scope, Send
from tests.plugin.project import Project
from tests.transport.background import served
from tests.transport.talk import Agent, recording

pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(pytester, monkeypatch)


def test_a_replay_that_passes_gives_its_result(project: Project) -> None:
    """Frozen, with what was compared."""
    project.test(
        "found = acp_replay('traces/hi.jsonl', agent=AGENT, match='exact', pace='causal', timeout=30,"
        " unmatched='fail', budgets=['turn.duration max < 30s'])\n"
        "    assert (found.passed, found.died, found.steps, found.sent) == (True, False, 3, 3)\n"
        "    assert (found.counts.recorded, found.counts.compared, found.counts.unmatched) == (7, 7, 0)\n"
        "    assert found.comparison.divergences == []\n"
        "    assert found.comparison.got.id == found.trace_id\n"
        "    assert found.report.startswith('passed  traces/hi.jsonl')\n"
    )
    project.run()


def test_a_replay_that_differs_fails_with_the_report(project: Project) -> None:
    """And without a traceback."""
    project.test("acp_replay('traces/hi.jsonl', agent=[*AGENT, '--stop', 'refusal'])")
    out = project.run(code=1)
    assert "\nFAILED  traces/hi.jsonl  " in out
    assert "FAILED test_it.py::test_it - Failed: stop-reason: turn 0: stopR" in out
    assert "acp_replay(" not in out


def test_without_check_the_result_is_for_the_test_to_judge(project: Project) -> None:
    """Whatever became of the replay."""
    project.test(
        "one = acp_replay('traces/hi.jsonl', agent=[*AGENT, '--stop', 'refusal'], check=False)\n"
        "    assert (one.passed, one.died) == (False, False)\n"
        "    assert [x.code for x in one.comparison.failing] == ['stop-reason']\n"
        "    one = acp_replay('traces/hi.jsonl', agent=[*AGENT, '--die'], check=False)\n"
        "    assert (one.passed, one.died) == (False, True)\n"
        "    one = acp_replay('traces/hi.jsonl', agent=AGENT, masks=['/result/x'], check=False)\n"
        "    assert (one.passed, one.comparison.equal) == (False, True)\n"
    )
    project.run()


def test_arguments_come_before_the_settings_beside_the_trace(project: Project) -> None:
    """Those that the test does not give hold; masks are added."""
    project.replays("match = 'exact'", 'mask = "/params/update/content/text"')
    project.test(
        "found = acp_replay('traces/hi.jsonl', masks=['/result/stopReason'])\n"
        "    assert found.comparison.match == 'exact'\n"
        "    assert [one.mask for one in found.comparison.masks]"
        " == ['/params/update/content/text', '/result/stopReason']\n"
        "    assert acp_replay('traces/hi.jsonl', match='outcome', check=False).comparison.match == 'outcome'\n"
    )
    project.run("test_it.py")


def test_paths_are_seen_from_the_test_then_from_rootdir(project: Project) -> None:
    """The trace and the folders."""
    (project.path / "tests/files").mkdir(parents=True)
    body = "acp_replay({!r}, agent=AGENT, workspace='files')"
    project.test(body.format("traces/hi.jsonl"), "tests/test_root.py")
    project.test(body.format("../traces/hi.jsonl"), "tests/test_own.py")
    assert "2 passed" in project.run("tests")


def test_an_agent_may_be_a_path(project: Project) -> None:
    """A program without arguments, and words that are paths."""
    project.test(
        "import pathlib, sys\n"
        "    acp_replay('traces/hi.jsonl', agent=[pathlib.Path(sys.executable), pathlib.Path('agent.py')])\n"
        "    assert acp_replay('traces/hi.jsonl', agent='no-such-agent', check=False).died\n"
    )
    project.run()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("'traces/bye.jsonl', agent=AGENT", "bye.jsonl: No such file or directory"),
        ("'traces/hi.jsonl'", "no agent for traces/hi.jsonl: give `agent=[…]` or `url=…`"),
        ("'traces/hi.jsonl', agent=AGENT, url='http://127.0.0.1'", "give either agent or url"),
        (
            "'traces/hi.jsonl', url='http://192.0.2.1'",
            "give --allow-remote (allow_remote) if that is intended",
        ),
        ("'traces/hi.jsonl', url='http://127.0.0.1', headers=['X']", "'NAME: VALUE'"),
        ("'traces/hi.jsonl', url='https://127.0.0.1', ca='no.pem'", "no.pem: No such file or directory"),
        (
            "'traces/hi.jsonl', agent=AGENT, headers=['X: y']",
            "header works only with url: give url, or leave header out",
        ),
        (
            "'traces/hi.jsonl', agent=AGENT, match='x'",
            "match is 'x': it must be one of outcome, semantic, content, exact",
        ),
        ("'traces/hi.jsonl', agent=AGENT, cwd='x'", "cwd: there is no directory"),
        ("'traces/hi.jsonl', agent=AGENT, model='recorded'", "hi.jsonl does not have the model's side"),
        ("'traces/hi.jsonl', agent=AGENT, masks=['x']", "\n    x\n    ^"),
    ],
)
def test_what_cannot_be_asked_for(project: Project, given: str, said: str) -> None:
    """One line, or two with a caret, and no traceback."""
    project.test(f"acp_replay({given}, check=False)")
    out = project.run(code=1)
    assert "acp_replay: " in out
    assert said in out
    assert "Traceback" not in out
    assert "During handling" not in out


@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_an_agent_at_a_url(project: Project, scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the command has it: the report names it, a key is sent; `--acp-agent` takes its place."""
    project.write("traces/served.jsonl", recording().decode())
    endpoint, keys = Endpoint(Agent()), set[str]()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        keys.add(value(scope["headers"], b"x-key"))
        await endpoint(scope, receive, send)

    monkeypatch.setenv("KEY", "k3y")
    with served(guarded) as address:
        url = f"{scheme}://{address}"
        project.test(
            f"found = acp_replay('traces/served.jsonl', url='{url}', headers=['X-Key: ${{KEY}}'])\n"
            "    assert (found.passed, found.steps, found.sent) == (True, 7, 7)\n"
        )
        project.run()
        project.run("--acp-agent", "no-such-agent", code=1)
    assert keys == {"k3y"}


def test_one_command_for_all(project: Project) -> None:
    """`--acp-agent` is in place of what tests name, too."""
    project.test("acp_replay('traces/hi.jsonl', agent=['no-such-agent'])")
    project.run(code=1)
    project.run("--acp-agent", "python agent.py")


def test_it_can_be_annotated() -> None:
    """With names that the package gives."""
    assert AcpReplay.__call__.__annotations__["return"] == "Result"
    assert Result is acp_trace.api.Replay
