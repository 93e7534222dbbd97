"""Faults of the model's side: a provider that misbehaves, an agent that asks it, and what the trace says of both.

- `saying`    what both sides say, the same in every process
- `provider`  the stand-in, over TLS: HTTP/1.1 and HTTP/2
- `asker`     the agent, as a process: with a proxy or without
- `staging`   a recorder between the two, and the judge of its trace
- `scenarios`, `losses`  what is played
"""
