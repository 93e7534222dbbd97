"""Tests of `acp_trace.story`, in its layout."""
