"""The proxy's process from start to end: it listens, reports its address, and ends with its recorder."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from acp_trace.model.journal import RECORDER_ENDED
from acp_trace.model.late import LateSecrets
from acp_trace.model.proxy import environment, environment_note, profiles, settings
from acp_trace.model.proxy.admission import Admission
from acp_trace.model.proxy.ca import DIRECTORY, Authority
from acp_trace.model.proxy.connections import Connections
from acp_trace.model.proxy.listener import Proxy
from acp_trace.model.proxy.outbox import Outbox
from acp_trace.model.proxy.settings import Base, ProxySettings
from acp_trace.model.proxy.traffic import Traffic
from acp_trace.model.records import Record
from acp_trace.model.secrets import Secrets
from acp_trace.model.seen_traffic import SeenTraffic
from acp_trace.system.loop_pipes import outlet, receive
from acp_trace.trace.capture_layout import CANCELLED, LOST, MODEL_HEAD, RECORDER, WARNING
from acp_trace.trace.jsontext import text
from acp_trace.trace.names import home_directory

_HERE = "127.0.0.1"
_LONGEST_HEAD = 1 << 18
#: Connections that wait until they are accepted: agents open many at once.
_BACKLOG = 1024
_OUT, _CONTROL = 1, 0


async def run(words: dict[str, Any], now: Callable[[], int]) -> None:
    """Serve until the recorder ends. Sends it the agent's environment first. Raises OSError."""
    given = {name: value for name, value in os.environ.items() if name not in words.get("removed", ())}
    given |= words.get("environment", {})
    asked = ProxySettings(
        words["started"], words["everything"], settings.hosts(words["hosts"]), _bases(words["bases"], given)
    )
    loop = asyncio.get_running_loop()
    home = home_directory()
    authority = Authority.at(home)

    over = asyncio.Event()
    traffic: Traffic

    def forget() -> None:
        traffic.journal.forget()

    def control(command: bytes) -> None:
        if not command:
            over.set()
        if LOST in command:
            forget()
        for _ in range(command.count(CANCELLED)):
            upstream.cancelled()

    outbox = Outbox(outlet(_OUT, loop), lambda: now() - asked.started, forget)
    secrets, admission = Secrets(given), Admission()
    _hide(secrets, admission)
    upstream = _connections(words, given, secrets, outbox)
    late = LateSecrets(secrets)
    traffic = Traffic(
        secrets, lambda records: outbox.send(late.through(records)), everything=asked.everything
    )
    proxy = Proxy(asked, authority, upstream, traffic, admission)
    server = await asyncio.start_server(proxy.serve, _HERE, 0, limit=_LONGEST_HEAD, backlog=_BACKLOG)
    changes: dict[str, str] = {}
    for base in asked.bases:
        of_base = Admission()  # a base URL may be an argument of the agent, which other users can read
        _hide(secrets, of_base)
        listener = await asyncio.start_server(
            proxy.serve_base(base, of_base), _HERE, 0, limit=_LONGEST_HEAD, backlog=_BACKLOG
        )
        url = base.at(_HERE, listener.sockets[0].getsockname()[1], of_base.segment)
        name, value = profiles.led({**given, **changes}, base, url)
        changes |= {name: value, settings.BASE: url}
    # Last, so that no base URL's variable overrides it: all other traffic comes here.
    url = admission.proxy_url(_HERE, server.sockets[0].getsockname()[1])
    changes |= environment.for_agent(given, url, authority.pem, os.path.join(home, DIRECTORY))
    warnings = [WARNING + authority.warning] if authority.warning else []
    begun = "\0".join([*warnings, *(f"{name}={value}" for name, value in changes.items())])
    outbox.send([Record(RECORDER, 0, begun.encode("utf-8", "surrogateescape"))])
    Secrets.prepare()
    outbox.send([environment_note.note(given, asked.bases, secrets)])
    receive(_CONTROL, loop, control)
    upstream.prepare()
    await over.wait()
    outbox.send([*late.through(traffic.journal.close(RECORDER_ENDED)), *late.records(), *_unseen(traffic)])
    outbox.drain()
    os._exit(0)


def _unseen(traffic: Traffic) -> Iterator[Record]:
    """Return the record for the end of a recording without any model call."""
    if not traffic.journal.calls:
        seen = SeenTraffic(traffic.journal.requests, traffic.refused)
        yield Record(RECORDER, 0, str(seen).encode())


def _hide(secrets: Secrets, admission: Admission) -> None:
    """Keep a listener's word out of the trace, even if the agent sends its environment to its model."""
    for secret in admission.secrets():
        secrets.learn(secret)


def _bases(texts: list[str], given: dict[str, str]) -> tuple[Base, ...]:
    """Return the base URLs in the environment, unless that is switched off; then those named by the user."""
    named = [settings.base(text) for text in texts if text != settings.OFF]
    if settings.OFF in texts:
        return tuple(named)
    return (*profiles.found(given, {base.variable for base in named}), *named)


def _connections(
    words: Mapping[str, Any], given: Mapping[str, str], secrets: Secrets, outbox: Outbox
) -> Connections:
    """Return connections to providers; or to a recording in their place, which never leaves the process."""
    if (serve := words.get("serve")) is None:
        from acp_trace.model.proxy.upstream import Upstream

        return Upstream(given)
    from acp_trace.model.proxy.recorded_upstream import RecordedUpstream

    def tell(exchange: int, served: dict[str, Any]) -> None:
        outbox.send([Record(MODEL_HEAD, exchange, text({"served": served}))])

    return RecordedUpstream(settings.Serve.of(serve), secrets, tell)
