"""A replay whose agent's model is the recording: processes, from the first to the last."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cryptography")

from acp_trace.model.exchange import ModelExchanges
from acp_trace.record.model_side import Lacking, ModelSide
from acp_trace.replay.drive import model_side
from acp_trace.replay.drive.replay_and_compare import ComparedRun, replay_and_compare
from acp_trace.replay.settings import Settings, changed
from acp_trace.trace.entries import Entry
from acp_trace.trace.files import TraceFile, open_trace
from acp_trace.trace.parse import Parser
from tests.support import Home, Recording, agent

#: Asks its model what its client asks, with its directory, and says the answer; a tool's directory too.
_AGENT = agent(
    "import json, urllib.request\n"
    "def send(**message): say(json.dumps({'jsonrpc': '2.0', **message}) + '\\n')\n"
    "def ask(words):\n"
    "    system = {'role': 'system', 'content': os.environ.get('SYSTEM', 'You help.')}\n"
    "    body = {'model': 'm', 'messages': [system, {'role': 'user', 'content': words}]}\n"
    "    headers = {'authorization': 'Bearer ' + os.environ['OPENAI_API_KEY'], 'content-type': 'application/json'}\n"
    "    url = os.environ.get('MODEL_URL', 'https://api.model.example') + '/v1/chat/completions'\n"
    "    try:\n"
    "        asked = urllib.request.Request(url, json.dumps(body).encode(), headers)\n"
    "        with urllib.request.urlopen(asked) as answer: got = answer.read().decode()\n"
    "    except urllib.error.HTTPError as error: got = error.read().decode()\n"
    "    except OSError: return 'cannot'\n"
    "    found = [json.loads(line[6:]) for line in got.splitlines() if line.startswith('data: {')]\n"
    "    return ''.join(each['choices'][0]['delta']['content'] for each in found) or got\n"
    "for line in lines:\n"
    "    message = json.loads(line)\n"
    "    method, params, number = message.get('method'), message.get('params'), message.get('id')\n"
    "    if method == 'initialize': send(id=number, result={'protocolVersion': 1})\n"
    "    elif method == 'session/new':\n"
    "        cwd = params['cwd']\n"
    "        send(id=number, result={'sessionId': 's-1'})\n"
    "    elif method == 'session/prompt':\n"
    "        text = ask('In ' + cwd + ': ' + params['prompt'][0]['text'])\n"
    "        content = {'type': 'text', 'text': text.replace(cwd, '')}\n"
    "        update = {'sessionUpdate': 'agent_message_chunk', 'content': content}\n"
    "        send(method='session/update', params={'sessionId': 's-1', 'update': update})\n"
    "        send(id=number, result={'stopReason': 'end_turn'})\n"
)


class _Model(BaseHTTPRequestHandler):
    """Repeats what it is asked, in three pieces of a stream."""

    protocol_version = "HTTP/1.1"
    goes_on = threading.Event()  #: what is told to wait goes on after its first piece

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        words = body["messages"][-1]["content"]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for n, piece in enumerate(("You said: ", words[:9], words[9:])):
            if n and words == "wait":
                self.goes_on.wait(30)
            delta = {"choices": [{"delta": {"content": piece}}]}
            self.wfile.write(f"data: {json.dumps(delta)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def model() -> Iterator[int]:
    """The port of a stand-in."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Model) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture(scope="module")
