"""The proof with a real backend can fail: `just backend` plays it with Phoenix, which is not installed here."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Commands
from tests.faults.stage import Lie
from tests.formats.backend import phoenix, run
from tests.formats.backend.questions import QUESTIONS, Question
from tests.support import SAMPLES


class _Ground:
    """A database that gives each trace its rows."""

    def __init__(self, **rows: list[tuple[Any, ...]]) -> None:
        self.ids = list(rows)
        self._rows = rows

    def rows(self, _: str) -> dict[str, list[tuple[Any, ...]]]:
        return self._rows


class _Backend:
    """A backend with a number for each trace."""

    def __init__(self, **numbers: int) -> None:
        self._numbers = numbers

    def project(self, name: str, _: str | None) -> dict[str, Any] | None:
        return {"recordCount": self._numbers[name]} if name in self._numbers else None


_COUNTED = Question(
    "How many?", None, lambda project: project["recordCount"], "", lambda rows: rows and rows[0][0]
)


def _compared(ground: Any, backend: Any) -> str:
    return run.compared(_COUNTED, ground, backend)


def test_an_answer_that_differs_is_a_lie() -> None:
    """So is a trace that the backend does not have; and a question that no trace answers shows nothing."""
    ground = _Ground(a=[(3,)], b=[(4,)])
    assert _compared(ground, _Backend(a=3, b=4)).endswith("equal (2 rows)")
    assert _compared(ground, _Backend(a=3, b=5)).endswith("LIE: {'b': 5}, and we say {'b': 4}")
    assert _compared(ground, _Backend(a=3)).endswith("LIE: {'b': None}, and we say {'b': 4}")
    with pytest.raises(Lie, match="no trace has an answer"):
        _compared(_Ground(a=[]), _Backend(a=3))


def test_a_prompt_is_found_wherever_it_stands(tmp_path: Path) -> None:
    """Also as JSON in JSON, escaped, and as bytes; and a part of it gives it away."""
    prompt = 'Müller\'s "notes"\nand more'
    for value in (
        prompt,
        json.dumps([{"text": json.dumps({"content": prompt})}]),
        json.dumps(prompt).encode(),
    ):
        database = tmp_path / f"{abs(hash(value))}.db"
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("CREATE TABLE spans (a INTEGER, b)")
            connection.execute("INSERT INTO spans VALUES (1, ?)", [value])
            connection.commit()
        assert prompt in phoenix.texts(database)
        assert phoenix.count(database, "spans") == 1
    assert set(run.parts(prompt)) == {prompt[at : at + 12] for at in range(len(prompt) - 11)}


@pytest.mark.slow
def test_every_question_has_an_answer_of_ours(commands: Commands, tmp_path: Path) -> None:
    """All of them can be asked of our database, and the traces that are always there answer each."""
    commands.passes("load", *SAMPLES, run.failing(tmp_path))
    for question in QUESTIONS:
        rows = commands.json("query", question.sql)
        assert rows, question.text
        assert question.of([tuple(row.values())[1:] for row in rows[:1]])
