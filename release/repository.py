"""Our owner and name on GitHub, in one place. `python release/repository.py OWNER/NAME` fills them in.

Files that cannot import a constant (a README, a `package.json`) have copies, which `COPIES` names. A test and
`release/check.py` compare them with `REPOSITORY`, and look for others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

#: The owner of the repository replaces the placeholder OWNER, with the command above.
REPOSITORY = "OWNER/acp-trace"


def _site(repository: str) -> str:
    """Return the address at which GitHub Pages has the site of a repository."""
    owner, _, name = repository.partition("/")
    return f"https://{owner}.github.io/{name}/"


#: Where the documentation is published. It has a directory for each version.
SITE = _site(REPOSITORY)

#: Each file that repeats it.
COPIES = (
    *("README.md", "CODE_OF_CONDUCT.md", "pyproject.toml", "npm/package.json", "Dockerfile", "docs/ci.md"),
    *(".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/config.yml"),
    "docs/examples/agent-in-ci/.github/workflows/agent.yml",
    "docs/examples/nightly/.github/workflows/nightly.yml",
)

ROOT = Path(__file__).resolve().parents[1]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
#: Where a text names a repository of this name: in an address, as an action, or as a template.
_NAMED = re.compile(r"(?:github\.com[/:]|uses: *|gitlab\.com/)([\w.-]+/acp-trace)\b(?!-)")
_SITED = re.compile(r"https://[\w-]+\.github\.io/acp-trace/")


def strangers(text: str, own: str = REPOSITORY) -> list[str]:
    """The repositories named acp-trace in a text that are not `own`: copies that were forgotten."""
    sites = {site for site in _SITED.findall(text) if site != _site(own)}
    return sorted({name for name in _NAMED.findall(text) if name != own} | sites)


def wrong_copies(root: Path = ROOT) -> Iterator[str]:
    """One line for each file of `COPIES` that does not have the constant, or has another one."""
    for name in COPIES:
        text = (root / name).read_text("utf-8")
        if REPOSITORY not in text:
            yield f"{name} does not name {REPOSITORY}"
        for other in strangers(text):
            yield f"{name} names {other}, not {REPOSITORY}"


def fill_in(name: str, root: Path = ROOT) -> None:
    """Replace the constant and its copies with `name`. Raises ValueError unless that is `owner/name`."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not of the form OWNER/NAME")
    for file in ("release/repository.py", *COPIES):
        path = root / file
        text = path.read_bytes().replace(REPOSITORY.encode(), name.encode())
        path.write_bytes(text.replace(SITE.encode(), _site(name).encode()))


if __name__ == "__main__":
    try:
        fill_in(" ".join(sys.argv[1:]))
    except ValueError as fault:
        sys.exit(f"{fault}. Usage: python release/repository.py OWNER/NAME")
