"""The servers and clients, as data, and how they are started."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.real import homes, packages
from tests.real.agents import Agent
from tests.real.processes import Deadline, Fault, started
from tests.real.stage import Stage, node
from tests.support import until

_HERE = Path(__file__).parent
_URL = re.compile(rb"https?://127\.0\.0\.1:(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client of ours on an SDK. `argv`: folders, what else to do, and the URL -> its command."""

    name: str
    install: Callable[[], Path]
    argv: Callable[[Sequence[str], str, str], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What `show` and `check` have to say of a session."""

    agent: str | None  #: its name, if it says so
    tool_calls: tuple[tuple[str, str], ...] = (("read", "completed"), ("edit", "completed"))
    files: tuple[str, ...] = ("fs/read_text_file", "fs/write_text_file")
    findings: tuple[str, ...] = ()  #: codes


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A server and a client. `more`: what the client is told to do besides."""

    server: Agent
    client: Client
    scheme: str  #: of the client: http or ws
    expected: Expected
    more: str = "-"
    with_tls: bool = False
    #: In which directories its server opens sessions: any, or the one that it was started in.
    anywhere: bool = True
    ready: bytes = b""  #: what its server says on stderr when it can be reached
    knows_its_names: bool = False  #: whether its server refuses requests for another host or port
    #: What the server says at another moment, or in other words, in each run.
    by_chance: tuple[re.Pattern[str], ...] = ()
    level: str = "semantic"  #: how closely a replay is compared


def _served_by(server: str) -> Agent:
    return Agent(
        install=lambda: packages.python(packages.PY_NETWORK).parent,
        link="python-sdk",
        command=("../bin/python-sdk/bin/python", "-I", "../bin/py_server.py", server),
        name="py-agent",
        version="1",
        node=False,
        scripts=(_HERE / "py_server.py",),
    )


PY_HYPERCORN, PY_UVICORN = _served_by("hypercorn"), _served_by("uvicorn")
TS_SERVER = Agent(
    install=lambda: packages.npm(*packages.TS_NETWORK),
    link="node_modules",
    command=("node", "../bin/ts_server.mjs", "../bin/node_modules"),
    name="ts-agent",
    version="1",
    scripts=(_HERE / "ts_server.mjs",),
)
QWEN_SERVE = Agent(
    install=lambda: packages.npm(*packages.QWEN),
    link="node_modules",
    command=("node", "../bin/node_modules/.bin/qwen", "serve", "--port", "0", "--no-web"),
    name="qwen-code",
    version=packages.QWEN[0].rpartition("@")[2],
    settle=homes.qwen,
)
PY_CLIENT = Client(
    name="py-client",
    install=lambda: packages.python(packages.PY_NETWORK),
    argv=lambda folders, more, url: [
        str(packages.python(packages.PY_NETWORK) / "python"),
        "-I",
        str(_HERE.with_name("py_client.py")),
        more,
        *folders,
        "--",
        url,
    ],
)
TS_CLIENT = Client(
    name="ts-client",
    install=lambda: packages.npm(*packages.TS_NETWORK),
    argv=lambda folders, more, url: [
        str(node()),
        str(_HERE / "ts_client.mjs"),
        str(packages.npm(*packages.TS_NETWORK)),
        url,
        more,
        *folders,
    ],
)


@contextmanager
def listening(
    stage: Stage,
    argv: Sequence[str],
    stderr: Path,
    deadline: Deadline,
    *,
    ready: bytes = b"",
    is_ours: bool = False,
) -> Iterator[int]:
    """The port of a server, which its first line tells. It is ended afterwards.

    `ready`: what is waited for on stderr. `is_ours`: it has to end well, and to say nothing there.
    """
    with started([*argv], env=stage.env, stderr=stderr, deadline=deadline, cwd=stage.project) as process:
        assert process.stdout is not None
        found = _URL.search(process.stdout.readline())
        if found is None:
            raise Fault(f"{argv[0]} did not say where it listens; {stderr.read_text()[-300:]}")
        until(lambda: ready in stderr.read_bytes(), ready.decode())
        yield int(found[1])
        process.terminate()
        code = process.wait(deadline.left())
        if is_ours and (code or stderr.stat().st_size):
            raise Fault(f"acp-trace ended with {code}, and said {stderr.read_text()[-300:]!r}")
