"""Every workflow file is what its vendor's schema says, and keeps our own rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from release.repository import REPOSITORY, ROOT
from tests.workflows.files import workflow_files
from tests.workflows.rules import faults

check = pytest.importorskip("check_jsonschema")  # in the extra `dev`
yaml = pytest.importorskip("ruamel.yaml")  # comes with it

_FILES = workflow_files()
_OWN = "someone/acp-trace"
_GOOD = """\
on: push
permissions: {contents: read}
jobs:
  test:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@0123456789abcdef0123456789abcdef01234567  # v7.0.1
        with: {persist-credentials: false}
      - uses: someone/acp-trace@v0
      - run: echo "$NAME"
        env: {NAME: "${{ github.ref_name }}"}
"""


def _faults(text: str, own: str = _OWN) -> list[str]:
    return faults(text, yaml.YAML(typ="safe", pure=True).load(text), own)


@pytest.mark.parametrize("schema", sorted(set(_FILES.values())))
def test_a_file_is_what_its_schema_says(schema: str) -> None:
    """With the schemas that check-jsonschema brings: nothing is fetched."""
    paths = [str(path) for path, its in _FILES.items() if its == schema]
    said = CliRunner().invoke(check.main, ["--builtin-schema", schema, *paths])
    assert said.exit_code == 0, said.output


@pytest.mark.parametrize(
    "path",
    [p for p, its in _FILES.items() if its in ("vendor.github-workflows", "vendor.github-actions")],
    ids=str,
)
def test_a_file_keeps_our_rules(path: Path) -> None:
    """Pinned actions, few rights, no pasted values, an end."""
    assert _faults(path.read_text("utf-8"), REPOSITORY) == []


@pytest.mark.parametrize(
    ("was", "becomes", "fault"),
    [
        ("@0123456789abcdef0123456789abcdef01234567", "@v7", "pin it by the full SHA"),
        ("  # v7.0.1", "", "which version"),
        ("{persist-credentials: false}", "{}", "persist-credentials"),
        ("permissions: {contents: read}\n", "", "name them at the top"),
        ("{contents: read}", "{contents: write}", "one job"),
        ('"$NAME"', '"${{ github.ref_name }}"', "through `env`"),
        ("    timeout-minutes: 5\n", "", "six hours"),
    ],
)
def test_each_rule_sees_its_fault(was: str, becomes: str, fault: str) -> None:
    """One change to a file without faults."""
    assert _faults(_GOOD) == []
    (found,) = _faults(_GOOD.replace(was, becomes))
    assert fault in found


def test_a_step_of_a_composite_action_is_read() -> None:
    """Its inputs come from the workflow that uses it."""
    text = 'runs:\n  using: composite\n  steps:\n    - run: "echo ${{ inputs.traces }}"\n      shell: bash\n'
    assert len(_faults(text)) == 1


def test_a_schema_sees_a_misspelt_key(tmp_path: Path) -> None:
    """Else a schema that matches everything would pass everything."""
    path = tmp_path / "odd.yml"
    path.write_text(_GOOD.replace("steps:", "stepz:"))
    said = CliRunner().invoke(check.main, ["--builtin-schema", "vendor.github-workflows", str(path)])
    assert (said.exit_code, "stepz" in said.output) == (1, True)


@pytest.mark.parametrize("name", ["bug", "interoperability"])
def test_a_form_asks_for_a_trace_without_secrets_and_for_doctor(name: str) -> None:
    """Both are required: without them, the first answer would be a question."""
    path = ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml"
    form = yaml.YAML(typ="safe", pure=True).load(path.read_text("utf-8"))
    fields = {field["id"]: field for field in form["body"] if "id" in field}
    assert "acp-trace redact TRACE --out" in fields["trace"]["attributes"]["description"]
    assert "acp-trace doctor" in fields["doctor"]["attributes"]["label"]
    assert fields["trace"]["validations"]["required"] is fields["doctor"]["validations"]["required"] is True


def test_a_badge_shows_a_workflow_that_exists() -> None:
    """On pushes to main, which each of them runs on."""
    named = set(re.findall(r"/actions/workflows/([\w-]+\.yml)", (ROOT / "README.md").read_text("utf-8")))
    assert named
    for name in named:
        workflow = (ROOT / ".github" / "workflows" / name).read_text("utf-8")
        assert "branches: [main]" in workflow


def test_all_yaml_in_these_directories_is_looked_at() -> None:
    """A new directory needs a line in `KINDS`; `tests/site` builds with the one file that has no schema."""
    there = set((ROOT / ".github").rglob("*.y*ml")) | set(ROOT.glob("*.y*ml")) - {ROOT / "mkdocs.yml"}
    assert there <= set(_FILES)
