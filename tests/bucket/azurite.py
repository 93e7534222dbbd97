"""A store of Azure on this machine: Azurite, Microsoft's emulator, which is installed from npm when it is needed."""

from __future__ import annotations

import base64
import hashlib
import hmac
import socket
import subprocess
import urllib.request
from email.utils import formatdate
from typing import Self

from tests.real.packages import AZURITE, npm
from tests.support import until

#: The account that every Azurite has, and its key: Azurite's documentation names both.
_ACCOUNT = "devstoreaccount1"
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
_VERSION = "2023-11-03"  #: of Azure's interface
_START_S = 60.0


class Azurite:
    """The server, while it is entered. `environment` gives access to it. Raises OutOfReach without npm."""

    def __init__(self) -> None:
        self._program = npm(*AZURITE) / ".bin" / "azurite-blob"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self._url = f"http://127.0.0.1:{self._port}/{_ACCOUNT}"
        self.environment = {
            "AZURE_STORAGE_ACCOUNT_NAME": _ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": _KEY,
            "AZURE_STORAGE_ENDPOINT": self._url,
        }

    def __enter__(self) -> Self:
        options = ["--silent", "--disableTelemetry", "--inMemoryPersistence", "--skipApiVersionCheck"]
        self._process = subprocess.Popen(
            [str(self._program), *options, "--blobPort", str(self._port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until(self._answers, "Azurite", longest_s=_START_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def make_container(self, name: str) -> None:
        """Makes an empty container, with a request that is signed as Azure documents it (Shared Key)."""
        date = formatdate(usegmt=True)
        headers = {"x-ms-date": date, "x-ms-version": _VERSION}
        canonical = "".join(f"{key}:{value}\n" for key, value in headers.items())
        resource = f"/{_ACCOUNT}/{_ACCOUNT}/{name}\nrestype:container"
        signed = f"PUT{chr(10) * 12}{canonical}{resource}"
        digest = hmac.new(base64.b64decode(_KEY), signed.encode(), hashlib.sha256).digest()
        headers["Authorization"] = f"SharedKey {_ACCOUNT}:{base64.b64encode(digest).decode()}"
        request = urllib.request.Request(
            f"{self._url}/{name}?restype=container", method="PUT", headers=headers
        )
        urllib.request.urlopen(request).close()

    def _answers(self) -> bool:
        assert self._process.poll() is None, "Azurite ended"
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self._port)) == 0
