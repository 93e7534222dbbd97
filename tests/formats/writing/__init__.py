"""Traces as files of other tools; the real consumers open them in `test_*_opened`."""
