"""The types of the page's scripts, which stand in their comments."""

import subprocess

import pytest

from tests.real import packages
from tests.support import REPOSITORY

pytestmark = pytest.mark.browser

_SCRIPTS = REPOSITORY / "acp_trace" / "report" / "page" / "assets" / "scripts"


def test_types_hold() -> None:
    """`tsc --checkJs`, strictly, over all that the page imports."""
    compiler = packages.npm(*packages.TYPESCRIPT) / ".bin" / "tsc"
    checked = subprocess.run(
        [compiler, "--noEmit", "--checkJs", "--allowJs", "--strict", "--target", "es2023", "--lib", "es2023,dom,dom.iterable",
         "--module", "esnext", _SCRIPTS / "main.js", _SCRIPTS / "list_main.js"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (checked.returncode, checked.stdout) == (0, "")
