"""The version of the analyser's rules: apart from them, for those who only ask whether facts are older."""

from __future__ import annotations

#: Raised with every change of a rule: what older versions stored is derived again from the frames.
VERSION = 25
