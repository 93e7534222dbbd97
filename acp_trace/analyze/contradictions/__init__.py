"""Contradictions inside one trace: what was announced, offered or opened, against what came later.

`contradictions` hands each message to the rules that its method, or the kind of its update, concerns. Each
module below has the rules of one subject and the little that they remember; none asks another.

- `rules`            what a rule is given, and how it speaks
- `contradictions`   which rule is given what
- `authentication`   methods of authentication, and what an agent asks for after one succeeded
- `capabilities`     what needs to be announced; what was announced, and is not there
- `connection`       versions, a second initialize, an agent that never spoke
- `elicitation`      forms, and what they must be answered with
- `files`            paths, lines, and how much of a file was asked for
- `listing`          titles and sessions in the answers to session/list
- `messages`         text that is sent twice
- `modes`            modes that a session does not have
- `permissions`      options, answers without a cancel, and what a declined permission leads to
- `reopening`        sessions that are not found, or lack what they had, when they are opened again
- `terminals`        terminals that are unknown, or never released
- `tool_calls`       tool calls that do not end, or begin again
- `turns`            turns without output, beside each other, and what version 2 asks of them
- `usage`            tokens and cost, against themselves and what was said before
"""
