"""Removes secrets from a trace. Equal secrets stay equal, so the copy has the same findings.

Entries in, lines out, and a report that never contains a secret. Does no I/O. Two passes: the first learns
the secrets, the second writes, so a secret is also removed where no rule would have found it.

- `rules`      the table: which place in which message holds what
- `own`        the user's own rules, from TOML
- `kept`       what is never touched: ids, methods, the words of the protocol
- `places`     one entry -> the rules that apply to it, and from where on
- `secret_names` the names of headers, variables, options and URL parameters that decide: one table
- `arguments`  secrets in command lines
- `urls`       secrets in URLs
- `token_shapes` how the keys of each maker begin, and what follows: a table
- `shapes`     well-known shapes of tokens, found in a text
- `signs`      the signs that a text or a line is worth reading
- `pem`        private keys, whole and in part
- `homes`      home directories
- `views`      a text without its escapes
- `scan`       a text -> the secrets that are recognisable in it, in every view
- `finder`     searches for many words at once, by their `starts`
- `edges`      parts of secrets at the edges of a text
- `pieces`     which strings are pieces of a longer text, `joiner` puts them together
- `model_bodies`  what an agent and its model said, whole and in text
- `odd`        lines that are not JSON, read leniently
- `values`     secret -> placeholder, the same for the same secret
- `splice`     the strings of a JSON text, and their replacements
- `spots`      where a string of a line is, and whether it may change
- `learner`    the first pass over a line, `writer` the second
- `report`     what was replaced, counted
- `redactor`   all of it together
- `watch`      whether a trace holds what a redactor would replace: for a whole export, in passing
"""