def recorded(model: int, tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """Two prompts, and their model's side."""
    return _recorded(_AGENT, model, tmp_path_factory.mktemp("model"))


def _recorded(program: list[str], model: int, path: Path) -> list[Entry]:
    home, out, cwd = Home(path / "home"), path / "t.jsonl", path / "project"
    cwd.mkdir()
    given = {
        "ACP_TRACE_MODEL_MAP": f"api.model.example=http://127.0.0.1:{model}",
        "OPENAI_API_KEY": "sk-planted-1",
        "OPENAI_BASE_URL": f"http://127.0.0.1:{model}/v1",
    }
    with home.start(program, "--model", "--out", str(out), env=given, cwd=cwd) as recording:
        for number, (method, params) in enumerate(
            [
                ("initialize", {"protocolVersion": 1}),
                ("session/new", {"cwd": str(cwd), "mcpServers": []}),
                *(
                    ("session/prompt", {"sessionId": "s-1", "prompt": [{"type": "text", "text": t}]})
                    for t in "ab"
                ),
            ]
        ):
            ask = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            recording.say(json.dumps(ask).encode() + b"\n")
            while b'"result"' not in recording.hear():
                pass
        assert recording.finish()[1:] == (b"", 0)
    return _entries(out)


def _entries(path: Path) -> list[Entry]:
    name, lines = open_trace(path)
    with lines:
        return list(TraceFile(lines, name).entries())


def _replay(entries: list[Entry], **settings: Any) -> ComparedRun:
    return replay_and_compare(entries, _AGENT, changed(Settings(), settings, Path()))


def _said(made: ComparedRun) -> str:
    """The beginning of what the agent says first."""
    frames = (entry.data for entry in made.played.entries if entry.kind == "frame")
    chunks = (json.loads(data) for data in frames if b"agent_message_chunk" in data)
    return str(next(chunks)["params"]["update"]["content"]["text"]).partition(". ")[0]


def _codes(made: ComparedRun) -> list[str]:
    return [each.code for each in made.verdict.comparison.divergences]


def _exchanges(entries: list[Entry]) -> ModelExchanges:
    reader = ModelExchanges()
    for entry in entries:
        reader.feed(entry)
    return reader


def test_no_model_no_key_no_network(recorded: list[Entry], monkeypatch: pytest.MonkeyPatch) -> None:
    """In another directory, the agent says the same; its run is a recording as good as the first one."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")  # the user's own: not asked either
    first = _replay(recorded)
    assert first.verdict.passed, first.verdict.comparison.divergences
    outcome = first.verdict.comparison.model
    assert outcome is not None
    assert (outcome.mode, outcome.calls, outcome.matched) == ("recorded", 2, {"environment": 2})
    second = _replay(first.played.entries, model_match="exact")
    assert second.verdict.passed, second.verdict.comparison.divergences
    served = [
        each.served and each.served.call for each in _exchanges(second.played.entries).exchanges.values()
    ]
    assert served == [1, 2]


def test_another_prompt(recorded: list[Entry], monkeypatch: pytest.MonkeyPatch) -> None:
    """Is answered all the same, and told; or refused, if only what was recorded is to be answered."""
    monkeypatch.setenv("SYSTEM", "You help. Please.")
    assert (made := _replay(recorded)).verdict.passed, made.verdict.comparison.divergences
    assert "model-prompt-changed" in _codes(made)
    made = _replay(recorded, model_match="exact")
    outcome = made.verdict.comparison.model
    assert outcome is not None
    assert (outcome.matched, outcome.unmatched) == ({}, 2)
    assert "acp-trace: the recording has no such request" in _said(made)


def test_a_process_that_dies(recorded: list[Entry], monkeypatch: pytest.MonkeyPatch) -> None:
    """The run goes on, and its verdict says why it says something else."""

    class Dying(ModelSide):
        def attach(self, *attached: Any) -> None:
            super().attach(*attached)
            self._process.kill()
            self._process.wait()

    monkeypatch.setattr(model_side, "ModelSide", Dying)
    made = _replay(recorded)
    assert not made.verdict.passed
    assert "model-side-died" in _codes(made)
    assert made.played.end is not None


def test_the_real_model(recorded: list[Entry], model: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is asked, and recorded, if that is wished; or it is nobody's concern."""
    monkeypatch.setenv("ACP_TRACE_MODEL_MAP", f"api.model.example=http://127.0.0.1:{model}")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-2")
    made = _replay(recorded, model="live")
    assert made.verdict.passed, made.verdict.comparison.divergences
    exchanges = _exchanges(made.played.entries).exchanges
    assert [(each.status, each.served) for each in exchanges.values()] == [(200, None)] * 2
    monkeypatch.setenv("MODEL_URL", "http://127.0.0.1:1")
    made = _replay(recorded, model="off")
    assert _said(made) == "cannot"
    assert not _exchanges(made.played.entries).has_model


#: Says each piece of its model's answer as it comes, and lets it go on when it is cancelled. If a second one
#: comes before its client has heard of the first, it says so: a cancel is no reason for that yet.
_HEEDLESS = agent(
    "import json, queue, urllib.request\n"
    "def send(**message): say(json.dumps({'jsonrpc': '2.0', **message}) + '\\n')\n"
    "cancelled = threading.Event()\n"
    "def turn(number):\n"
    "    body = json.dumps({'model': 'm', 'messages': [{'role': 'user', 'content': 'wait'}]}).encode()\n"
    "    url = 'https://api.model.example/v1/chat/completions'\n"
    "    asked = urllib.request.Request(url, body, {'content-type': 'application/json'})\n"
    "    pieces = queue.Queue()\n"
    "    def read():\n"
    "        for line in urllib.request.urlopen(asked):\n"
    "            if line.startswith(b'data: {'):\n"
    "                pieces.put(json.loads(line[6:])['choices'][0]['delta']['content'])\n"
    "        pieces.put(None)\n"
    "    threading.Thread(target=read).start()\n"
    "    text, early = pieces.get(), []\n"
    "    try: early.append(pieces.get(timeout=0.2))\n"
    "    except queue.Empty: pass\n"
    "    text += ''.join(f'and at once {piece}' for piece in early)\n"
    "    while text is not None:\n"
    "        update = {'sessionUpdate': 'agent_message_chunk', 'content': {'type': 'text', 'text': text}}\n"
    "        send(method='session/update', params={'sessionId': 's-1', 'update': update})\n"
    "        text = pieces.get()\n"
    "    send(id=number, result={'stopReason': 'cancelled' if cancelled.is_set() else 'end_turn'})\n"
    "for line in lines:\n"
    "    message = json.loads(line)\n"
    "    method, number = message['method'], message.get('id')\n"
    "    if method == 'initialize': send(id=number, result={'protocolVersion': 1})\n"
    "    elif method == 'session/new': send(id=number, result={'sessionId': 's-1'})\n"
    "    elif method == 'session/cancel':\n"
    "        cancelled.set()\n"
    "        print('cancelled', file=sys.stderr, flush=True)\n"
    "    else: threading.Thread(target=turn, args=(number,)).start()\n"
)


def test_a_model_that_goes_on_after_a_cancel(
    model: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cancel comes in the middle of its answer again, though that is served at once: it is told of it."""
    told: list[Any] = []

    class Told(ModelSide):
        def __init__(self, words: Any) -> None:
            told.append(words["serve"]["cancels"])
            super().__init__(words)

        def cancelled(self) -> None:
            told.append("cancelled")
            super().cancelled()

    monkeypatch.setattr(model_side, "ModelSide", Told)
    home, out = Home(tmp_path / "home"), tmp_path / "t.jsonl"
    given = {"ACP_TRACE_MODEL_MAP": f"api.model.example=http://127.0.0.1:{model}"}
    with home.start(_HEEDLESS, "--model", "--out", str(out), env=given, cwd=tmp_path) as recording:
        say = partial(_say, recording)
        say("initialize", 0, protocolVersion=1)
        say("session/new", 1, cwd=str(tmp_path), mcpServers=[])
        recording.hear()
        recording.hear()
        say("session/prompt", 2, sessionId="s-1", prompt=[{"type": "text", "text": "Go."}])
        recording.hear()
        say("session/cancel", None, sessionId="s-1")
        assert recording.stderr.readline() == b"cancelled\n"
        _Model.goes_on.set()
        while b'"cancelled"' not in recording.hear():
            pass
        assert recording.finish()[1:] == (b"", 0)
    made = replay_and_compare(_entries(out), _HEEDLESS, Settings())
    assert made.verdict.passed, made.verdict.comparison.divergences
    ((call, _, number),), after = told
    assert (call, number, after) == (1, 1, "cancelled")
    assert _said(made) == "You said: "


def _say(recording: Recording, method: str, number: int | None, **params: Any) -> None:
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    recording.say(json.dumps(message if number is None else {**message, "id": number}).encode() + b"\n")


def test_an_agent_that_tells_its_environment(model: int, tmp_path: Path) -> None:
    """The words of the two proxies are in no trace and make no difference, in any spelling."""
    told = "' '.join([os.environ['HTTPS_PROXY'].rpartition(':')[0], *os.environ['OPENAI_BASE_URL'].split('/')[3:], "
    told += (
        "__import__('base64').b64encode(os.environ['HTTPS_PROXY'][7:].partition('@')[0].encode()).decode()])"
    )
    program = [word.replace("os.environ.get('SYSTEM', 'You help.')", told) for word in _AGENT]
    assert program != _AGENT
    entries = _recorded(program, model, tmp_path)
    made = replay_and_compare(entries, program, changed(Settings(), {"model_match": "exact"}, Path()))
    assert made.verdict.passed, made.verdict.comparison.divergences
    for trace in (entries, made.played.entries):
        written = b"".join(entry.raw for entry in trace)
        assert b"http://acp-trace:<cut>@127.0.0.1 <cut> v1 <cut>" in written


def test_what_is_not_installed(
    recorded: list[Entry], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says it, before anything is started; without the model's side nothing is needed."""
    from acp_trace.cli import errors

    monkeypatch.setattr(model_side, "find_spec", lambda _: None)
    model_side.check(recorded, changed(Settings(), {"model": "off"}, Path()))
    monkeypatch.setattr(model_side, "ModelSide", None)
    with pytest.raises(Lacking) as lacking:
        _replay(recorded)
    with pytest.raises(SystemExit) as ended:
        errors.explain(lacking.value)
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        "acp-trace: a replay with the agent's model (recorded) needs more packages: pip install 'acp-trace[model]', or use `--model off`\n"
    )


def test_what_has_moved(recorded: list[Entry], monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is told: directories, what the agent's environment lacks, and base URLs to listen for."""
    note = b'{"t":1,"model":{"environment":{"directories":{"HOME":"/old/home","XYZ_HOME":"/old/x"},'
    note += b'"secrets":["OPENAI_API_KEY","HOME","PYTHONPATH"],'
    note += b'"bases":[{"name":"OPENAI_BASE_URL","url":"http://127.0.0.1:9/v1"},{"name":"LD_PRELOAD","url":"http://h/x"}]}}}\n'
    lines = [entry.raw for entry in recorded if b'"environment"' not in entry.raw]
    header = json.loads(lines[0])
    header["agent"]["argv"] = [f"/old/place/{Path(_AGENT[0]).name}"]
    entries = list(Parser().feed(b"".join([json.dumps(header).encode() + b"\n", note, *lines[1:]])))
    asked: list[Any] = []

    class Silent:
        def __init__(self, words: Any) -> None:
            self.environment = {"OPENAI_BASE_URL": "-"}
            asked.append(words)

        def attach(self, *_: Any) -> None:
            pass

        def cancelled(self) -> None:
            pass

        def end(self) -> None:
            pass

    monkeypatch.setattr(model_side, "ModelSide", Silent)
    monkeypatch.setenv("XYZ_HOME", "/new/x")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    made = _replay(entries, home="fresh", pace="2x", model_match="exact")
    (words,) = asked
    serve, environment = words["serve"], words["environment"]
    assert serve["cancels"] == []
    assert (serve["loose"], serve["pace"]) == (False, "0.5")
    assert words["bases"] == ["OPENAI_BASE_URL=http://127.0.0.1:9/v1"]
    assert "PYTHONPATH" not in environment
    assert "variable-left-out" in _codes(made)
    is_set = {each.name: each.is_set for each in made.played.variables}
    assert (is_set["LD_PRELOAD"], is_set["PYTHONPATH"], is_set["OPENAI_API_KEY"]) == (False, False, True)
    assert is_set["HOME"]
    assert is_set["HTTPS_PROXY"]
    assert environment["OPENAI_API_KEY"] == "acp-trace"
    assert ["/old/home", environment["HOME"]] in serve["places"]
    assert ["/old/x", "/new/x"] in serve["places"]
    assert ["/old/place", str(Path(_AGENT[0]).parent)] in serve["places"]
    assert environment["HOME"] != os.environ["HOME"]
    assert not os.path.exists(serve["recording"])
