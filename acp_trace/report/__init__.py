"""Facts -> what people and programs read. Computes nothing that the facts do not hold.

- `text`       for people: screens of the terminal
- `json`       for programs: the documents of `--json`; `model` has their shapes
- `ci`         for CI systems: JUnit, SARIF, annotations
- `notes`      which notes of a comparison people are told
- `filters`    which frames are wanted
- `selection`  a part of a trace's facts
- `frame_texts`  what frames say, as a transcript shows it
- `tool_times`  how long a tool call took, and if that is known
- `units`      durations, sizes, times for people
- `safe`       text from the traffic, made harmless for a terminal
"""
