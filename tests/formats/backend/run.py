"""`just backend`: python tests/formats/backend/run.py [--sources DIR] [--keep DIR].

Sends traces to a real backend, Arize Phoenix, with `export --otlp-endpoint`, and asks it and our own database
the same questions. Then whether anything that was said is in its database: without `--content`, and with it.
One line a question; ends with 1 if one answer differs. Installs Phoenix once, into a virtual environment of
its own; where it cannot be had, this is skipped.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.faults.stage import Lie, Stage, must
from tests.formats.backend.phoenix import Phoenix, count, texts
from tests.formats.backend.questions import QUESTIONS, Question
from tests.real import packages
from tests.support import ACP_TRACE, TRACES, error, request, result, trace, until, update

_SETTLE_S = 60.0
#: A part of a prompt that says what was said. Shorter ones stand in names, too.
_PART = 12


@dataclass
class Ground:
    """Traces in our own database, and what it says of them."""

    stage: Stage
    files: Sequence[Path]
    _answers: dict[str, dict[str, list[tuple[Any, ...]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.run("load", *map(str, self.files))
        self.ids = [json.loads(path.open("rb").readline())["id"] for path in self.files]

    def run(self, *words: str, **environment: str) -> str:
        """What a command prints. Raises Lie unless it ends well."""
        process = self.stage.start(
            [*ACP_TRACE, *words],
            env={**self.stage.environment, **environment},
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
        )
        out, err = process.communicate()
        must(process.returncode == 0, f"{words[0]} ended with {process.returncode}: {err.decode()[-400:]}")
        return out.decode()

    def rows(self, sql: str) -> dict[str, list[tuple[Any, ...]]]:
        """What `query` says: of each trace, its rows without its id."""
        if sql not in self._answers:
            found: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
            for row in json.loads(self.run("query", sql, "--json")):
                trace_id, *rest = row.values()
                found[trace_id].append(tuple(rest))
            self._answers[sql] = found
        return self._answers[sql]

    def send(self, phoenix: Phoenix, *options: str) -> int:
        """Sends every trace to a project of its own; how many spans, all of which the backend has."""
        sent = {}
        for trace_id, file in zip(self.ids, self.files, strict=True):
            where = ["--otlp-endpoint", phoenix.url, "--json", *options]
            headers = f"x-project-name={trace_id}"
            said = self.run("export", str(file), *where, OTEL_EXPORTER_OTLP_HEADERS=headers)
            sent[trace_id] = json.loads(said)["spans"]
        for trace_id, spans in sent.items():
            until(
                lambda: phoenix.spans(trace_id) >= spans,  # noqa: B023 - asked before the next one
                f"{spans} spans of {trace_id}",
                longest_s=_SETTLE_S,
            )
        return sum(sent.values())

    def prompts(self) -> list[str]:
        """Every text that a user's prompts have, in all traces."""
        sql = "SELECT trace_id, body FROM frames WHERE method = 'session/prompt' AND sender = 'client'"
        found = []
        for rows in self.rows(sql).values():
            for (body,) in rows:
                blocks = json.loads(body).get("params", {}).get("prompt", [])
                found += [block["text"] for block in blocks if isinstance(block.get("text"), str)]
        return found


def main(argv: Sequence[str]) -> int:
    """Sends, asks and compares; 1 where an answer differs."""
    asked = _parser().parse_args(argv)
    if platform.system() != "Linux":
        print("skipped: /proc and pidfd are needed, which Linux has")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that all is cleaned up
    try:
        packages.python(packages.PHOENIX)
    except packages.OutOfReach as why:
        print(f"skipped: {why}")
        return 0
    folder, began = Path(tempfile.mkdtemp(prefix="acp-trace-backend-", dir=asked.keep)), time.monotonic()
    files = [*(sorted(asked.sources.glob("*.jsonl")) if asked.sources else TRACES), failing(folder)]
    lies = 0
    try:
        for name, play in (("without", _facts), ("with", _content)):
            with _played(folder / name, files) as (ground, phoenix):
                for line in play(ground, phoenix):
                    lies += "LIE" in line
                    print(line, flush=True)
    except (Lie, AssertionError) as lie:
        lies += 1
        print(f"LIE: {lie}")
    finally:
        if not (lies and asked.keep):
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{'LIES: see above' if lies else 'no lie'}, {time.monotonic() - began:.0f} s")
    return int(lies > 0)


