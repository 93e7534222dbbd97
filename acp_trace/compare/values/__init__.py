"""How two values are held against each other. Knows nothing of requests or sessions.

- `pointers`           JSON Pointers, and where two values differ
- `masks`              the grammar of `--mask`, what is hidden, and how often
- `directories`        paths, named from the directories that a trace was made in
- `moved_directories`  paths of one trace -> those of another
- `wording`            texts without the ids, times and figures that are others in each run
- `quoting`            whether one text quotes another
- `normalizer`         one trace's values, through masks, directories and wording
- `bindings`           ids that the sides invent: where they stand, which is which
"""
