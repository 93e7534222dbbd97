"""docs/redact.md: its rules are rules, its JSON is explained, and its report is one that is printed."""

from __future__ import annotations

from pathlib import Path

from acp_trace.redact.own import parse
from acp_trace.redact.rules import NAMES, RULES
from tests.docs.pages import DOCS, blocks, inline, text_of
from tests.support import Home, request, result, trace

PAGE = DOCS / "redact.md"


def test_the_own_rules_are_rules(home: Home, tmp_path: Path) -> None:
    """What the page tells people to copy takes out what it says."""
    (text,) = blocks(PAGE, "toml")
    assert len(parse(text)) == 3
    rules, path = tmp_path / "mine.toml", tmp_path / "t.jsonl"
    rules.write_text(text)
    path.write_bytes(
        trace(
            ("client", request(1, "session/new", cwd="/w", _meta={"gateway": {"key": "abcdefgh"}})),
            ("agent", request(1, "elicitation/create", message="Your name?")),
            ("client", result(1, action="accept", content={"name": "Ann Example"})),
        )
    )
    found = home.json("redact", str(path), "--dry-run", "--rules", str(rules))
    assert [row["replaced"] for row in found["replaced"]] == [1, 1, 0]


def test_every_rule_is_named() -> None:
    """Those with a path in the generated table, the others in the one beside it."""
    page = text_of(PAGE)
    assert [name for name in NAMES if f"| {name} |" not in page] == []


def test_the_number_of_rules() -> None:
    """As a header has it."""
    assert f'"rules":{len(RULES)}' in text_of(PAGE)


def test_every_key_of_the_json_is_explained(home: Home, tmp_path: Path) -> None:
    """On this page, and in the table of docs/report.md."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(trace(("client", request(1, "authenticate", _meta={"a": "b"}))))
    found = home.json("redact", str(path), "--dry-run")
    keys = {*found, *found["replaced"][0]}
    assert keys <= inline(PAGE)
    assert keys <= inline(DOCS / "report.md")
