"""One target without atheris: seeds, mutated by chance. Finds less, and needs nothing installed.

`run.py` starts it: python unguided.py TARGET CORPUS FINDINGS SECONDS SEED.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fuzz.guided import LONGEST
from tests.fuzz.mutations import mutated
from tests.fuzz.targets import TARGETS
from tests.fuzz.watch import Watch


def main(target: str, corpus: str, findings: str, seconds: str, seed: str) -> None:
    """Fuzzes until the time is over."""
    chosen, dice = TARGETS[target], random.Random(int(seed))
    watch = Watch(chosen.run, Path(findings))
    inputs = [path.read_bytes() for path in sorted(Path(corpus).iterdir())]
    others = chosen.seeds()
    until = time.monotonic() + float(seconds)
    for data in inputs:
        watch(data)
    while time.monotonic() < until:
        data = dice.choice(inputs)
        watch(mutated(data, dice, others, LONGEST))
    print(f"stat::number_of_executed_units: {watch.count}")


if __name__ == "__main__":
    main(*sys.argv[1:])
