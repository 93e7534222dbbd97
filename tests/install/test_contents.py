"""An archive that has too little or too much is noticed, file by file."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

from tests.install.contents import sdist_faults, wheel_faults

_CHECKOUT = {
    "acp_trace/__init__.py",
    "acp_trace/report/page.css",
    "acp_trace/a.d.ts",
    "tests/test_a.py",
    "README.md",
    "docs/evidence/real.md",
    "docs/images/a.png",
}
_INFO = "acp_trace-0.1.0.dist-info"
_METADATA = {
    f"{_INFO}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
}
_PAGE = "acp_trace/manual/pages/evidence/real.md"
_GOOD_WHEEL = {"acp_trace/__init__.py", "acp_trace/report/page.css", _PAGE, *_METADATA}


def _wheel(directory: Path, names: set[str], readme: str = "") -> Path:
    path = directory / "acp_trace-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, readme)
    return path


def _sdist(directory: Path, names: set[str]) -> Path:
    path = directory / "acp_trace-0.1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(f"acp_trace-0.1.0/{name}"), io.BytesIO())
    return path


def test_a_wheel_is_the_package_and_its_metadata(tmp_path: Path) -> None:
    """No file of the page is forgotten, and no test or cache gets in."""
    assert list(wheel_faults(_wheel(tmp_path, _GOOD_WHEEL), _CHECKOUT)) == []
    less = _GOOD_WHEEL - {"acp_trace/report/page.css"}
    assert list(wheel_faults(_wheel(tmp_path, less), _CHECKOUT)) == ["acp_trace/report/page.css is missing"]
    more = _GOOD_WHEEL | {"tests/test_a.py", "acp_trace/__pycache__/a.pyc"}
    assert list(wheel_faults(_wheel(tmp_path, more), _CHECKOUT)) == [
        "acp_trace/__pycache__/a.pyc does not belong there",
        "tests/test_a.py does not belong there",
    ]


def test_a_link_of_the_readme_leads_somewhere_from_pypi(tmp_path: Path) -> None:
    """PyPI shows the README far from our files."""
    good = '[a](https://example.org/a.md) [b](#b) <img src="https://example.org/a.png">'
    assert list(wheel_faults(_wheel(tmp_path, _GOOD_WHEEL, good), _CHECKOUT)) == []
    bad = '[a](docs/a.md) <img src="docs/a.png">'
    assert [fault.split()[3] for fault in wheel_faults(_wheel(tmp_path, _GOOD_WHEEL, bad), _CHECKOUT)] == [
        "docs/a.md",
        "docs/a.png",
    ]


def test_an_sdist_is_the_checkout(tmp_path: Path) -> None:
    """With all that its tests need, and nothing that somebody left lying about."""
    assert list(sdist_faults(_sdist(tmp_path, {*_CHECKOUT, "PKG-INFO"}), _CHECKOUT)) == []
    odd = {*_CHECKOUT, "PKG-INFO", "notes.md"} - {"README.md"}
    assert list(sdist_faults(_sdist(tmp_path, odd), _CHECKOUT)) == [
        "README.md is missing",
        "notes.md does not belong there",
    ]
