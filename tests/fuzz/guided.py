"""One target under atheris, in a process of its own: what reaches new code is kept and mutated further.

`run.py` starts it: python guided.py TARGET CORPUS FINDINGS SECONDS SEED. Ends with 3 where atheris is missing.
"""

from __future__ import annotations

import importlib
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

MISSING = 3
LONGEST = 12_000


def main(target: str, corpus: str, findings: str, seconds: str, seed: str) -> None:
    """Fuzzes until the time is over."""
    try:
        atheris = importlib.import_module("atheris")  # by name: it is not there where types are checked
    except ImportError:
        raise SystemExit(MISSING) from None
    with atheris.instrument_imports(include=["acp_trace"]):
        from tests.fuzz.targets import TARGETS
    from tests.fuzz.mutations import mutated
    from tests.fuzz.watch import Watch

    chosen = TARGETS[target]
    watch = Watch(chosen.run, Path(findings))
    others = chosen.seeds()

    def change(data: bytes, most: int, number: int) -> bytes:
        dice = random.Random(number)
        if not chosen.lines or dice.random() < 0.1:
            changed: bytes = atheris.Mutate(data, most)
            return changed
        head = 2 if target == "comparison" else 1 if target == "conversation" else 0
        if head and dice.random() < 0.1:
            return dice.randbytes(head) + data[head:]
        return data[:head] + mutated(data[head:], dice, others, most - head)

    options = [f"-max_total_time={seconds}", f"-seed={seed}", f"-max_len={LONGEST}", "-timeout=120"]
    options += ["-rss_limit_mb=3500", "-print_final_stats=1", "-len_control=0"]
    atheris.Setup([sys.argv[0], *options, corpus], watch, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
