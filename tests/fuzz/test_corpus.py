"""What fuzzing found once, and the seeds, through every target; mutations by chance, always the same ones."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.fuzz.mutations import mutated
from tests.fuzz.seeds import LONGEST
from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
_FOUND = sorted(path for path in CORPUS.rglob("*") if path.is_file())
_MUTATIONS = 12


@pytest.mark.parametrize("path", _FOUND, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found(path: Path) -> None:
    """Each of these brought an error out once."""
    TARGETS[path.parent.name].run(path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_some_mutations(name: str) -> None:
    """A target that fails without a fuzzer tells nothing with one."""
    target, dice = TARGETS[name], random.Random(name)
    some = sorted(target.seeds(), key=len)[:20]
    for data in some[:: max(len(some) // 4, 1)]:
        target.run(data)
    for _ in range(_MUTATIONS):
        target.run(mutated(dice.choice(some), dice, some, LONGEST))


def test_the_corpus_is_small() -> None:
    """It is no place for recordings."""
    assert sum(path.stat().st_size for path in _FOUND) < 50_000
    assert {path.parent.name for path in _FOUND} <= set(TARGETS)
