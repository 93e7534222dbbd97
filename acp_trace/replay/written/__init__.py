"""A written conversation: a client's messages, as a person writes them, and the client that sends them.

- `steps`         the possible steps (`VERBS`), and the message that each becomes
- `form`          a table of TOML or Python, read and checked
- `blocks`        small content blocks of each kind
- `own_requests`  requests that are not answered yet, and the progress of their turns
- `profiles`      the client's description of itself, or that of other clients
- `sessions`      sessions by their names, and the parameters of each step
- `client`        the client: which step is sent when, and its outcome
- `answers`       its answers to the agent's requests
- `elicitations`  a form, filled in
- `announced`     what an agent announces, and which of that a recording exercises
- `exercises`     a conversation that tries all of that
- `spelling`      a conversation as the text of a script
"""

from acp_trace.replay.written.form import WrittenError, conversation, script
from acp_trace.replay.written.steps import WrittenConversation, WrittenStep

__all__ = ["WrittenConversation", "WrittenError", "WrittenStep", "conversation", "script"]
