"""An S3 server in this process: moto's, which counts what is asked of it and can deny it.

Moto looks whether an object is there, and then puts it: beside another request, both can be the first. Here
whatever changes something waits for its turn, so that a condition holds as it does with real servers.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Self

_DENIED = (
    b'<?xml version="1.0" encoding="UTF-8"?>'
    b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
)


class S3Server:
    """The server, while it is entered. `environment` gives access to it.

    `denied`: the methods of HTTP that it denies; `stalled`: those that it answers when it is told to `go_on`, and
    `is_stalling` says that one came. `requests`: how many of each method came; `sent`: how many
    bytes of which path, as `/bucket/team/lake/…`, were sent to readers.
    """

    def __init__(self) -> None:
        from moto.moto_server import werkzeug_app
        from werkzeug.serving import make_server

        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self.denied: set[str] = set()
        self.stalled: set[str] = set()
        self.is_stalling, self._go_on = threading.Event(), threading.Event()
        self.requests: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        self._application = werkzeug_app.DomainDispatcherApplication(werkzeug_app.create_backend_app)
        handler = werkzeug_app.MotoRequestHandler
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True, request_handler=handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.environment = {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
        }

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def make_bucket(self, name: str) -> None:
        """Makes an empty bucket."""
        host = {"Host": self.url.partition("//")[2]}
        request = urllib.request.Request(f"{self.url}/{name}", method="PUT", headers=host)
        urllib.request.urlopen(request).close()

    def forget(self) -> None:
        """Counts from nothing again."""
        with self._lock:
            self.requests.clear()
            self.sent.clear()

    def go_on(self) -> None:
        """Answers what it has not answered yet, and stalls no more."""
        self.stalled.clear()
        self._go_on.set()

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        method = environ["REQUEST_METHOD"]
        if method in self.denied:
            start("403 Forbidden", [("Content-Type", "application/xml")])
            return [_DENIED]
        if method in self.stalled:
            self.is_stalling.set()
            self._go_on.wait()
        with contextlib.nullcontext() if method in {"GET", "HEAD"} else self._turn:
            answer = list(self._application(environ, start))
        with self._lock:
            self.requests[method] += 1
            if method == "GET":
                self.sent[environ["PATH_INFO"]] += sum(map(len, answer))
        return answer
