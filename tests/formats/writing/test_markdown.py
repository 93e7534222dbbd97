"""`export --to markdown`: what a Markdown parser makes of the report, and when there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given as any_of
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from acp_trace.formats.reading.log import Log, Sent
from tests.commands import Commands
from tests.formats.reading.comparing import lines_of
from tests.formats.writing.exporting import SAMPLES, given, without_times, written
from tests.support import error, request, result, trace, update

#: Keys that nobody has, in the forms that providers give them.
_SECRET = "sk-ant-api03-" + "Zq8Kd2Lm5Np7Rt1V" * 5


def _tokens(text: bytes) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(text.decode())


def _headings(tokens: list[Token]) -> list[str]:
    return [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]


def test_summary_turns_and_findings_with_their_frames() -> None:
    """A reader finds who talked to whom, each turn, and each finding with the frames around it."""
    tokens = _tokens(written("markdown", given("gemini-model")))
    assert _headings(tokens) == [
        "ACP trace: `Gemini CLI 0.61.0` ⇄ `errand 1`",
        "Turns",
        "Findings: 2",
        "note: `payload-extra-field`",
        "note: `permission-unannounced`",
    ]
    _, fence = [token.content for token in tokens if token.type == "fence"]
    lines = fence.splitlines()
    assert [line.split()[0] for line in lines[:7]] == ["#10", "#11", "#12", ">", "#14", "#15", "#16"]
    assert "session/request_permission" in lines[3]
    assert lines[8].startswith('{"jsonrpc":"2.0","id":0,"method":"session/request_permission"')
    cells = [token.content for at, token in enumerate(tokens) if tokens[at - 1].type == "td_open"]
    assert cells[cells.index("ended") + 1] == "exit 0"
    assert cells[-4:] == ["`#28`", "`READ /tmp/acp-demo-wnp395gi/project/notes.txt`", "`end_turn`", "84.7 ms"]


def test_failed_requests() -> None:
    """Errors and what was never answered stand in a table."""
    tokens = _tokens(
        written(
            "markdown",
            given(
                trace(
                    ("client", request(1, "session/load")),
                    ("agent", error(1, -32000, "Log in | first")),
                    ("client", request(2, "session/new")),
                )
            ),
        )
    )
    assert "Failed or never answered: 2" in _headings(tokens)
    cells = [token.children for at, token in enumerate(tokens) if tokens[at - 1].type == "td_open"]
    texts = ["".join(child.content for child in children or ()) for children in cells]
    assert texts[-8:] == [
        "#1",
        "client",
        "session/load",
        "-32000 Log in | first",
        "#3",
        "client",
        "session/new",
        "never answered",
    ]


def test_without_times() -> None:
    """No duration stands anywhere, and the report says where the trace is from."""
    text = written("markdown", without_times("opencode-cancel-acpx")).decode()
    assert "| imported from | `zed`, without times |" in text
    assert "| took | " not in text.partition("### Turns")[0]
    assert " ms" not in text


def test_what_a_log_does_not_have_is_not_called_unanswered() -> None:
    """The tool may never log such answers: nobody says that none was given."""
    log = Log([Sent(json.dumps(request(1, "session/new")).encode(), "client")])
    text = written("markdown", given(lines_of(log))).decode()
    assert "| not in the log |" in text
    assert "| never answered |" not in text


@pytest.mark.slow
@any_of(st.text(), st.text())
def test_text_of_the_traffic_is_never_markup(words: str, method: str) -> None:
    """Whatever the sides write stands in code: no link, no mention, no HTML, and the sections stay."""
    chunk = update("s", "agent_message_chunk", content={"type": "text", "text": words})
    file = trace(
        ("client", request(1, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": words}])),
        ("agent", chunk),
        ("agent", result(1, stopReason=words)),
        ("client", request(2, method)),
        ("agent", error(2, -1, words)),
    )
    tokens = _tokens(written("markdown", given(file)))
    assert _headings(tokens)[:2] == ["ACP trace: `opencode` ⇄ `?`", "Turns"]
    inline = {child.type for token in tokens for child in token.children or ()}
    assert inline <= {"text", "code_inline", "softbreak"}
    assert not {"html_block", "link_open", "blockquote_open"} & {token.type for token in tokens}


def test_long_traces_fit_into_a_comment() -> None:
    """GitHub takes 65,536 characters."""
    frames = [("agent", update("nobody", f"kind {n}", pad="x" * 5000)) for n in range(200)]
    assert len(written("markdown", given(trace(*frames))).decode()) < 65_536


def test_secrets_are_refused(commands: Commands, tmp_path: Path) -> None:
    """A report is pasted where everybody reads it: with a secret there is none, unless it was redacted or is wanted."""
    file, redacted = tmp_path / "t.jsonl", tmp_path / "redacted.jsonl"
    env = [{"name": "ANTHROPIC_API_KEY", "value": _SECRET}]
    server = {"name": "x", "command": "/x", "args": [], "env": env}
    file.write_bytes(
        trace(
            ("client", request(1, "session/new", cwd="/w", mcpServers=[server])),
            ("agent", result(1, sessionId="s")),
        )
    )
    refused = commands("export", file, "--to", "markdown")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.count("\n") == 1
    assert "this trace contains 1 secret" in refused.err
    assert "--unredacted" in refused.err
    assert commands.passes("export", file, "--to", "markdown", "--unredacted").startswith("## ACP trace")
    commands.passes("redact", file, "--out", redacted)
    assert _SECRET not in commands.passes("export", redacted, "--to", "markdown")


@pytest.mark.parametrize(
    "words", [("--unredacted",), ("--to", "markdown", "--raw", "agent"), ("--to", "pdf")]
)
def test_misuse(commands: Commands, words: tuple[str, ...]) -> None:
    """What means nothing is refused before a trace is read."""
    assert commands("export", SAMPLES / "opencode-story.jsonl", *words).code == 2


def test_json_says_what_was_written(commands: Commands, tmp_path: Path) -> None:
    """With `--out`, programs learn file, size, format and notes."""
    out = tmp_path / "report.md"
    said = commands.json("export", SAMPLES / "opencode-story.jsonl", "--to", "markdown", "--out", out)
    trace_file = str(SAMPLES / "opencode-story.jsonl")
    assert said == {
        "trace": trace_file,
        "file": str(out),
        "bytes": out.stat().st_size,
        "format": "markdown",
        "notes": [],
    }
