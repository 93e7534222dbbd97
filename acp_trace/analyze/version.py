"""The version of the analyser's rules: a separate module for callers that only check the age of facts."""

from __future__ import annotations

#: Raised with every change of a rule: facts of older versions are derived again from the frames.
VERSION = 26
