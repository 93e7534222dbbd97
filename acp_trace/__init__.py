"""acp-trace: record and explain the traffic between ACP clients and coding agents.

Only the version lives here, so that the recorder can start without paying for anything else.
"""

__version__ = "0.1.0"
