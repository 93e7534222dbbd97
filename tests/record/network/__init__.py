"""Tests of the proxy: agents and clients are in this process, on loopback, unless a test says otherwise."""
