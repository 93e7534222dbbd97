"""Tests of `acp_trace.compare`, in its layout."""
