"""How messages tell why the system refused something: one wording for every file, pipe and process."""

from __future__ import annotations


def reason(error: BaseException) -> str:
    """Why, in one line, without a number and a file: `No space left on device`. Never empty."""
    if isinstance(error, MemoryError):
        return "Cannot allocate memory"  # as the system says it of a call; Python's has no text
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


def file_and_reason(error: OSError) -> str:
    """The same behind the file that it is about, if the error names one: `a.jsonl: Permission denied`."""
    return f"{error.filename}: {reason(error)}" if error.filename else reason(error)
