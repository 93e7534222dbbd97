"""Which files of `replay` one request of the agent passes, from its line to its answer: few enough to follow it."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

import pytest

import acp_trace.replay
from acp_trace.replay.conversation.engine import Conversation, Options
from acp_trace.replay.conversation.patience import Patience
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.drive.link import PeerPipes
from acp_trace.replay.drive.player import Player
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.drive.workspace import Workspace
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.timeouts import SECOND
from tests.docs.pages import DOCS, text_of
from tests.reading.talk import Said, cancel, prompt, reply, stop
from tests.reentries import reentries
from tests.replay.lines import START, asks, chunk, may, now, picks, reads, tool, writes
from tests.replay.playbook import recorded

_REPLAY = Path(acp_trace.replay.__file__).parent
_ALL = {"player", "link", "engine", "peer_state", "rewriting", "inbound_requests"}
#: What each request passes, by its id.
PASSED = {
    "a recorded permission": _ALL | {"scheduler"},
    "a recorded read": _ALL | {"scheduler"},
    "a recorded write": _ALL | {"scheduler", "workspace"},
    "a recorded terminal": _ALL | {"scheduler"},
    "a poll, its directories": _ALL | {"scheduler"},
    "a poll again": _ALL | {"scheduler"},
    "a read that the workspace serves": _ALL | {"workspace"},
    "a write that the workspace serves": _ALL | {"workspace"},
    "a read that is refused": _ALL | {"workspace"},
    "a method that is refused": _ALL,
}

_POLL = {"terminalId": "T"}
_RECORDED: list[Said] = [
    *[*START, prompt(1), tool("t"), may(1, "t"), picks(1), reads(2, "/w/a"), reply(2, content="A")],
    *[writes(5, "/w/d"), reply(5), asks(3, "terminal/create", command="ls"), reply(3, terminalId="T")],
    *[asks(4, "terminal/output", **_POLL), reply(4, output="/w/a", truncated=False)],
    *[now("t", "completed"), chunk(), cancel(), stop(1, "cancelled")],
]


def _requests(directory: str) -> list[Said]:
    """One of each kind: the agent's turn. The cancel waits for all of it, so all of it has to be counted."""
    a, b, w, c, d, e, f, g, h, i = PASSED
    return [
        *[
            may(a, "t"),
            reads(b, f"{directory}/a"),
            writes(w, f"{directory}/d"),
            asks(c, "terminal/create", command="ls"),
        ],
        *[asks(d, "terminal/output", **_POLL), asks(e, "terminal/output", **_POLL)],
        *[reads(f, f"{directory}/b"), writes(g, f"{directory}/c")],
        *[reads(h, "/elsewhere/b"), asks(i, "_strange/method")],
    ]


@contextmanager
def _passed() -> Iterator[dict[str, set[str]]]:
    """By the id of a request: the files in which a function runs until the player writes its answer."""
    files: dict[str, set[str]] = {}
    current: set[str] | None = None

    def enter(frame: FrameType, event: str, what: object) -> None:
        nonlocal current
        path = Path(frame.f_code.co_filename)
        if not path.is_relative_to(_REPLAY):
            return
        if event == "call" and frame.f_code is Conversation.receive.__code__:
            id_ = json.loads(frame.f_locals["line"]).get("id")
            current = files.setdefault(id_, set()) if id_ in PASSED else None
        if current is not None and event in ("call", "c_call"):
            current.add(path.stem)
            current = None if what is os.write else current

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        yield files
    finally:
        sys.setprofile(before)


def test_a_request_passes_at_most_eight_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the table, whatever else is due, and each request is answered.

    Threads write where no profiler sees it.
    """
    monkeypatch.setenv("ACP_TRACE_LOOP", "poll")
    for name in "ab":
        (tmp_path / name).write_text(name)
    of, directory = recorded(*_RECORDED), str(tmp_path)
    workspace = Workspace([directory])
    serve = dict.fromkeys(Workspace.METHODS, workspace.serve)
    options = Options(unmatched="workspace", serve=serve, write=workspace.write)
    talk = Conversation(plan(of, "client"), Rewriter(), Patience(60 * SECOND, 99, of.size, 0), options)
    talk.move({"/w": directory})
    said = [*START, tool("t"), *_requests(directory), now("t", "completed"), chunk(), stop(1, "cancelled")]
    to_player, agent_out = os.pipe()
    agent_in, from_player = os.pipe()
    with closing(Stop()) as stopped, open(agent_out, "wb") as agent, _passed() as files:
        agent.write(b"".join(json.dumps(message).encode() + b"\n" for by, message in said if by == "agent"))
        agent.close()
        Player(talk, PeerPipes(to_player, from_player, stopped)).play()
    os.close(from_player)
    with open(agent_in, "rb") as answers:
        sent = [json.loads(line) for line in answers]
    os.close(to_player)
    assert files == PASSED
    assert max(map(len, files.values())) == 8
    answered = {message["id"]: next(iter(message.keys() & {"result", "error"})) for message in sent[3:-1]}
    assert answered == {id_: "error" if "refused" in id_ else "result" for id_ in PASSED}
    assert sent[-1]["method"] == "session/cancel"


def test_a_line_enters_few_packages_twice() -> None:
    """Nearly all lines are chunks, which have one way; a request for which an answer is looked up has the most."""
    of = recorded(*_RECORDED)
    talk = Conversation(plan(of, "client"), Rewriter(), Patience(60 * SECOND, 99, of.size, 0), Options())
    talk.move({"/w": "/tmp"})
    talk.due(SECOND)
    lines = [*START, tool("t"), now("t", "completed"), chunk(), may(1, "t"), reads(2, "/tmp/a")]
    doors = [
        reentries(partial(talk.receive, json.dumps(message).encode() + b"\n", SECOND))
        for by, message in lines
        if by == "agent"
    ]
    assert doors[-5:] == [2, 2, 0, 7, 6]


def test_the_page_shows_this_path() -> None:
    """docs/architecture.md, The path of a request in a replay: each file, and no other."""
    page = text_of(DOCS / "architecture.md").partition("## The path of a request in a replay")[2]
    rows = re.findall(r"^\| `[a-z]+/(\w+)\.py` \|", page.partition("\n## ")[0], re.MULTILINE)
    assert set(rows) - {"terminals"} == set().union(*PASSED.values())
