"""Tests of acp_trace/mcp_server."""