def failing(folder: Path) -> Path:
    """A trace in which something fails, and a tool call is told again with the history: the samples have neither."""
    failed = (
        "agent",
        update("s", "tool_call", toolCallId="t", title="rm -r /w", kind="delete", status="failed"),
    )
    prompt = [{"type": "text", "text": "Remove what nobody needs."}]
    asked = request("p", "session/request_permission", sessionId="s", toolCall={"toolCallId": "t"})
    frames = [
        ("client", request(1, "session/new", cwd="/w")),
        ("agent", result(1, sessionId="s")),
        ("client", request(2, "session/prompt", sessionId="s", prompt=prompt)),
        failed,
        ("agent", asked),
        ("client", result("p", outcome={"outcome": "cancelled"})),
        ("agent", error(2, -32603, "broken")),
        ("client", request(3, "session/load", sessionId="s", cwd="/w")),
        failed,
        ("agent", result(3)),
    ]
    path = folder / "failing.jsonl"
    path.write_bytes(trace(*frames, id="20261120T130501Z-fa1160", step=1_000_000))
    return path


@contextmanager
def _played(folder: Path, files: Sequence[Path]) -> Iterator[tuple[Ground, Phoenix]]:
    with Stage(folder) as stage:
        began = time.monotonic()
        phoenix = Phoenix(stage)
        print(f"Phoenix {phoenix.version}, began in {time.monotonic() - began:.1f} s", flush=True)
        yield Ground(stage, files), phoenix


def _facts(ground: Ground, phoenix: Phoenix) -> Iterator[str]:
    """Without `--content`: all questions, the same traces once more, and what its database has of the prompts."""
    spans = ground.send(phoenix)
    yield f"{len(ground.files)} traces sent, {spans} spans"
    for question in QUESTIONS:
        yield compared(question, ground, phoenix)
    ground.send(phoenix)
    database = phoenix.end()
    stored = count(database, "spans")
    yield _line("Sent twice: how many spans has its database?", stored, spans)
    said, whole = ground.prompts(), texts(database)
    leaked = sorted({part for prompt in said for part in parts(prompt) if part in whole})
    yield _line(f"Which parts of {len(said)} prompts are in its database?", leaked, [])


def _content(ground: Ground, phoenix: Phoenix) -> Iterator[str]:
    """With `--content`: each prompt is with its turn, and so in the database."""
    spans = ground.send(phoenix, "--content")
    yield f"{len(ground.files)} traces sent with --content, {spans} spans"
    yield compared(QUESTIONS[0], ground, phoenix)
    database = phoenix.end()
    said, whole = ground.prompts(), texts(database)
    missing = sorted({prompt for prompt in said if prompt not in whole})
    yield _line(f"Which of {len(said)} prompts are not in its database?", missing, [])


def compared(question: Question, ground: Ground, phoenix: Phoenix) -> str:
    """The line of a question."""
    ours = ground.rows(question.sql)
    expected = {id_: question.of(ours.get(id_, [])) for id_ in ground.ids}
    actual = {id_: question.phoenix(phoenix, id_) for id_ in ground.ids}
    rows = sum(len(ours.get(id_, [])) for id_ in ground.ids)
    must(rows, f"no trace has an answer to {question.text!r}")
    return _line(question.text, actual, expected, rows)


def parts(text: str) -> Iterable[str]:
    """All pieces of a text that are long enough to give it away."""
    return {text[at : at + _PART] for at in range(len(text) - _PART + 1)}


def _line(text: str, actual: Any, expected: Any, rows: int | None = None) -> str:
    of = "" if rows is None else f" ({rows} rows)"
    if actual == expected:
        return f"  {text:<56} equal{of}"
    if isinstance(actual, dict):
        different = [id_ for id_ in expected if actual[id_] != expected[id_]]
        actual, expected = ({id_: each[id_] for id_ in different[:2]} for each in (actual, expected))
    return f"  {text:<56} LIE: {str(actual)[:600]}, and we say {str(expected)[:600]}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Sends traces to a real backend, and asks it about them.")
    parser.add_argument("--sources", metavar="DIR", type=Path, help="send the *.jsonl there instead")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="work in DIR, and leave it there at a lie")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
