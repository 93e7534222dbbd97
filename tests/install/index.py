"""What PyPI and npm would answer for this release, from a directory and a port of this machine.

Both are static: PyPI's is a page of links (PEP 503), npm's is one document. Clients are told where it is by variables,
so the commands stay those that a user types; all dependencies come from where they come from anyway.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

NAME = "acp-trace"


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: most requests are for packages that this index does not have."""

    def copyfile(self, source: Any, outputfile: Any) -> None:
        """Note what is fetched."""
        assert isinstance(self.server, _Server)
        self.server.fetched.add(self.path.rpartition("/")[2])
        super().copyfile(source, outputfile)


class _Server(ThreadingHTTPServer):
    fetched: set[str]


class Index:
    """Both registries, on a port of this machine."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self.url = f"http://127.0.0.1:{server.server_port}"

    def variables(self) -> dict[str, str]:
        """What makes pip, pipx, uv and npm look here, too; npm looks here alone."""
        simple = f"{self.url}/simple/"
        return {"PIP_EXTRA_INDEX_URL": simple, "UV_INDEX": simple, "npm_config_registry": f"{self.url}/npm/"}

    def has_served(self, ending: str) -> bool:
        """Whether a file whose name ends like this was fetched."""
        return any(name.endswith(ending) for name in self._server.fetched)


@contextmanager
def served(dist: Path, root: Path) -> Iterator[Index]:
    """An index of the files in `dist`; `root` is an empty directory for it."""
    wheels = [path for path in sorted(dist.iterdir()) if path.suffix in {".whl", ".gz"}]
    _lay_out_pypi(wheels, root / "simple" / NAME)
    server = _Server(("127.0.0.1", 0), partial(_Handler, directory=str(root)))
    server.fetched = set()
    for package in dist.glob("*.tgz"):
        _lay_out_npm(package, root / "npm", f"http://127.0.0.1:{server.server_port}/npm")
    thread = Thread(target=server.serve_forever, args=(0.05,))  # s, between two looks whether to stop
    thread.start()
    try:
        yield Index(server)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _lay_out_pypi(files: list[Path], directory: Path) -> None:
    directory.mkdir(parents=True)
    links = []
    for file in files:
        shutil.copy(file, directory)
        links.append(
            f'<a href="{file.name}#sha256={_digest(file, "sha256").hexdigest()}">{file.name}</a><br>'
        )
    (directory / "index.html").write_text("<!DOCTYPE html>\n" + "\n".join(links) + "\n", "utf-8")


def _lay_out_npm(package: Path, directory: Path, url: str) -> None:
    """`NAME-VERSION.tgz`, with the one command that `npx` runs."""
    directory.mkdir(parents=True)
    shutil.copy(package, directory)
    version = package.stem.removeprefix(f"{NAME}-")
    release = {
        "name": NAME,
        "version": version,
        "bin": {NAME: f"{NAME}.js"},
        "dist": {"tarball": f"{url}/{package.name}", "shasum": _digest(package, "sha1").hexdigest()},
    }
    document = {"name": NAME, "dist-tags": {"latest": version}, "versions": {version: release}}
    (directory / NAME).write_text(json.dumps(document), "utf-8")


def _digest(file: Path, kind: str) -> hashlib._Hash:
    return hashlib.new(kind, file.read_bytes())
