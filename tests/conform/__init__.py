"""Tests of `acp_trace.conform`."""
