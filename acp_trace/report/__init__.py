"""Facts -> what people and programs read. Computes nothing that the facts do not hold.

- `units`     durations, sizes, times for people
- `safe`      text from the traffic, made harmless for a terminal
- `columns`    tables of one line a row
- `words`      names, signs, colours
- `document`  the JSON report of docs/report.md
- `show` and its sections `overview`, `trouble`, `turns`, `latency`
- `listing`   the table of `ls`
- `filters`    which frames are wanted
- `framelist` one line a frame; `gist` is its last column
"""
