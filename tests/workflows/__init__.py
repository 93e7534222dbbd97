"""The files that GitHub and GitLab run: each against the vendor's schema, and against rules of our own.

`files` names them, `rules` has our rules as pure functions of a parsed file. `runner` runs the steps of a job or of
our action on this machine; `expressions` evaluates what they contain.
"""
