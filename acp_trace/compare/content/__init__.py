"""Content that is shown to people: texts, tool calls, plans, commands, choices, usage, titles.

`aspects` is the table: each kind of content, its place, and its *shape*, the part that does not depend on a
model's words. From `semantic` on, nothing of a shape may be lost; from `content` on, values are compared.

- `aspects`   the table, with the content of a tool call, of a turn, of a session
- `shapes`    the part of a value that does not depend on words: filled, of these kinds, inside the directory
- `readings`  frames -> their content, aspect by aspect
- `differ`    two readings -> divergences
- `shown`     two values, or the texts of two messages -> divergences
- `lost_words`  the words for content that is no longer shown, and for what replaces it
"""
