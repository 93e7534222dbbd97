"""Whether an agent or a client conforms: the requirements, what a trace shows for each, and the probes.

- `requirement`     what one requirement is: a shape
- `requirements`    all of them, with the findings that break them
- `kit_version_1`   those of agentclientprotocol/acp-tck for protocol 1
- `kit_version_2`   the same for draft 2
- `own_agent`       our requirements of agents
- `own_client`      our requirements of clients
- `evidence`        a trace, as far as a requirement asks for it
- `exercised`       whether a trace has what must be seen for a requirement
- `checks`          requirements of agents without a finding: those that only a probe tries, and others
- `run_checks`      the same for an agent as a process: hangs, early ends
- `client_checks`   the same for clients
- `look`            what a check yields: a shape
- `judge`           traces -> the status of each requirement
- `beside`          acp-tck's results beside ours
- `probes`          the conversations that try an agent, as data
- `drive`           an agent, probed: each conversation with a process of its own, recorded
- `behaviours`      what the scripted agent does to a client, as data
- `scripted_agent`  that agent, a process on standard input and output
- `drive_client`    a client, run against it, recorded

The modules from `requirement` to `probes`, and `behaviours`, do no I/O.
"""
