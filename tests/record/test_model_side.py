"""The recorder with a proxy to the agent's model: processes, from the first to the last."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import typer

pytest.importorskip("cryptography")

from acp_trace.cli import record as command
from acp_trace.model.recorded_environment import recorded_environment
from acp_trace.record import agents, model_side, recorder
from acp_trace.system.choice import VARIABLE
from acp_trace.system.processes import KILL
from tests.model.writing import read_trace
from tests.support import Home, Recording, agent, until

_PLANTED = ("sk-environment-0001", "header-key-0002", "query-key-0003", "said-back-0004")
_ANSWER = b'data: {"choices":[{"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n\n'

#: Asks its model whatever the client says, and says what it answers.
_AGENT = agent(
    "import urllib.request\n"
    'body = b\'{"model":"m","messages":[%b]}\'\n'
    "headers = {'x-api-key': 'header-' + 'key-0002', 'content-type': 'application/json', 'x-note': 'header-' + 'key-0002'}\n"
    "say(os.environ['HTTPS_PROXY'].rpartition(':')[2] + '\\n')\n"
    "for line in lines:\n"
    "    said = b'\"sk-environment' + b'-0001 query-' + b'key-0003 ' + line.strip() + b'\"'\n"
    "    url = 'https://api.model.example/v1/chat/completions?key=query-' + 'key-0003'\n"
    "    try:\n"
    "        answer = urllib.request.urlopen(urllib.request.Request(url, body % said, headers)).read()\n"
    "        say(b'%d\\n' % len(answer))\n"
    "    except OSError as error: say('cannot: ' + str(error) + '\\n')\n"
)


class _Model(BaseHTTPRequestHandler):
    """Answers every request alike."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("set-cookie", "id=said-back-0004")
        self.end_headers()
        self.wfile.write(_ANSWER)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def model() -> Iterator[int]:
    """The port of a stand-in."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Model) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_port
        server.shutdown()


def _start(home: Home, model: int, *options: str, env: Mapping[str, str] | None = None) -> Recording:
    given = {
        **(env or {}),
        "ACP_TRACE_MODEL_MAP": f"api.model.example=http://127.0.0.1:{model}",
        "SOME_API_KEY": _PLANTED[0],
    }
    return home.start(_AGENT, "--model", *options, env=given)


def _is_listening(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5):
        return True
    return False


def _proxy_of(recording: Recording) -> int:
    """The process that the recorder has started first."""
    pid = recording.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    (proxy,) = (int(one) for one in children if b"model.proxy" in Path(f"/proc/{one}/cmdline").read_bytes())
    return proxy


@pytest.mark.parametrize("system", ["", pytest.param("portable", marks=pytest.mark.slow)])
def test_a_session_with_its_model(home: Home, tmp_path: Path, model: int, system: str) -> None:
    """All that was said is in the trace, no secret in any file; every command reads it; nothing runs on."""
    out = tmp_path / "t.jsonl"
    with _start(home, model, "--out", str(out), env={VARIABLE: system}) as recording:
        port = int(recording.hear())
        for n in range(3):
            recording.say(b"%d said-back-0004\n" % n)
            assert recording.hear() == b"%d\n" % len(_ANSWER)
        live = read_trace(out)
        assert (recording.finish()[1:]) == (b"", 0)
    assert not _is_listening(port)
    environment = recorded_environment(read_trace(out).notes)
    assert environment.directories["ACP_TRACE_HOME"] == str(home.path)
    assert "SOME_API_KEY" in environment.secrets
    exchanges = read_trace(out).exchanges
    assert [exchange.response_body for exchange in exchanges.values()] == [_ANSWER] * 3
    bodies = [exchange.request_body for exchange in exchanges.values()]
    # The cookie was not known yet: it was cut at the end, by as many other bytes.
    assert bodies[0] == b'{"model":"m","messages":["<cut> <cut> 0 <cut>---------"]}'
    assert bodies[2] == b'{"model":"m","messages":["<cut> <cut> 2 <cut>"]}'
    assert exchanges[1].path == "/v1/chat/completions?key=<cut>"
    assert live.exchanges[1].request_body == bodies[0].replace(b"<cut>---------", b"said-back-0004")
    assert b'"late_secrets":{"cut":1,"left":0}' in out.read_bytes()
    said = [line for line in out.read_bytes().splitlines() if b'"model":' in line]
    assert not any(b"said-back" in line for line in said[1:])
    for path in (path for path in (*home.path.rglob("*"), *tmp_path.rglob("*")) if path.is_file()):
        held = path.read_bytes()
        assert not any(secret.encode() in held for secret in _PLANTED[:3]), path
        assert path.stat().st_mode & 0o077 == 0 or path.parent.name != "model", path
    lines = out.read_bytes()
    home.run("show", str(out))
    home.run("frames", str(out))
    home.run("load", str(out))
    assert home.run("export", "last").encode() == lines
    home.run("redact", str(out), "--out", str(tmp_path / "r.jsonl"))
    redacted = read_trace(tmp_path / "r.jsonl").exchanges
    assert [exchange.request_body for exchange in redacted.values()] == bodies


@pytest.mark.parametrize("number", [signal.SIGTERM, KILL])
def test_the_proxy_ends_with_its_recorder(home: Home, model: int, number: int) -> None:
    """However that ends; and what was recorded until then is in the trace."""
    with _start(home, model) as recording:
        port = int(recording.hear())
        recording.say(b"x\n")
        recording.hear()
        (path,) = home.spooled()
        until(lambda: [each.status for each in read_trace(path).exchanges.values()] == [200], "the answer")
        recording.process.send_signal(number)
        recording.process.wait(30)
        until(lambda: not _is_listening(port), "the proxy to end")
    assert [exchange.status for exchange in read_trace(path).exchanges.values()] == [200]


def test_a_base_url(home: Home, model: int) -> None:
    """The agent asks another one, in the variable that was named, and in one of ours."""
    code = (
        "import urllib.request\n"
        "url = os.environ['SOME_URL']\n"
        "assert url == os.environ['ACP_TRACE_MODEL_BASE']\n"
        "urllib.request.urlopen(urllib.request.Request(url + '/messages', b'{\"messages\":[]}')).read()\n"
    )
    base = f"SOME_URL=http://127.0.0.1:{model}/v1"
    with home.start(agent(code), "--model-base", base) as recording:
        assert recording.finish()[1:] == (b"", 0)
    (exchange,) = read_trace(home.spooled()[0]).exchanges.values()
    assert (exchange.path, exchange.request_body) == ("/v1/messages", b'{"messages":[]}')
    assert exchange.response_body == _ANSWER


@pytest.mark.parametrize("is_off", [False, True])
def test_a_base_url_that_is_there_already(home: Home, model: int, *, is_off: bool) -> None:
    """One on this machine is behind no proxy, so it is led through it, unless that is switched off."""
    code = (
        "import urllib.request\n"
        "url = os.environ['OPENAI_BASE_URL'] + '/chat/completions'\n"
        "urllib.request.urlopen(urllib.request.Request(url, b'{\"messages\":[]}')).read()\n"
    )
    url = f"http://127.0.0.1:{model}/v1"
    options = ["--model-base", "off"] if is_off else ["--model"]
    with home.start(agent(code), *options, env={"OPENAI_BASE_URL": url}) as recording:
        assert recording.finish()[1:] == (b"", 0)
    seen = read_trace(home.spooled()[0])
    bases = recorded_environment(seen.notes).bases
    assert [(base.name, base.url) for base in bases] == ([] if is_off else [("OPENAI_BASE_URL", url)])
    bodies = [exchange.response_body for exchange in seen.exchanges.values()]
    assert bodies == ([] if is_off else [_ANSWER])


_ASKS = "import urllib.request\nurllib.request.urlopen(os.environ['SOME_URL'] + '%s', b'{}').read()\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("", b"no model calls were recorded (no requests): the agent bypasses the proxy"),
        (
            _ASKS % "/status",
            b"no model calls were recorded (1 request): the agent's requests to its model",
        ),
        (_ASKS % "/v1/messages", b""),
    ],
)
def test_no_call_of_a_model(home: Home, tmp_path: Path, model: int, code: str, said: bytes) -> None:
    """One line at the end says what was seen, if there was a prompt; `show` and `model` say it, too."""
    base, out = f"SOME_URL=http://127.0.0.1:{model}", tmp_path / "t.jsonl"
    prompt = b'{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}\n'
    for asked in (prompt, b""):
        with home.start(
            agent(code + "for line in lines: pass\n"), "--model-base", base, "--out", str(out)
        ) as recording:
            recording.say(asked)
            _, told, status = recording.finish()
        assert status == 0
        assert told.startswith(b"acp-trace: " + said) if asked and said else told == b""
        if asked and said:
            words = said.decode().partition(" (")[0]
            assert f"! {words}" in home.run("show", str(out))
            shown = home.outcome("model", str(out))
            assert words.encode() in shown.stderr
        out.unlink()


def test_a_proxy_that_dies_is_told(home: Home, model: int) -> None:
    """The agent gets an error when it asks its model, and goes on; the trace and stderr say why."""
    with _start(home, model) as recording:
        recording.hear()
        os.kill(_proxy_of(recording), KILL)
        until(lambda: any("proxy" in note for _, note in read_trace(home.spooled()[0]).notes), "the note")
        recording.say(b"x\n")
        assert recording.hear().startswith(b"cannot: ")
        _, err, code = recording.finish()
    assert (b"has died" in err, code) == (True, 0)


def _begins_with(tmp_path: Path, said: str, code: int = 0) -> str:
    """A program in place of Python that says this as a proxy would, and waits for its end."""
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nprintf "{said}"\ncat >/dev/null\nexit {code}\n')
    script.chmod(0o755)
    return str(script)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc has the command lines")
def test_the_settings_are_not_in_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other users of the machine can read it; the settings may contain keys, and be longer than a pipe holds."""
    monkeypatch.setenv("ACP_TRACE_HOME", str(tmp_path))
    words = {
        "started": 0,
        "everything": False,
        "hosts": "",
        "bases": [],
        "environment": {"SOME_API_KEY": _PLANTED[0], "LONG": "x" * (1 << 20)},
    }
    side = model_side.ModelSide(words)
    try:
        argv = Path(f"/proc/{side._process.pid}/cmdline").read_bytes()
    finally:
        side.end()
    assert argv.endswith(b"\0-m\0acp_trace.model.proxy\0")


