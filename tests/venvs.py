"""Virtual environments that tests and scripts make, by uv: it resolves in a second what takes pip a minute."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def making(python: str | Path, folder: Path) -> list[str]:
    """The command that makes an empty virtual environment in `folder`, of this interpreter."""
    return [sys.executable, "-m", "uv", "venv", "--quiet", "--clear", "--python", str(python), str(folder)]


def installing(folder: Path, *requirements: str) -> list[str]:
    """The command that installs packages into the environment in `folder`. `-e PATH` is two of them."""
    return [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "install",
        "--quiet",
        "--python",
        str(inside(folder)),
        *requirements,
    ]


def inside(folder: Path) -> Path:
    """The interpreter of the environment in `folder`."""
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"
