"""Tests of acp_trace/clients."""
