"""Tests of the server behind `acp-trace view`."""
