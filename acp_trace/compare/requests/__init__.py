"""Requests that belong together, and their responses.

- `details`      what requests show or do, beside what they match by
- `outcomes`     results, errors, stop reasons, cancels; `cancel_words` how these are told
- `permissions`  which `options` they offer; whether they show what then runs (`agreement`, `shown_files`)
"""
