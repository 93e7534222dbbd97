"""Contradictions inside one trace: what was announced, offered or opened, against what came later.

`contradictions` hands each message to the rules for its method or, if it is an update, for its kind. Each
module below has the rules of one subject and the little state that they need; no module uses another.

- `rules`            what a rule receives, and how it adds findings
- `contradictions`   which rule receives which message
- `authentication`   methods of authentication, and requests of an agent for a login after one succeeded
- `capabilities`     what needs to be announced; what was announced but is missing
- `connection`       versions, a second initialize, an agent that never spoke
- `elicitation`      forms, and the answers that they require
- `files`            paths, lines, and how much of a file was requested
- `listing`          titles and sessions in the answers to session/list
- `messages`         text that is sent twice
- `modes`            modes that a session does not have
- `permissions`      options, answers without a cancel, and the consequences of a declined permission
- `reopening`        sessions that, when opened again, are not found or lack what they had
- `terminals`        terminals that are unknown, or never released
- `tool_calls`       tool calls that do not end, or begin again
- `turns`            turns without output, overlapping turns, and what version 2 requires of turns
- `usage`            tokens and cost, against each other and earlier reports
"""
