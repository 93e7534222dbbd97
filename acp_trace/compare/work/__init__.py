"""An agent's work according to its updates, section by section, and the final state of its sessions.

- `sections`       messages, plans and other work; what comes after the end of a turn
- `interleaving`   where chance cuts messages: beside tools, and at the end of a turn
- `after_cancel`   an agent's messages after the cancel of a turn
- `cut_history`    what cancelled turns had said, in a history that a session repeats
- `tool_calls`     which matches which, their kinds, the order of their statuses
- `crossed`        tool calls that are sent to another session
- `session_state`  configuration and metadata; `config_steps` the steps of one option, and their words
- `written_diffs`  tool calls without a permission: whether the written text is still the one that their diffs
                   show
"""
