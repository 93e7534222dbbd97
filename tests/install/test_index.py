"""The index on this machine answers as PyPI and npm do, and knows what it served."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from urllib.request import urlopen

from tests.install.index import served
from tests.support import DEADLINE_S


def _got(url: str) -> bytes:
    with urlopen(url, timeout=DEADLINE_S) as answer:
        body: bytes = answer.read()
    return body


def test_both_registries_lead_to_the_files(tmp_path: Path) -> None:
    """With their digests, so that a client can tell a damaged file."""
    dist, root = tmp_path / "dist", tmp_path / "index"
    dist.mkdir()
    wheel, package = dist / "acp_trace-0.1.0-py3-none-any.whl", dist / "acp-trace-0.1.0.tgz"
    wheel.write_bytes(b"a wheel")
    package.write_bytes(b"a package")
    with served(dist, root) as index:
        variables = index.variables()
        page = _got(f"{variables['PIP_EXTRA_INDEX_URL']}acp-trace/").decode()
        assert f'href="{wheel.name}#sha256={hashlib.sha256(b"a wheel").hexdigest()}"' in page
        document = json.loads(_got(f"{variables['npm_config_registry']}acp-trace"))
        release = document["versions"][document["dist-tags"]["latest"]]
        assert (release["version"], release["bin"]) == ("0.1.0", {"acp-trace": "acp-trace.js"})
        assert not index.has_served(".tgz")
        assert _got(release["dist"]["tarball"]) == b"a package"
        assert (index.has_served(".tgz"), index.has_served(".whl")) == (True, False)
