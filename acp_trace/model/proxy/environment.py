"""The variables that bring an agent's traffic to the proxy. Writes two files.

No single variable does it: each runtime and each library has its own. Variables for *additional* certificates
get ours, joined with the user's own; variables for *all* certificates get the system's roots too.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import ssl
import tempfile
from collections.abc import Mapping

from acp_trace.trace.names import make_private

#: Agents talk to their own servers on this machine, through any proxy that they are given. `::1` has no
#: brackets: with `[::1]` in the list, httpx makes no client at all ("Invalid port: ':1]'"), and most agents
#: in Python ask their models through httpx. Without it, `fetch` of Node.js reaches `[::1]` through the proxy.
_NOT_PROXIED = "localhost,127.0.0.1,::1,0.0.0.0"
_PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")
_NO_PROXIES = ("NO_PROXY", "no_proxy")
#: Certificates in addition to those that a runtime knows.
_MORE = ("NODE_EXTRA_CA_CERTS", "DENO_CERT")
#: The complete set of trusted certificates.
_ALL = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "AWS_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "PIP_CERT",
    "CARGO_HTTP_CAINFO",
    "CODEX_CA_CERTIFICATE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
)
_NODE = "NODE_USE_ENV_PROXY"
#: All variables that an agent is given here, and why. No other module sets them.
SET = {
    **dict.fromkeys(_PROXIES, "leads to acp-trace's proxy"),
    **dict.fromkeys(_NO_PROXIES, "what does not go through the proxy: servers of the agent on this machine"),
    **dict.fromkeys(_MORE, "certificates to trust in addition: with that of the proxy"),
    **dict.fromkeys(_ALL, "all certificates to trust: with that of the proxy"),
    _NODE: "Node.js heeds the proxy's variables",
}
#: Where Linux distributions and macOS keep the system's roots, if OpenSSL does not know it.
_ROOTS = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


def for_agent(given: Mapping[str, str], proxy: str, authority: bytes, directory: str) -> dict[str, str]:
    """Return what changes in the environment `given`. `authority`: its certificate, PEM. Raises OSError.

    `proxy`: the URL of the proxy. The certificates are written into `directory`, under names that follow from
    their content.
    """
    make_private(directory)
    own = [read_file(given.get(name)) for name in _MORE]
    more = _written(directory, "more", _joined([authority, *own]))
    own += [read_file(given.get(name)) for name in _ALL]
    everything = _written(directory, "all", _joined([system_roots(given), authority, *own]))
    return {
        **dict.fromkeys(_PROXIES, proxy),
        **dict.fromkeys(_NO_PROXIES, _NOT_PROXIED),
        **dict.fromkeys(_MORE, more),
        **dict.fromkeys(_ALL, everything),
        _NODE: given.get(_NODE, "1"),
    }


def system_roots(given: Mapping[str, str]) -> bytes:
    """Return the certificates that the agent would trust without us; none if they cannot be found."""
    known = ssl.get_default_verify_paths()
    for path in (given.get("SSL_CERT_FILE"), known.openssl_cafile, *_ROOTS):
        if roots := read_file(path):
            return roots
    # Windows has no such file, but a store, from which Python takes them.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_default_certs()
    return "".join(map(ssl.DER_cert_to_PEM_cert, context.get_ca_certs(binary_form=True))).encode()


def read_file(path: str | None) -> bytes:
    """Return the content of a file; nothing if it cannot be read."""
    if not path:
        return b""
    with contextlib.suppress(OSError), open(path, "rb") as stream:
        return stream.read()
    return b""


def _joined(parts: list[bytes]) -> bytes:
    """Join the parts, each once and with its newline."""
    return b"".join(dict.fromkeys(part.rstrip(b"\n") + b"\n" for part in parts if part.strip()))


def _written(directory: str, name: str, content: bytes) -> str:
    path = os.path.join(directory, f"{name}-{hashlib.sha256(content).hexdigest()[:16]}.pem")
    if read_file(path) != content:
        fd, hidden = tempfile.mkstemp(prefix=".", suffix=".new", dir=directory)
        with open(fd, "wb") as stream:
            stream.write(content)
        os.replace(hidden, path)
    return path
