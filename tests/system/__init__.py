"""Tests of `acp_trace.system`."""
