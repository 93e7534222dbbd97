"""What a trace is called whose header does not say so: the store and places call it the same. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

#: `last` and `last-run` mean the newest trace: `rm last` would not remove the one that is called so.
_PLAIN = re.compile(r"(?!last(-run)?$)[A-Za-z0-9][A-Za-z0-9._:+-]{0,99}")


def id_for(said: str | None, sha256: Callable[[], str]) -> str:
    """The id that a header says; one by the digest of the trace's lines if it says none, or an odd one."""
    if said is not None and _PLAIN.fullmatch(said):
        return said
    return f"file-{sha256()[:12]}"
