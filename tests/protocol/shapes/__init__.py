"""Tests of `acp_trace.protocol.shapes`; `derive` makes its tables, `proof` holds it against the official schema."""
