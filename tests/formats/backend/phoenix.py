"""Arize Phoenix, a backend of OpenTelemetry, as a process on the loopback interface with a directory of its own.

What it is asked goes over its GraphQL, which its own pages ask. Once it has ended, its database is a file of SQLite.
"""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from urllib.error import URLError

from tests.faults.stage import Stage, belonging, must
from tests.real import packages
from tests.support import until

#: A busy machine takes that long to import it; reached only by what hangs.
_START_S = 300.0
_END_S = 60.0
_PROJECT = """query($name: String!, $condition: String, $most: Int!) {
    getProjectByName(name: $name) {
        recordCount traceCount tokenCountPrompt tokenCountCompletion
        spans(first: $most, filterCondition: $condition, sort: {col: latencyMs, dir: desc}) {
            edges { node { name latencyMs attributes events { name } } }
        }
    }
}"""
_MOST = 1000  #: spans in an answer, more than the traces have


class Phoenix:
    """Phoenix at work. `url`: where it listens. It ends with its stage, or before."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self._directory = stage, stage.folder / "phoenix"
        self._directory.mkdir()
        port, grpc_port = free_ports(2)
        self.url = f"http://127.0.0.1:{port}"
        environment = {
            **stage.environment,
            "HOME": str(self._directory),
            "PHOENIX_WORKING_DIR": str(self._directory / "data"),
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_PORT": str(port),
            "PHOENIX_GRPC_PORT": str(grpc_port),
            "PHOENIX_TELEMETRY_ENABLED": "false",
            "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
        }
        program = packages.python(packages.PHOENIX) / "phoenix"
        with (self._directory / "log").open("wb") as log:
            self._process = stage.start(
                [str(program), "serve"],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.version = until(self._answers, "Phoenix", longest_s=_START_S)

    def project(self, name: str, condition: str | None = None) -> dict[str, Any] | None:
        """Its figures, and the spans that fulfil a condition, longest first; None as long as it has none so called."""
        answer = self._asked(_PROJECT, name=name, condition=condition, most=_MOST)
        found = (answer["data"] or {}).get("getProjectByName")
        must(found is not None or not condition, f"Phoenix refuses {condition!r}: {answer.get('errors')}")
        if found is None:
            return None
        nodes = [edge["node"] for edge in found.pop("spans")["edges"]]
        must(len(nodes) < _MOST, f"{name} has more spans than are asked for")
        return {**found, "spans": [{**node, "attributes": json.loads(node["attributes"])} for node in nodes]}

    def spans(self, name: str) -> int:
        """How many spans a project has so far."""
        project = self.project(name)
        return 0 if project is None else int(project["recordCount"])

    def end(self) -> Path:
        """Ends it as a service is ended. Its database, in which nothing is missing then. Raises Lie."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(_END_S)
        must(not belonging(self._stage.mark), "processes of Phoenix are left behind")
        return self._directory / "data" / "phoenix.db"

    def _answers(self) -> str | None:
        """Its version; None as long as nothing listens."""
        code = self._process.poll()
        must(code is None, f"Phoenix ended with {code}: {self._log()}")
        try:
            with urllib.request.urlopen(f"{self.url}/v1/projects", timeout=10) as response:
                return str(response.headers["x-phoenix-server-version"])
        except (URLError, ConnectionError, TimeoutError):
            return None

    def _log(self) -> str:
        return (self._directory / "log").read_text("utf-8", "replace")[-400:]

    def _asked(self, question: str, **variables: Any) -> Any:
        body = json.dumps({"query": question, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.url}/graphql", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)


def free_ports(count: int) -> list[int]:
    """Ports of the loopback interface on which nothing listens now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def texts(database: Path) -> str:
    """All that a database of SQLite holds, in every table: each value as it stands, and what JSON in it says."""
    found: list[str] = []
    with closing(sqlite3.connect(database)) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                for value in row:
                    found += leaves(value)
    return "\0".join(found)


def count(database: Path, table: str) -> int:
    """How many rows a table has."""
    with closing(sqlite3.connect(database)) as connection:
        (found,) = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
    return int(found)


def leaves(value: Any) -> Iterator[str]:
    """A value's texts, and those of JSON that stands in a text."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        yield value
        if value.lstrip()[:1] in ("{", "[", '"'):
            try:
                inner = json.loads(value)
            except ValueError:
                return
            yield from leaves(inner)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each)
