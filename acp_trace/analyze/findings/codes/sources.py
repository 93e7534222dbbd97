"""Pages of the specification that several codes cite, and other sources of rules."""

from __future__ import annotations

JSONRPC = "JSON-RPC 2.0"
TRANSPORTS = "docs/protocol/v1/transports"
INIT = "docs/protocol/v1/initialization"
SETUP = "docs/protocol/v1/session-setup"
TURN = "docs/protocol/v1/prompt-turn"
CANCEL = "docs/protocol/v1/prompt-turn#cancellation"
CONFIG = "docs/protocol/v1/session-config-options"
LIST = "docs/protocol/v1/session-list"
REQUEST_CANCEL = "docs/protocol/v1/cancellation ($/cancel_request)"
SCHEMA = "schema of the negotiated version"
OURS = "acp-trace"
