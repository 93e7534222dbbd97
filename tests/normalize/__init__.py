"""Tests of `acp_trace.normalize`, in its layout."""
