"""The conversation with the peer: its lines and the time go in, the player's lines come out.

- `engine`                 each line, and each moment, passes it; asks the others
- `scheduler`              which step is due: the state machine
- `inbound_requests`       which recorded request one of the peer is
- `inbound_notifications`  the same for notifications
- `client_progress`        how far a live client has come, and what it leaves out: where the agent is played
- `peer_state`             what has come from the peer: its turns and what was seen of them
- `patience`               when it has taken too long, or when there is too much
- `sender`                 the player's own requests and notifications, as they go out
- `rewriting`              ids and directories of the run in the place of recorded ones
- `tool_call_ids`          tool calls and terminals that only updates name
- `played_side`            what the player needs of a side that it plays
- `explain`                a plan in words, and what a conversation waits for
"""
