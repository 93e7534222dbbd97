"""SARIF 2.1.0, held against what GitHub's code scanning asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from acp_trace import __version__
from acp_trace.analyze.findings.codes import CODES
from acp_trace.analyze.verdict import Verdict, fail_on
from acp_trace.report.ci.places import Place
from acp_trace.report.ci.sarif import sarif
from tests.checking import facts, finding, places, turn, verdict


def run(made: Verdict, where: list[Place] | None = None) -> dict[str, Any]:
    """The one run of the document, once it holds what readers count on."""
    found = msgspec.json.decode(msgspec.json.encode(sarif(made, where or places(len(made.traces)))))
    assert found["$schema"].endswith("sarif-2.1.0.json")
    assert found["version"] == "2.1.0"
    (only,) = found["runs"]
    driver = only["tool"]["driver"]
    assert (driver["name"], driver["semanticVersion"]) == ("acp-trace", __version__)
    rules = driver["rules"]
    ids = [rule["id"] for rule in rules]
    assert len(set(ids)) == len(ids)
    for rule in rules:
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        for key in ("shortDescription", "fullDescription", "help"):
            assert 0 < len(rule[key]["text"]) <= 1024
    for result in only["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"]
        assert result["partialFingerprints"]["primaryLocationLineHash"]
    assert isinstance(only, dict)
    return only


def test_every_code_is_a_rule() -> None:
    """With its severity, its meaning and the rule behind it."""
    rules = {rule["id"]: rule for rule in run(verdict(facts()))["tool"]["driver"]["rules"]}
    assert set(rules) == {*CODES, "budget"}
    for code in CODES.values():
        rule = rules[code.code]
        assert rule["defaultConfiguration"]["level"] == code.severity
        assert rule["shortDescription"]["text"] == code.meaning
        assert code.rule in rule["fullDescription"]["text"]
        assert code.source in rule["help"]["text"]
        assert rule["properties"]["tags"] == ["acp", code.group]


def test_every_finding_is_a_result() -> None:
    """Whatever fails: with the line of the file, the frame, and who is to blame."""
    found = facts(
        findings=[
            finding("not-json", 3, "no JSON", session_id="s", blame="client"),
            finding("blank-line", 5, "an empty line", count=4),
        ]
    )
    first, second = run(verdict(found, fails=fail_on(["never"])))["results"]
    assert (first["ruleId"], first["level"], first["message"]["text"]) == ("not-json", "error", "no JSON")
    (location,) = first["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "a.jsonl"},
        "region": {"startLine": 4, "startColumn": 1, "endLine": 4},
    }
    (logical,) = location["logicalLocations"]
    assert logical["fullyQualifiedName"] == "20261120T130501Z-7f3a9c#3"
    assert first["properties"] == {
        "trace": "20261120T130501Z-7f3a9c", "frame": 3, "session_id": "s", "blame": "client", "count": 1,
    }  # fmt: skip
    assert (second["level"], second["message"]["text"]) == ("note", "an empty line (4×)")


def test_a_line_that_is_not_known_is_not_told() -> None:
    """Standard input cannot be read twice; the trace's own name stands for its file."""
    made = verdict(facts(findings=[finding("not-json", 3)]))
    (result,) = run(made, [Place("-")])["results"]
    physical = result["locations"][0]["physicalLocation"]
    assert physical == {"artifactLocation": {"uri": "20261120T130501Z-7f3a9c.jsonl"}}


def test_fingerprints_outlive_a_run() -> None:
    """The same findings in the next recording, elsewhere in it, of another session, are the same alerts."""
    found = [
        finding("not-json", 3),
        finding("not-json", 5),
        finding("not-json", 7, blame="client"),
        finding("batch", 9),
        finding("not-json", 11, severity="note"),
    ]
    later = [replace(one, frame=one.frame + 40, message="other", session_id="t") for one in found]
    hashes = [
        [
            one["partialFingerprints"]["primaryLocationLineHash"]
            for one in run(verdict(facts(id_, findings=some)))["results"]
        ]
        for id_, some in (("one", found), ("two", later))
    ]
    assert hashes[0] == hashes[1]
    assert len(set(hashes[0])) == 5


def test_missed_budgets_are_results() -> None:
    """At the sample that decided; without one, at the first trace."""
    found = facts(turns=[turn(7, 3 * 10**9)])
    texts = ("turn.duration max < 2s", "turn.duration max < 5s", "latency x max < 1s")
    first, second = run(verdict(facts(), found, budgets=texts))["results"]
    assert (first["ruleId"], first["level"]) == ("budget", "error")
    assert first["message"]["text"] == "turn.duration max < 2s: 3.00 s over 1 sample"
    physical = first["locations"][0]["physicalLocation"]
    assert (physical["artifactLocation"]["uri"], physical["region"]["startLine"]) == ("b.jsonl", 8)
    assert second["message"]["text"] == "latency x max < 1s: no sample"
    assert second["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "a.jsonl"}}}]


def test_a_code_that_only_a_newer_version_knows() -> None:
    """It has no rule here; the result is there all the same."""
    newer = replace(finding("not-json"), code="brand-new")
    document = sarif(verdict(facts(findings=[newer])), places(1))
    (result,) = document["runs"][0]["results"]
    assert result["ruleId"] == "brand-new"
    assert "ruleIndex" not in result


@given(st.text(st.sampled_from("[]()x\x1b{}\\") | st.characters(exclude_categories=()), max_size=20))
@example("[a link](http://x)\x1b")
def test_any_message(message: str) -> None:
    """No control characters, and no link that the traffic has put there."""
    (result,) = run(verdict(facts(findings=[finding("not-json", 3, f"m{message}")])))["results"]
    text = result["message"]["text"]
    assert "](" not in text
    assert "\x1b" not in text
