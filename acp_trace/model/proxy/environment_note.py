"""The trace's note on the agent's environment: names and directories, and never the value of a key.

`acp_trace.model.recorded_environment` reads it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from acp_trace.model.proxy.settings import Base
from acp_trace.model.recorded_environment import KEY, may_name_directory
from acp_trace.model.records import Record
from acp_trace.model.secrets import Secrets
from acp_trace.redact import secret_names
from acp_trace.trace.capture_layout import MODEL_HEAD
from acp_trace.trace.jsontext import text


def note(given: Mapping[str, str], bases: Iterable[Base], secrets: Secrets) -> Record:
    """Return the note. `given`: the agent's environment without acp-trace's changes."""
    words: dict[str, Any] = {
        "directories": {name: secrets.text(path) for name, path in _directories(given)},
        "secrets": sorted(name for name, value in given.items() if value and secret_names.is_variable(name)),
        "bases": [_base(base, secrets) for base in bases],
    }
    return Record(MODEL_HEAD, 0, text({KEY: words}))


def _base(base: Base, secrets: Secrets) -> dict[str, Any]:
    words = {"name": base.variable, "url": secrets.target(base.url)}
    return {**words, "found": True} if base.is_found else words


def _directories(given: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Return variables that name one existing directory; not the root, which is in every path."""
    for name, value in sorted(given.items()):
        if may_name_directory(name) and os.path.isabs(value) and value.strip(os.sep) and os.path.isdir(value):
            yield name, value
