"""Every shell block of the pages runs as it is copied, or it is said here why it does not.

Blocks that need no process of their own run in this one; those with an agent, in `test_recipes_with_agents`.
"""

from __future__ import annotations

import glob
import shlex
import shutil
from pathlib import Path

import pytest

from tests.commands import Commands
from tests.docs.pages import DOCS, PAGES, blocks
from tests.support import REPOSITORY

#: Pages of which each block runs in this process: the exit codes that a line may end with.
HERE = {
    "check.md": (0, 1),
    "diff.md": (0, 1),
    "filter.md": (0,),
    "page.md": (0, 1),
    "redact.md": (0,),
    "report.md": (0,),
    "store.md": (0,),
    "user-log.md": (0, 1),
}
#: Pages of which each block is run by a test of their own.
ELSEWHERE = {
    "quickstart.md": "test_quickstart walks it from the top to the end",
    "cookbook.md": "test_cookbook walks it from the top to the end",
    "queries.md": "test_queries runs each with traces of its own",
    "replay.md": "test_recipes_with_agents",
    "faults.md": "test_recipes_with_agents",
}
#: Other blocks, by how they begin: where they run, or why they do not.
BLOCKS = {
    (
        "conform.md",
        "acp-trace conform",
    ): "not run: AGENT and CLIENT stand for commands; tests/conform drives both",
    ("agents.md", "acp-trace drive"): "not run: AGENT stands for a command; test_agents has the parts",
    ("agents.md", "just record-agents"): "not run: it installs agents, and takes an hour",
    ("clients.md", "acpx --agent"): "test_recipes_with_agents",
    ("clients.md", "acp-trace query"): "here",
    ("troubleshooting.md", "acp-trace show"): "here",
    (
        "clients.md",
        "acpx opencode",
    ): "not run: it needs the configuration of acpx that the page shows before it",
    ("clients.md", "toad acp"): "not run: /path/to/venv stands for a path of the reader's",
    ("export.md", "acp-trace export last --to perfetto"): "here",
    ("drive.md", "acp-trace drive"): "tests/cli/test_drive, with an agent of its own",
    ("builds.md", "acp-trace matrix"): "tests/cli/test_matrix and test_bisect, with builds of their own",
    ("transports.md", "acp-trace mock"): "tests/cli/test_mock_listen, with a client of its own",
    ("transports.md", "acp-trace replay"): "tests/cli/test_replay_url, with a server of its own",
    ("export.md", "acp-trace export last --to parquet"): "here",
    ("export.md", "acp-trace redact"): "not run: it needs a shell; tests/formats/writing has each format",
    ("export.md", "pip install"): "not run: it installs; tests/cli has a collector of its own",
    ("clients.md", "acp-trace install"): "tests/cli/test_install, with files of its own",
    ("team.md", "pip install 'acp-trace[spark]'"): "tests/spark, with a cluster on this machine",
    ("team.md", "pip install"): "not run: it installs; tests/bucket has the packages",
    (
        "team.md",
        "acp-trace team push",
    ): "tests/cli/test_push, with a directory; tests/bucket, with a bucket as well",
    ("transports.md", "pip install"): "not run: it installs; tests/transport has the packages",
    (
        "transports.md",
        "acp-trace show",
    ): "tests/report/test_streams, tests/cli/test_frames, with such a trace",
    ("transports.md", "acp-trace record"): "tests/record/network/test_command, with a port of its own",
    ("a-bug-found.md", "acp-trace show"): "test_cookbook",
    ("a-bug-found.md", "acp-trace frames"): "test_cookbook runs the line with the recording",
    ("a-bug-found.md", "npm install"): "not run: it needs npm, for minutes",
    ("a-bug-found.md", "acp-trace replay"): "not run: it needs the versions from npm",
    ("a-bug-found.md", "acp-trace bisect"): "not run: it needs npm, for minutes",
    ("conform.md", "acp-tck"): "tests/cli/test_conform, with a report of its own",
    ("mcp.md", "pip install"): "not run: it installs; tests/mcp_server runs the server",
    ("SKILL.md", "acp-trace"): "test_skill runs each line",
    ("team.md", "acp-trace team build"): "tests/lake/test_commands, with a directory and a bucket",
    ("team.md", "acp-trace team query"): "tests/lake/test_commands, with a directory and a bucket",
    ("team.md", "acp-trace team prune"): "tests/cli/test_push, with a directory",
    ("import.md", "acp-trace show"): "tests/cli/test_logs_as_traces, with logs of other tools",
    ("import.md", "acp-trace import"): "tests/cli/test_import, with logs of other tools",
    ("model.md", "pip install"): "not run: it installs; tests/record/test_model_side runs the rest",
    ("model.md", "ACP_TRACE_MODEL_MAP"): "tests/record/test_model_side, with a host of its own",
    ("model.md", "acp-trace record --model-base"): "tests/record/test_model_side, with a URL of its own",
    ("pytest.md", "pytest "): "test_pytest_page runs each line",
    ("pytest.md", "acp-trace replay"): "test_recipes_with_agents",
    ("README.md", "pip install acp-trace &&"): "not run: it installs; `just release-proof` runs it",
    ("ci.md", "pip install"): "test_ci_page, with an agent of its own",
    ("ci.md", "npm install"): "not run: it needs npm; tests/workflows/test_example runs it",
    (
        "README.md",
        "cd docs/examples/agent-in-ci",
    ): "not run: it needs npm; tests/workflows/test_example runs the same",
    ("README.md", "acp-trace drive"): "tests/cli/test_drive, with an agent of its own",
    ("README.md", "mkdir traces"): "tests/workflows/test_example does the same",
    ("install.md", "docker build --tag acp-trace"): "not run: it needs Docker; container.yml runs it",
    ("install.md", "docker build --tag my-agent"): "not run: it needs Docker, and an image with an agent",
    ("README.md", "pip install -e"): "not run: it installs, and runs these tests",
    ("benchmarks.md", "just bench"): "not run: benchmarks take minutes",
    ("reliability.md", "just faults"): "not run: the faults take eleven minutes",
    (
        "README.md",
        "pip install '.[model]'",
    ): "not run: it needs npm; test_hermetic_page looks at what it says",
    ("hermetic.md", "just hermetic"): "not run: it needs the real agents",
    ("hermetic.md", "just record-agents"): "not run: it installs agents, and takes two hours",
    ("hermetic.md", "pytest tests/"): "not run: these tests are run anyway",
    ("hermetic.md", "just faults"): "not run: faults take minutes",
    ("hermetic.md", "just bench"): "not run: benchmarks take minutes",
    ("real.md", "just real"): "not run: it needs the real agents",
    ("exports.md", "ACP_TRACE_RUST_SDK"): "not run: it needs a checkout of the Rust SDK",
    ("exports.md", "just backend"): "not run: it installs a backend; tests/formats/backend has its parts",
}


