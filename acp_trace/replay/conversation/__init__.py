"""The conversation with the peer: its lines and the time go in, the player's lines come out.

- `engine`                 the entry point for each line and moment; it asks the other modules
- `scheduler`              which step is due: the state machine
- `inbound_requests`       which recorded request an inbound one matches
- `inbound_notifications`  the same for notifications
- `client_progress`        how far a live client has come, and what it leaves out: if the agent is played
- `peer_state`             what has come from the peer: its turns and what was seen of them
- `patience`               when the peer has taken too long, or has sent too much
- `sender`                 the player's own requests and notifications, as they go out
- `rewriting`              replaces recorded ids and directories with the run's
- `tool_call_ids`          tool calls and terminals that only updates name
- `played_side`            what the player needs of a side that it plays
- `explain`                a plan in words, and what a conversation is waiting for
"""
