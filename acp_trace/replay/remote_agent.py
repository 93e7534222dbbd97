"""An agent at a URL, in place of a started one, and which settings apply to it.

Settings of a process that is started here (its directory, its home, its model) do not apply: they are
refused, and not ignored.
"""

from __future__ import annotations

import os
import ssl

from acp_trace.record.model_side import Lacking
from acp_trace.replay.settings import SettingError, Settings
from acp_trace.trace.os_errors import reason
from acp_trace.transport import extra, remote
from acp_trace.transport.address import BadNetworkAddress, remote_address
from acp_trace.transport.remote import RemoteAgent

#: Settings of the process, by the names that users give them.
_OF_PROCESS = {
    "agent_cwd": "agent_cwd",
    "home": "home",
    "model": "model_mode",
    "model_strict": "model_strict",
    "model_base": "model_bases",
}
_OFF = "off"


def remote_agent(settings: Settings) -> RemoteAgent | None:
    """Return the agent at the URL of the settings; None if they have none. Opens no connection.

    Reads a file and the environment. Raises SettingError if that fails, and Lacking if the packages for it
    are not installed.
    """
    if settings.url is None:
        of_url = {"ca": settings.ca, "allow_remote": settings.allow_remote, "header": settings.headers}
        if given := [name for name, value in of_url.items() if value]:
            raise SettingError(f"{given[0]} works only with url: give url, or leave {given[0]} out")
        return None
    for name, field in _OF_PROCESS.items():
        if getattr(settings, field) not in (None, False, (), _OFF):
            raise SettingError(
                f"{name} works only for an agent that acp-trace starts: leave it out, or leave out url"
            )
    try:
        address = remote_address(settings.url)
    except BadNetworkAddress as error:
        raise SettingError(f"url is {error}") from None
    if not (settings.allow_remote or address.is_loopback):
        raise SettingError(
            f"url is on another machine ({address.host}), which would receive everything that the recorded "
            f"client sent: give --allow-remote (allow_remote) if that is intended"
        )
    if settings.ca is not None and not address.is_secure:
        raise SettingError("ca needs https or wss: the url has no TLS")
    if not extra.is_installed():
        raise Lacking(extra.INSTALL)
    try:
        return remote.reached(
            address,
            authorities=None if settings.ca is None else str(settings.ca),
            given=settings.headers,
            environment=os.environ,
        )
    except remote.BadHeader as error:
        raise SettingError(str(error)) from None
    except ssl.SSLError as error:
        raise SettingError(f"ca: {settings.ca} has no certificates in PEM ({error.reason})") from None
    except OSError as error:
        raise SettingError(f"ca: {settings.ca}: {reason(error)}") from None