def test_what_leads_to_the_proxy_is_set_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A base URL of the same name does not lead the agent's traffic around it."""
    monkeypatch.setenv("ACP_TRACE_HOME", str(tmp_path))
    names = ("NO_PROXY", "HTTPS_PROXY", "SSL_CERT_FILE", "MY_URL")
    words = {
        "started": 0,
        "everything": False,
        "hosts": "",
        "bases": [f"{name}=http://h/x" for name in names],
    }
    side = model_side.ModelSide(words)
    side.end()
    assert [name for name in names if side.environment[name].endswith("/x")] == ["MY_URL"]


def _spelt(words: str) -> str:
    """The first record of a proxy, for printf."""
    from acp_trace.trace.capture_layout import RECORDER, beside

    return "".join(f"\\{byte:03o}" for byte in beside(0, RECORDER, 0, words.encode()))


@pytest.mark.parametrize("code", [0, 1])
def test_a_death_that_is_read_only_at_the_end_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """The agent may have ended by then: what the proxy ended with says whether it was asked to."""
    monkeypatch.setattr(sys, "executable", _begins_with(tmp_path, _spelt("A=b"), code))
    said, written = list[str](), list[bytes]()

    class _Sink:
        def write_beside(self, *block: Any) -> bool:
            written.append(block[-1])
            return True

    side = model_side.ModelSide({})
    side.attach(_Sink(), said.append)  # type: ignore[arg-type]
    side.end()
    assert (len(said), written) == (code, [b'{"proxy":{"died":true}}'] * code)


