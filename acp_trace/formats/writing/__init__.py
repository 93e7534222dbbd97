"""Traces as files of other tools, one module a format: entries and facts in, bytes out."""
