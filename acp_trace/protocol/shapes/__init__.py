"""The shapes of payloads: the members of parameters, results and updates, and their allowed values.

The tables of both versions of the protocol, stable and unstable, are derived from the official schema.
`judge` finds where a value breaks its shape. `protocol.payloads` reads a payload without judging it. Pure.

- `both_versions`, `version_1`, `version_2`  the tables: what both versions share, and what only one has
- `shape`    the kinds of shapes; `grammar` how the tables write them
- `judge`    a value and its shape -> faults, each with its place
- `strict`   a fast check for messages that certainly fit
- `tables`   the shape of a message, by version, method and part
"""
