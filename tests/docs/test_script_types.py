"""The page's documents in TypeScript: each Python type has its counterpart, or is refused."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

import msgspec
import pytest

from tests.support import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "docs"))
from script_types import Declarations


class Row(NamedTuple):
    """A row."""

    name: str
    at: int | None


class Both(TypedDict):
    """May miss one."""

    rows: list[Row]
    more: NotRequired[dict[str, float]]


class Tagged(msgspec.Struct, tag="tagged"):
    """Has a tag."""

    said: Literal["a", "b"]


@dataclass
class Plain:
    """May be unset."""

    anything: Any
    pair: tuple[str, bool]
    many: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET


@pytest.mark.parametrize(
    ("cls", "written"),
    [
        (Row, "export type Row = [name: string, at: number | null];"),
        (Both, "export interface Both {\n  rows: Array<Row>;\n  more?: Record<string, number>;\n}"),
        (Tagged, 'export interface Tagged {\n  type: "tagged";\n  said: "a" | "b";\n}'),
        (
            Plain,
            "export interface Plain {\n  anything: any;\n  pair: [string, boolean];\n  many?: Array<number>;\n}",
        ),
    ],
)
def test_each_class_is_declared(cls: type, written: str) -> None:
    """With what it needs, and its first sentence as a comment."""
    declared = Declarations()
    assert declared.name(cls) == cls.__name__
    assert f"/** {cls.__doc__} */\n{written}\n" in declared.text()


def test_what_has_no_counterpart_is_refused() -> None:
    """Nothing is declared as something that it is not."""
    with pytest.raises(ValueError, match="bytes"):
        Declarations().written(set[bytes])


def test_two_classes_cannot_share_a_name() -> None:
    """The scripts could not tell them apart."""
    declared = Declarations()
    declared.name(Row)
    with pytest.raises(ValueError, match="Row"):
        declared.name(type("Row", (), {}))
