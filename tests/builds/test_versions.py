"""Which published versions are meant, for both registries."""

from __future__ import annotations

import pytest

from acp_trace.builds.semver import BadVersion
from acp_trace.builds.versions import between, chosen, ordered, package, published_as

NPM = ["1.10.0", "1.2.0", "2.0.0-rc.1", "1.2.0-nightly.1", "latest?", "1.17.0", "1.18.33", "2.0.0", "../x"]
PYPI = ["1.0", "1.0rc1", "1.0.post1", "0.9", "1!0.1", "1.0.dev3", "1.0+local", "1.10", "no version"]


def test_versions_are_in_the_order_of_their_registry() -> None:
    """What is not a version is left out: it could name a directory."""
    assert ordered("npm", NPM) == [
        "1.2.0-nightly.1", "1.2.0", "1.10.0", "1.17.0", "1.18.33", "2.0.0-rc.1", "2.0.0",
    ]  # fmt: skip
    assert ordered("pypi", PYPI) == [
        "0.9",
        "1.0.dev3",
        "1.0rc1",
        "1.0",
        "1.0+local",
        "1.0.post1",
        "1.10",
        "1!0.1",
    ]


@pytest.mark.parametrize(
    ("wanted", "versions"),
    [
        ("1.10.0..2.0.0", ["1.10.0", "1.17.0", "1.18.33", "2.0.0"]),
        ("1.17.0 .. ", ["1.17.0", "1.18.33", "2.0.0"]),
        ("..1.2.0", ["1.2.0"]),
        ("1.18.33..2.0.0-rc.1", ["1.18.33", "2.0.0-rc.1"]),
        ("^1.10", ["1.10.0", "1.17.0", "1.18.33"]),
        ("1.2.0||2.0.0", ["1.2.0", "2.0.0"]),
        ("", ["1.2.0", "1.10.0", "1.17.0", "1.18.33", "2.0.0"]),
        ("3.x", []),
    ],
)
def test_a_range_of_npm(wanted: str, versions: list[str]) -> None:
    """Also `A..B`, which npm does not have; pre-releases only if A or B is one."""
    assert chosen("npm", wanted, NPM) == versions


@pytest.mark.parametrize(
    ("wanted", "versions"),
    [
        ("0.9..1.10", ["0.9", "1.0", "1.0+local", "1.0.post1", "1.10"]),
        (">=1.0,<1.10", ["1.0", "1.0+local", "1.0.post1"]),
        ("~=1.0", ["1.0", "1.0+local", "1.0.post1", "1.10"]),
        ("==1.0.*", ["1.0", "1.0+local", "1.0.post1"]),
        ("1.10", ["1.10"]),
        ("1.0rc1..1.0", ["1.0rc1", "1.0"]),
    ],
)
def test_a_range_of_pypi(wanted: str, versions: list[str]) -> None:
    """Specifiers, one version, and `A..B`."""
    assert chosen("pypi", wanted, PYPI) == versions


def test_pre_releases_and_the_newest() -> None:
    """Both can be asked for."""
    assert chosen("npm", "^1.2.0", NPM, newest=2) == ["1.17.0", "1.18.33"]
    assert chosen("npm", "1.2.0-nightly.1..1.2.0", NPM) == ["1.2.0-nightly.1", "1.2.0"]
    assert between("npm", NPM, None, "1.2.0", pre=True) == ["1.2.0-nightly.1", "1.2.0"]
    assert chosen("pypi", ">=1.0rc1,<1.0.post1", PYPI, pre=True) == ["1.0rc1", "1.0", "1.0+local"]


@pytest.mark.parametrize(
    ("registry", "text", "name", "wanted"),
    [
        ("npm", "opencode-ai@1.17.0..1.18.33", "opencode-ai", "1.17.0..1.18.33"),
        ("npm", "@google/gemini-cli@^0.50", "@google/gemini-cli", "^0.50"),
        ("npm", "@google/gemini-cli", "@google/gemini-cli", ""),
        ("pypi", "fast-agent-mcp@>=0.9", "fast-agent-mcp", ">=0.9"),
        ("pypi", "fast-agent-mcp>=0.9,<1", "fast-agent-mcp", ">=0.9,<1"),
        ("pypi", "fast-agent-mcp", "fast-agent-mcp", ""),
    ],
)
def test_a_package_and_its_range(registry: str, text: str, name: str, wanted: str) -> None:
    """As npm writes it; PyPI also as pip does."""
    assert package("pypi" if registry == "pypi" else "npm", text) == (name, wanted)


@pytest.mark.parametrize("text", ["-x@1", "../x@1", "a/b/c@1", "git+ssh@1", "@a@1", "--registry=x", "a b"])
def test_what_is_not_a_package(text: str) -> None:
    """Neither an option nor a path nor an address gets to the registry's tool."""
    for registry in ("npm", "pypi"):
        with pytest.raises(BadVersion):
            package("pypi" if registry == "pypi" else "npm", text)


@pytest.mark.parametrize("wanted", ["latest", "2..1..0", "1.2.0..x", "2.0.0..1.2.0", "=>3"])
def test_what_is_not_a_range(wanted: str) -> None:
    """It is refused with one line."""
    with pytest.raises(BadVersion):
        chosen("npm", wanted, NPM)
    with pytest.raises(BadVersion):
        chosen("pypi", wanted, PYPI)


def test_an_end_must_be_published() -> None:
    """It is spelled as the registry spells it, or the nearest ones are proposed."""
    assert published_as("npm", "v1.17.0", ordered("npm", NPM)) == "1.17.0"
    with pytest.raises(BadVersion, match=r"no version 1\.18\.3; the nearest are 1\.17\.0 and 1\.18\.33"):
        published_as("npm", "1.18.3", ordered("npm", NPM))


def test_a_single_version_must_be_published() -> None:
    """Alone or among others: it would be missing from the result without a word."""
    assert chosen("npm", "1.17.0 || =1.18.33", NPM) == ["1.17.0", "1.18.33"]
    for registry, wanted, every in (
        ("npm", "1.17.0 || 1.18.3", NPM),
        ("npm", "1.18.3", NPM),
        ("pypi", "==1.0.7", PYPI),
    ):
        with pytest.raises(BadVersion, match=r"there is no version 1\.\d+\.\d; the nearest (is|are) "):
            chosen("pypi" if registry == "pypi" else "npm", wanted, every)
