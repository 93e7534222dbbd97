"""What a trace tells, in the shapes that are compared.

- `chunk_joiner` entries -> events, chunks of one message joined; `joined_text` what these show
- `builder`      events and facts -> a story
- `model`        the story: requests with their ends, sessions, sections, tool calls
"""
