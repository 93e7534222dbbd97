"""The shapes of payloads: which members parameters, results and updates have, and what may stand there.

A table of each version of the protocol, stable and unstable, derived from the official schema; and what a
value breaks of its shape. Reading a payload without judging it is `protocol.payloads`. Pure.

- `both_versions`, `version_1`, `version_2`  the tables: what both versions have, and what one has alone
- `shape`    what a shape can be; `grammar` how the tables write it
- `judge`    a value and its shape -> faults, each with its place
- `tables`   the shape of a message, by version, method and part
"""
