"""Google Cloud's way of speaking on this machine: its XML interface, which is S3's but for two things.

Google says `x-goog-if-generation-match: 0` where S3 says `if-none-match: *`, and names its callers by a bearer's
token. Both are translated here, and moto's S3 server answers. What only Google's own servers do is not shown by
this.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.bucket.server import S3Server

_SIGNED = (
    "AWS4-HMAC-SHA256 Credential=test/20261120/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none"
)


class GoogleServer(S3Server):
    """The server, while it is entered. `environment` gives access to it, by a file in `folder`."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        account = folder / "service-account.json"
        keys = dict.fromkeys(("client_email", "private_key", "private_key_id"), "")
        account.write_text(json.dumps({"gcs_base_url": self.url, "disable_oauth": True, **keys}))
        self.environment = {"GOOGLE_SERVICE_ACCOUNT": str(account)}

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        environ["HTTP_AUTHORIZATION"] = _SIGNED
        if environ.pop("HTTP_X_GOOG_IF_GENERATION_MATCH", None) == "0":
            environ["HTTP_IF_NONE_MATCH"] = "*"
        return super()._answer(environ, start)