def test_a_warning_of_the_proxy_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Before the agent is started, in one line."""
    monkeypatch.setenv("A", "")
    monkeypatch.setattr(sys, "executable", _begins_with(tmp_path, _spelt("?the key is exposed\0A=b")))
    side, why = recorder._model_side({})
    assert side is not None
    side.end()
    assert (os.environ["A"], why) == ("b", "")
    assert capfd.readouterr().err == "acp-trace: the key is exposed\n"


def test_what_is_not_installed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """In one line, with what to do; the agent is not started, and the exit code says that it was asked wrongly."""
    monkeypatch.setattr(sys, "executable", _begins_with(tmp_path, _spelt("!missing h11")))
    codes: list[int] = []
    monkeypatch.setattr(agents, "leave", codes.append)
    with pytest.raises(model_side.Lacking):
        recorder.record(["true"], out=None, labels={}, load=False, model={})
    assert codes == [2]
    told = "acp-trace: recording the model's side needs more packages: pip install 'acp-trace[model]'\n"
    assert capfd.readouterr().err == told


@pytest.mark.parametrize("said", ["", _spelt("!failed No space left on device")])
def test_a_proxy_that_cannot_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    """Why, for the trace; the agent is started without it."""
    monkeypatch.setattr(sys, "executable", _begins_with(tmp_path, said) if said else "/bin/false")
    side, why = recorder._model_side({})
    assert (side, why) == (None, "No space left on device" if said else "its proxy cannot be started")


def test_a_proxy_that_never_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended, also if it does not read its settings, which fill the pipe."""
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexec sleep 600\n")
    silent.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(silent))
    monkeypatch.setattr(model_side, "_START_S", 0.1)
    assert recorder._model_side({"long": "x" * (1 << 20)}) == (None, "its proxy did not start")


