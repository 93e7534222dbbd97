"""The code for teams: traces of many machines in one place, and tables of them. docs/team.md.

- `bucket`    directories and buckets, and traces on their way there
- `lake`      the tables of a place
- `commands`  `acp-trace team …`

The core imports nothing of this (`acp_trace.places.door`): arrows point from here to the core. Each package
uses those before it.
"""
