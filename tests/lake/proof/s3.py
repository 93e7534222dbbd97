"""An S3 server in a process of its own: moto's, with puts that are as atomic as S3's are.

    with S3() as s3:
        run([..., s3.bucket("traces")], env={**os.environ, **s3.environment})

Of an object that must be absent, moto looks first, and puts then; here, one such put goes through at a time.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterable
from typing import Any, Self

_Start = Callable[..., Any]


class S3:
    """The server. `environment` gives access to it."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._server.stdout is not None
        self.url = self._server.stdout.readline().decode().strip()
        self.environment = {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "owner",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.kill()
        self._server.communicate()

    def bucket(self, name: str) -> str:
        """A new bucket; the address of a place in it."""
        host = {"Host": self.url.partition("//")[2]}
        request = urllib.request.Request(f"{self.url}/{name}", method="PUT", headers=host)
        urllib.request.urlopen(request).close()
        return f"s3://{name}/team"


class _Front:
    """What stands before moto."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._putting = threading.Lock()

    def __call__(self, environ: dict[str, Any], start: _Start) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "PUT" and "HTTP_IF_NONE_MATCH" in environ:
            with self._putting:
                return list(self._app(environ, start))
        answer: Iterable[bytes] = self._app(environ, start)
        return answer


def _serve() -> None:
    """Until nobody holds standard input any more."""
    from moto.moto_server.werkzeug_app import (
        DomainDispatcherApplication,
        MotoRequestHandler,
        create_backend_app,
    )
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    app = _Front(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=MotoRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.buffer.read()


if __name__ == "__main__":
    _serve()
