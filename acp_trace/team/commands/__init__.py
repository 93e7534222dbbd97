"""The commands `acp-trace team …`: one thin module each. Older names for them, and `--at`, lead here, too.

- `push`, `pull`, `ls`, `build`, `query`, `prune`  the commands of these names
- `engines`      what builds the tables of a place: the options that choose it, and it, ready to work
- `push_output`  what `push` says of the traces that it pushed, and of a new place
"""
