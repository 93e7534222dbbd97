"""Tests of ACP over HTTP and WebSocket."""
