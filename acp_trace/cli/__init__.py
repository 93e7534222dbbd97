"""The commands: one thin module each, which parses words, calls the package and prints.

What a command needs beyond typer is imported inside it, so that `record` starts without DuckDB,
rich or watchfiles. No rule about traces, protocol or tables lives here.
"""

from __future__ import annotations

from acp_trace.cli.start import main

__all__ = ["main"]
