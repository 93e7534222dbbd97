"""The ways to install acp-trace of docs/install.md: what the machine has, and what a user types."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Way:
    """One way from nothing to the end of the demo.

    `has`: the programs on the PATH of the machine, which has no others. `script`: shell lines, from
    docs/install.md; `$CHECKOUT` is this one. `fetches`: endings of the files of the release that it must fetch.
    `rare`: tried with `--all` only, because it differs little from another.
    """

    name: str
    has: tuple[str, ...]
    script: str
    fetches: tuple[str, ...] = (".whl",)
    rare: bool = False


_VENV = "python3 -m venv .venv && . .venv/bin/activate"

WAYS = (
    Way("pip", ("python3",), f"{_VENV}\npip install acp-trace && acp-trace demo"),
    Way(
        "pip, from the sdist",
        ("python3",),
        f"{_VENV}\npip install --no-binary acp-trace acp-trace && acp-trace demo",
        (".tar.gz",),
        rare=True,  # the wheel is built from the sdist, too
    ),
    Way("uvx", ("uv", "uvx", "python3"), "uvx acp-trace demo"),
    Way(
        "uvx, from a checkout",
        ("uv", "uvx", "python3"),
        'uvx --from "$CHECKOUT" acp-trace demo',
        (),
        rare=True,  # builds the package once more
    ),
    Way(
        "uv tool",
        ("uv", "python3"),
        'uv tool install acp-trace && "$HOME/.local/bin/acp-trace" demo',
        rare=True,
    ),
    Way("pipx", ("pipx", "python3"), 'pipx install acp-trace && "$HOME/.local/bin/acp-trace" demo'),
    Way("npx, with uv", ("node", "npx", "uv", "python3"), "npx --yes acp-trace demo", (".tgz", ".whl")),
    Way(
        "npx, with pipx",
        ("node", "npx", "pipx", "python3"),
        "npx --yes acp-trace demo",
        (".tgz", ".whl"),
        rare=True,
    ),
)
