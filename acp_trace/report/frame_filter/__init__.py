"""The filter language for frames: one for `frames`, `follow`, the page and MCP. Pure.

- `fields`   the tables: fields, operators, units. The page gets them as data
- `grammar`  text -> a tree, or an error with a caret
- `values`   the meaning of a field's value: times, sizes, numbers, choices
- `matching` a tree and a row -> whether the row is wanted
- `rows`     frames and the entries between them -> rows, with what only facts know

`scripts/filter` of the page reads the same language with the same tables. Both share the test cases in
`tests/report/frame_filter/cases.json`.
"""
