"""Tests of `acp_trace.gate`."""
