"""Reasons of the system in messages: one wording for every file, pipe and process."""

from __future__ import annotations


def reason(error: BaseException) -> str:
    """Return the reason in one line, without a number and a file: `No space left on device`. Never empty."""
    if isinstance(error, MemoryError):
        return "Cannot allocate memory"  # the system's words for a failed call; Python's error has no text
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


def file_and_reason(error: OSError) -> str:
    """Return the reason behind its file, if the error names one: `a.jsonl: Permission denied`."""
    return f"{error.filename}: {reason(error)}" if error.filename else reason(error)
