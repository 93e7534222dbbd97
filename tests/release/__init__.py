"""Tests of release/: the repository's name and its copies, and whether a tag may be released."""
