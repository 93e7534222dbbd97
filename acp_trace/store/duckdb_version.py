"""Which DuckDB is installed: one that is too old fails later, with a message about something else.

The package requires a new enough one, so only a forced downgrade, or another package's pin, meets this.
"""

from __future__ import annotations

import re

from acp_trace.store.errors import StoreError

#: The first major version that takes rows by column as they are inserted here (pyproject.toml requires it).
OLDEST = 2


def check_duckdb() -> None:
    """Raise StoreError, with what to do, if DuckDB is too old. Imports it, and takes no time after that."""
    import duckdb

    major = re.match(r"\d+", duckdb.__version__)
    if major is not None and int(major[0]) < OLDEST:
        raise StoreError(
            f"DuckDB {duckdb.__version__} is too old: acp-trace needs {OLDEST}.0 or later; "
            f"run pip install 'duckdb>={OLDEST}.0.0' in its environment"
        )
