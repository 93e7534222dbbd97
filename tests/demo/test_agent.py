"""The demo's two programs where nobody follows the script."""

from __future__ import annotations

import json
import signal
import subprocess

from tests.support import DEADLINE_S, PYTHON, request

_AGENT = [*PYTHON, "-m", "acp_trace.demo.agent"]


def test_ctrl_c_while_a_permission_is_open() -> None:
    """Ends the agent. It once stayed, and with it the recorder: its turn waited for the answer."""
    with subprocess.Popen(
        _AGENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        prompt = [{"type": "text", "text": "Write a file"}]
        asked = request(1, "session/prompt", sessionId="demo-session-1", prompt=prompt)
        agent.stdin.write(json.dumps(asked).encode() + b"\n")
        agent.stdin.flush()
        while b"session/request_permission" not in agent.stdout.readline():
            pass
        agent.send_signal(signal.SIGINT)
        try:
            assert agent.wait(DEADLINE_S) == 130
        finally:
            agent.kill()


def test_a_client_without_an_agent() -> None:
    """One line that says how it is started."""
    done = subprocess.run(
        [*PYTHON, "-m", "acp_trace.demo.client"], capture_output=True, timeout=DEADLINE_S, check=False
    )
    assert (done.returncode, done.stderr) == (
        1,
        b"usage: python -m acp_trace.demo.client -- AGENT [ARGS]...\n",
    )
