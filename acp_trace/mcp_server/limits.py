"""How much an answer may hold, and how long it may take. Numbers only.

An answer is read by a language model, whose room is small: `MOST_BYTES` of JSON are about 5,000 tokens.
"""

from __future__ import annotations

#: The most bytes of JSON in the items of an answer, in one of them, and in a row of a query.
MOST_BYTES = 16_000
MOST_OF_ONE = 4_000
MOST_OF_ROW = 2_000
#: How many cut places an answer names, and how many keys an error names.
MOST_PLACES = 12
MOST_NAMED = 20
#: Characters of a refusal, which may repeat what it was called with, and of a line of a report.
LONGEST_REFUSAL = 2_000
LONGEST_LINE = 2_000
#: How much is left of each string (characters) and of each list or object (items), tried in this order.
SIZES = ((1000, 100), (300, 30), (100, 12), (40, 6))
#: How deep a value is followed.
DEEPEST = 40
#: How long a call may take (seconds). Some clients wait for 60 s and no longer.
LIMIT_S = 50.0
