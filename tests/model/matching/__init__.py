"""Tests of which recorded call answers a request."""
