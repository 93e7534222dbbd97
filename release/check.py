"""Decide whether a tag may be released: `python release/check.py v0.1.0`.

A release has one number, which is in `acp_trace/__init__.py`. The tag, the npm package, the pins in the docs
and the newest section of CHANGELOG.md have to agree with it. The script prints one line for each that does
not, and ends with 1. With `--notes FILE`, the text of that section becomes the notes of the release.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from acp_trace import __version__
from release.repository import REPOSITORY, ROOT, wrong_copies

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_PIN = re.compile(r"\bacp-trace(?:\[[\w,]+\])?(?:==|@v)([\w.]+)")
_RELATIVE = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")
_PINNED_IN = (
    *("README.md", "npm/README.md", "docs/ci.md", "docs/install.md", "docs/versioning.md"),
    "docs/examples/agent-in-ci/.gitlab-ci.yml",
    "docs/examples/agent-in-ci/.github/workflows/agent.yml",
    "docs/examples/nightly/.github/workflows/nightly.yml",
)


def main(words: Sequence[str]) -> int:
    """Print what is wrong, or write the notes; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description="Decide whether a tag may be released.")
    parser.add_argument("tag", help="v, and the version")
    parser.add_argument("--repository", metavar="OWNER/NAME", default=REPOSITORY, help="where the tag is")
    parser.add_argument("--notes", metavar="FILE", type=Path, help="write the notes of the release there")
    options = parser.parse_args(words)
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    wrong = [*faults(ROOT, options.tag, options.repository), *changelog_faults(changelog, __version__)]
    for line in wrong:
        print(line, file=sys.stderr)
    if options.notes and not wrong:
        options.notes.write_text(notes(changelog, __version__), "utf-8")
    return int(bool(wrong))


def faults(root: Path, tag: str, repository: str) -> Iterator[str]:
    """Each place whose version or repository is not that of the tag, one line each."""
    if tag != f"v{__version__}":
        yield f"the tag is {tag}, but acp_trace/__init__.py says {__version__}: v{__version__} is its tag"
    package = json.loads((root / "npm" / "package.json").read_text("utf-8"))
    if package["version"] != __version__:
        yield f"npm/package.json says {package['version']}, not {__version__}"
    for page in _PINNED_IN:
        for pin in sorted({*_PIN.findall((root / page).read_text("utf-8"))}):
            if pin != __version__:
                yield f"{page} pins acp-trace=={pin}, not {__version__}"
    if repository != REPOSITORY:
        yield f"this is {repository}, not {REPOSITORY}: run python release/repository.py {repository}"
    yield from wrong_copies(root)


def changelog_faults(changelog: str, version: str) -> Iterator[str]:
    """Why the changelog has no notes for `version`: its section has to be the first one, and has a text."""
    newest = next(iter(_HEADING.findall(changelog)), "")
    if not _is_of(newest, version):
        yield f"CHANGELOG.md begins with {newest or 'no heading'}: move its lines to [{version}]"
    elif not notes(changelog, version).strip():
        yield f"CHANGELOG.md says nothing about {version}"


def notes(changelog: str, version: str) -> str:
    """The section of `version` without its heading; empty if there is none.

    Links into the repository become links to the files of the tag, because notes are read elsewhere.
    """
    files = f"https://github.com/{REPOSITORY}/blob/v{version}"
    parts = _HEADING.split(changelog)[1:]
    for heading, body in zip(parts[::2], parts[1::2], strict=True):
        if _is_of(heading, version):
            return _RELATIVE.sub(rf"]({files}/\1)", body.strip()) + "\n"
    return ""


def _is_of(heading: str, version: str) -> bool:
    return heading == f"[{version}]" or heading.startswith(f"[{version}] - ")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
