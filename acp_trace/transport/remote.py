"""A remote agent, and how to connect to it: its address, its certificates, the headers of each request.

Values of headers are secrets: none is in a message, a repr or a trace. The same holds for a URL's password.
"""

from __future__ import annotations

import base64
import re
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from acp_trace.transport.address import RemoteAddress

#: RFC 9110, 5.6.2 and 5.5. Other than ASCII has no agreed meaning in a value.
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e]+")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_LONGEST = 8192  #: characters of a value: servers take no more (Node: 16 KiB for all headers)
#: Set by acp-trace itself, or by the library that sends.
_OURS = frozenset(
    b"accept accept-encoding acp-connection-id acp-session-id connection content-encoding content-length "
    b"content-type expect host keep-alive te trailer transfer-encoding upgrade".split()
)
_AUTHORIZATION = "authorization"
_HIDDEN = "‹hidden›"
_SHORTEST = 4  #: characters of a secret that is searched for: shorter ones occur in any text


class BadHeader(ValueError):
    """It cannot be sent as a header: one line with the reason, without its value."""


@dataclass(frozen=True, slots=True)
class GivenHeader:
    """A header as a user gives it: `${NAME}` in its text is an environment variable."""

    name: str
    text: str = field(repr=False)

    def value(self, environment: Mapping[str, str]) -> str:
        """Return the value to send. Raises BadHeader."""
        if "${" in _VARIABLE.sub("", self.text):
            raise BadHeader(
                f"the value of the header {self.name} has a ${{ that no variable name and }} follow"
            )
        missing = [name for name in _VARIABLE.findall(self.text) if name not in environment]
        if missing:
            raise BadHeader(f"the header {self.name} needs the variable {missing[0]}, which is not set")
        value = _VARIABLE.sub(lambda match: environment[match[1]], self.text).strip()
        if not _VALUE.fullmatch(value):
            why = "is empty" if not value else "has characters that are not printable ASCII"
            raise BadHeader(f"the value of the header {self.name} {why}")
        if len(value) > _LONGEST:
            raise BadHeader(f"the value of the header {self.name} has more than {_LONGEST:,} characters")
        return value


def given_header(text: str) -> GivenHeader:
    """Parse `NAME: VALUE`. Raises BadHeader."""
    name, colon, value = text.partition(":")
    if not colon or not _NAME.fullmatch(name):  # the text may be the secret itself
        raise BadHeader("a header is given as 'NAME: VALUE', such as 'Authorization: Bearer ${TOKEN}'")
    if name.lower().encode() in _OURS or name.lower().startswith("sec-websocket-"):
        raise BadHeader(f"the header {name} is set by acp-trace")
    return GivenHeader(name, value)


@dataclass(frozen=True, slots=True)
class RemoteAgent:
    """An agent's address, and how to connect to it. `headers`: names and values.

    `trust`: None without TLS, or if the system's certificates are trusted.
    """

    address: RemoteAddress
    trust: ssl.SSLContext | None = None
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def verify(self) -> ssl.SSLContext | bool:
        """The certificates to trust, in httpx's form: with TLS, they are always verified."""
        return self.address.is_secure if self.trust is None else self.trust

    @property
    def own_names(self) -> frozenset[bytes]:
        """The names of the headers, in lower case."""
        return frozenset(name.lower().encode() for name, _ in self.headers)

    def hide(self, text: str) -> str:
        """Return a text of its server, which may repeat a request, without the values of the headers."""
        for secret in self._secrets():
            text = text.replace(secret, _HIDDEN)
        return text

    def _secrets(self) -> list[str]:
        """Return the secrets, longest first: each value, and the last word of it, as in `Bearer VALUE`."""
        credentials = self.address.credentials
        found = {value for _, value in self.headers} | {value.split()[-1] for _, value in self.headers}
        found |= {credentials.partition(":")[2]} | {
            unquote_to_bytes(credentials).decode("utf-8", "replace").partition(":")[2]
        }
        return sorted((each for each in found if len(each) >= _SHORTEST), key=len, reverse=True)


def reached(
    address: RemoteAddress,
    *,
    authorities: str | None,
    given: Sequence[GivenHeader],
    environment: Mapping[str, str],
) -> RemoteAgent:
    """Return the agent at an address; name and password of a URL are sent as a header (RFC 7617).

    `authorities`: a file of trusted certificates in PEM; None: the system's. Raises BadHeader, and OSError
    (with its subclass ssl.SSLError) if that file cannot be used.
    """
    headers = [(each.name, each.value(environment)) for each in given]
    if address.credentials:
        if any(name.lower() == _AUTHORIZATION for name, _ in headers):
            raise BadHeader("the URL has a name and a password, which are sent as Authorization, too")
        token = base64.b64encode(unquote_to_bytes(address.credentials)).decode()
        headers.append(("Authorization", f"Basic {token}"))
    trust = ssl.create_default_context(cafile=authorities) if address.is_secure else None
    return RemoteAgent(address, trust, tuple(headers))