@pytest.mark.parametrize(
    ("hosts", "bases", "problem"),
    [
        ("api.openai.com", [], "is not HOST=URL"),
        ("a=ftp://b", [], "is not an http:// or https:// URL"),
        ("a=http://b:x", [], "is not an http:// or https:// URL"),
        ("a=http://b/v1", [], "has a path"),
        ("", ["nonsense"], "is not an http:// or https:// URL"),
        ("", ["1X=http://a"], "is not the name of a variable"),
        ("", ["X#a=http://a"], "is not the name of a variable"),
    ],
)
def test_settings_that_mean_nothing(
    monkeypatch: pytest.MonkeyPatch, hosts: str, bases: list[str], problem: str
) -> None:
    """They are refused before anything is started."""
    monkeypatch.setenv("ACP_TRACE_MODEL_MAP", hosts)
    with pytest.raises(typer.BadParameter, match=problem):
        command.model_words(bases, everything=False)


def test_the_variable_asks_for_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """`ACP_TRACE_MODEL=1`, for clients whose configuration takes no arguments; `0` asks for nothing."""
    from acp_trace.cli import start

    asked: list[Any] = []
    monkeypatch.setattr(recorder, "record", lambda *_, **more: asked.append(more.get("model")))
    monkeypatch.setattr(sys, "argv", ["acp-trace", "record", "--", "true"])
    monkeypatch.delenv("ACP_TRACE_MODEL_MAP", raising=False)
    for value in ("1", "0", ""):
        monkeypatch.setenv("ACP_TRACE_MODEL", value)
        with contextlib.suppress(SystemExit):
            start.main()
    monkeypatch.setenv("ACP_TRACE_MODEL", "1")
    monkeypatch.setenv("ACP_TRACE_MODEL_BASE", "off")
    with contextlib.suppress(SystemExit):
        start.main()
    asking: dict[str, Any] = {"everything": False, "hosts": "", "bases": []}
    assert asked == [asking, None, None, {**asking, "bases": ["off"]}]
