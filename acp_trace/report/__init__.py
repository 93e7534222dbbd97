"""Facts -> what people and programs read. Computes nothing that the facts do not hold.

- `units`     durations, sizes, times for people
- `safe`      text from the traffic, made harmless for a terminal
- `document`  the JSON report of docs/report.md
- `overview`, `turns`, `trouble`, `latency`  the sections of `show`, one renderable each
- `listing`   the table of `ls`
- `framelist` one line a frame; `gist` is its last column
"""
