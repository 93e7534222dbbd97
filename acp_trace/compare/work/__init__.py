"""What an agent's updates say that it did, section by section, and what its sessions came to.

- `sections`       messages, plans and other work; what comes after the end of a turn
- `interleaving`   where chance cuts messages: beside tools, and at the end of a turn
- `after_cancel`   what an agent says after the cancel of a turn
- `tool_calls`     which is which, their kinds, the order of their statuses
- `crossed`        tool calls that are sent to another session
- `session_state`  configuration and metadata; `config_steps` the steps of one option, and how they are told
- `written_diffs`  tool calls that ask for no permission: whether what is written is still what their diffs
                   show
"""