def _kind(page: Path, block: str) -> str | None:
    """Where a block runs, or why it does not; None if nobody has decided."""
    if page.name in HERE:
        return "here"
    found = [why for (name, start), why in BLOCKS.items() if name == page.name and block.startswith(start)]
    return ELSEWHERE.get(page.name) or (found[0] if found else None)


def test_every_block_runs_or_says_why_not() -> None:
    """A new one has to be put into the tables above; one that is gone has to leave them."""
    decided = [(page.name, block, _kind(page, block)) for page in PAGES for block in blocks(page, "sh")]
    assert [(name, block) for name, block, kind in decided if kind is None] == []
    for name, start in BLOCKS:
        assert any(page == name and block.startswith(start) for page, block, _ in decided), (name, start)
    for name in (*HERE, *ELSEWHERE):
        assert any(page == name for page, _, _ in decided), name


@pytest.fixture
def checkout(tmp_path: Path, commands: Commands, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the files that the pages speak of, and two traces in the store."""
    (tmp_path / "sample_traces").symlink_to(REPOSITORY / "sample_traces")
    sample = REPOSITORY / "sample_traces" / "opencode-acpx.jsonl"
    for name in ("expected.jsonl", "got.jsonl", "session.jsonl"):
        shutil.copy(sample, tmp_path / name)
    shutil.copy(REPOSITORY / "tests" / "formats" / "data" / "toad" / "toad.log", tmp_path / "issue.txt")
    (tmp_path / "mine.toml").write_text(blocks(DOCS / "redact.md", "toml")[0], "utf-8")
    monkeypatch.chdir(tmp_path)
    for trace in sorted((REPOSITORY / "sample_traces").glob("*.jsonl"))[:2]:
        commands.passes("load", trace)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", ["clients.md", "export.md", *HERE])
def test_the_commands_run_as_copied(commands: Commands, checkout: Path, page: str) -> None:
    """Each line, with what a shell does to it: quotes, comments, globs."""
    ran = 0
    for block in blocks(DOCS / page, "sh"):
        if _kind(DOCS / page, block) != "here":
            continue
        for line in block.splitlines():
            program, *words = shlex.split(line, comments=True)
            assert program == "acp-trace", line
            args = [
                one for word in words for one in (sorted(glob.glob(word)) if "*.jsonl" in word else [word])
            ]
            said = commands(*args)
            assert said.code in HERE.get(page, (0,)), (line, said)
            ran += 1
    assert ran
    assert checkout.is_dir()
