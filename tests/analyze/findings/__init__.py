"""Tests of `acp_trace.analyze.findings`: for each code what raises it, and what comes near and does not."""
