"""A written conversation: what a client says to an agent, as a person writes it, and the client that says it.

- `steps`         what a step can say (`VERBS`), and the message that it becomes
- `form`          a table of TOML or Python, read and checked
- `blocks`        small content blocks of each kind
- `own_requests`  what is not answered yet, and how far its turns are
- `profiles`      what it says of itself, or what other clients do
- `sessions`      sessions by their names, and the parameters of each step
- `client`        the client: which step is sent when, and what came of it
- `answers`       what it answers to the agent's requests
- `elicitations`  a form filled in
- `announced`     what an agent announces, and what of it a recording exercises
- `exercises`     a conversation that tries all of that
- `spelling`      a conversation as the text of a script
"""

from acp_trace.replay.written.form import WrittenError, conversation, script
from acp_trace.replay.written.steps import WrittenConversation, WrittenStep

__all__ = ["WrittenConversation", "WrittenError", "WrittenStep", "conversation", "script"]
