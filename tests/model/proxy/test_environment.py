"""What an agent is given, so that its traffic comes to the proxy and it trusts what answers."""

from __future__ import annotations

import ssl
import stat
from pathlib import Path

import pytest

from acp_trace.model.proxy import environment
from acp_trace.model.proxy.environment import SET, for_agent

_PROXY = "http://acp-trace:word@127.0.0.1:4711"
_OURS = b"-----BEGIN CERTIFICATE-----\nours\n-----END CERTIFICATE-----\n"


def _given(path: Path, **given: str) -> dict[str, str]:
    roots = path / "roots.pem"
    roots.write_bytes(b"the roots")
    return for_agent({"SSL_CERT_FILE": str(roots), **given}, _PROXY, _OURS, str(path / "home" / "model"))


def test_proxies_and_what_is_left_out(tmp_path: Path) -> None:
    """In both spellings; this machine is reached without the proxy, whatever the user left out is not."""
    changes = _given(tmp_path, NO_PROXY="internal.example", HTTPS_PROXY="http://theirs:1")
    for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"):
        assert changes[name] == _PROXY
    assert changes["NO_PROXY"] == changes["no_proxy"]
    assert {"localhost", "127.0.0.1", "::1"} < set(changes["NO_PROXY"].split(","))
    assert "[" not in changes["NO_PROXY"]  # httpx 0.28: InvalidURL for every client that is made
    assert "internal" not in changes["NO_PROXY"]
    assert changes["NODE_USE_ENV_PROXY"] == "1"
    assert _given(tmp_path, NODE_USE_ENV_PROXY="0")["NODE_USE_ENV_PROXY"] == "0"


def test_every_variable_is_explained(tmp_path: Path) -> None:
    """A replay shows them all, and lets nothing else set them."""
    assert _given(tmp_path).keys() == SET.keys()
    assert all(SET.values())


def test_certificates_are_joined_with_the_users_own(tmp_path: Path) -> None:
    """Beside the runtime's: ours and theirs. In place of them: the system's, ours and theirs, each once."""
    more, bundle = tmp_path / "more.pem", tmp_path / "bundle.pem"
    more.write_bytes(b"more")
    bundle.write_bytes(b"theirs\n")
    changes = _given(
        tmp_path, NODE_EXTRA_CA_CERTS=str(more), REQUESTS_CA_BUNDLE=str(bundle), PIP_CERT="/nowhere"
    )
    assert Path(changes["NODE_EXTRA_CA_CERTS"]).read_bytes() == _OURS + b"more\n"
    assert changes["DENO_CERT"] == changes["NODE_EXTRA_CA_CERTS"]
    everything = Path(changes["SSL_CERT_FILE"])
    assert everything.read_bytes() == b"the roots\n" + _OURS + b"more\ntheirs\n"
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO"):
        assert changes[name] == str(everything)
    assert stat.S_IMODE(everything.parent.stat().st_mode) == 0o700


def test_certificates_that_are_in_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows keeps them in a store: an agent that trusts only a file gets them all the same."""

    class Context:
        """Of a system with a store of two certificates."""

        def __init__(self, _: object) -> None:
            self._found: list[bytes] = []

        def load_default_certs(self) -> None:
            """From the store."""
            self._found = [b"one", b"two"]

        def get_ca_certs(self, *, binary_form: bool) -> list[bytes]:
            """What was loaded, as DER."""
            assert binary_form
            return self._found

    monkeypatch.setattr(environment, "read_file", lambda _: b"")
    monkeypatch.setattr(ssl, "SSLContext", Context)
    roots = environment.system_roots({}).decode()
    assert roots == ssl.DER_cert_to_PEM_cert(b"one") + ssl.DER_cert_to_PEM_cert(b"two")


def test_the_same_certificates_are_the_same_file(tmp_path: Path) -> None:
    """Recordings at the same time share it, and none is left from earlier ones."""
    first = _given(tmp_path)
    written = Path(first["SSL_CERT_FILE"]).stat().st_mtime_ns
    assert _given(tmp_path) == first
    assert Path(first["SSL_CERT_FILE"]).stat().st_mtime_ns == written
    assert len(list((tmp_path / "home" / "model").iterdir())) == 2
