"""What is shown to people: texts, tool calls, plans, commands, choices, usage, titles.

`aspects` is the table: each thing that is shown, where it stands, and what of it is its *shape*, which does
not depend on a model's words. From `semantic` on, nothing of a shape may be lost; from `content` on, values
are compared.

- `aspects`   the table, with what may be shown in a tool call, in a turn, in a session
- `shapes`    what of a value does not depend on words: filled, of these kinds, inside of the directory
- `readings`  frames -> what they show, aspect by aspect
- `differ`    two readings -> divergences
- `shown`     two values, or the texts of two messages -> divergences
- `lost_words`  in which words it is told that something is no longer shown, and what stands in its place
"""
