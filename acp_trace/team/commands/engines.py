"""What builds the tables of a place: the options that choose it, and it, ready to work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, completion
from acp_trace.cli.errors import Misuse

if TYPE_CHECKING:
    from acp_trace.places.place import SharedPlace
    from acp_trace.team.lake.build import Engine


PROCESSES, SPARK = ENGINES = "processes", "spark"

Choice = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="|".join(ENGINES),
        autocompletion=completion.words(lambda: ENGINES),
        help="Where to read the traces: in processes of this machine, or in a Spark cluster.",
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The cluster: spark://HOST:PORT, yarn, k8s://URL, local[N] …; by default Spark's own setting.",
    ),
]
Conf = Annotated[
    list[str] | None,
    typer.Option("--conf", metavar="KEY=VALUE", help="A setting of Spark. Repeatable."),
]


@contextmanager
def engine(
    name: str, place: SharedPlace, master: str | None, conf: list[str] | None, jobs: int | None
) -> Iterator[tuple[Engine, int]]:
    """The engine, and how many units it may do at once. Raises PlaceError, BadParameter for its options."""
    common.one_of("--engine", name, ENGINES)
    if name == SPARK:
        from acp_trace.team.lake.spark.engine import SparkEngine
        from acp_trace.team.lake.spark.session import NoMaster, started

        try:
            with ExitStack() as stack:
                with _saying("starting Spark"):
                    cluster = SparkEngine(stack.enter_context(started(master, _settings(conf or []))))
                    cluster.check(place)
                yield cluster.all_done, jobs or cluster.cores
        except NoMaster as error:
            raise Misuse(str(error)) from error
        return
    if master is not None or conf:
        raise Misuse("--master and --conf are for --engine spark")
    from acp_trace.team.lake.workers import all_done
    from acp_trace.trace.cores import cores

    yield all_done, jobs or cores()


@contextmanager
def _saying(what: str) -> Iterator[None]:
    """A line on stderr for as long as it takes, in a terminal: a cluster may take a minute."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


def _settings(conf: list[str]) -> dict[str, str]:
    settings = {}
    for text in conf:
        key, is_setting, value = text.partition("=")
        if not is_setting or not key:
            raise Misuse(f"--conf {text!r} is not KEY=VALUE")
        settings[key] = value
    return settings
