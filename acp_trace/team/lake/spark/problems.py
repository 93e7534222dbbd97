"""An error of Spark's -> one line that says what to do. Pure.

An error of Spark is the stack of the JVM, in it the one of Python on the executor, and in the middle the
sentence that matters.
"""

from __future__ import annotations

import re
from collections.abc import Callable

#: The message for a name that no master can have.
NO_MASTER = "is not a master: spark://HOST:PORT, yarn, k8s://URL or local[N]"
#: Text in the error, and the message for it. The first text that is found counts.
_MEANINGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(r"PYTHON_VERSION_MISMATCH.*?version: (\S+) than that in driver: (\S+?)[,\s]", re.DOTALL),
        lambda found: (
            f"its executors have Python {found[1]}, and this machine has {found[2]}: "
            f"set spark.pyspark.python to their Python {found[2]}"
        ),
    ),
    (
        re.compile(r"No module named '([\w.]+)'"),
        lambda found: f"its executors lack {found[1]}: pip install 'acp-trace[team]' pyarrow there",
    ),
    (
        re.compile(r'Cannot run program "([^"]+)"'),
        lambda found: f"its executors have no {found[1]}: set spark.pyspark.python to their Python",
    ),
    (
        re.compile(r"Could not parse Master URL|Master must either be yarn"),
        lambda _: NO_MASTER,
    ),
    (
        re.compile(r"All masters are unresponsive"),
        lambda _: "does not answer as a Spark master does",
    ),
    (
        re.compile(r"InvalidClassException.*local class incompatible|incompatible: stream classdesc"),
        lambda _: "runs another version of Spark than pyspark here: install the same one",
    ),
    (
        re.compile(r"UnsupportedClassVersionError"),
        lambda _: "needs Java 17 or newer, and JAVA_HOME or PATH has an older one",
    ),
    (
        re.compile(r"ExecutorLostFailure \(executor (\S+) exited[^)]*\)(?: Reason: ([^\n]{1,120}))?"),
        lambda found: (
            "lost the executors that worked on the same traces, perhaps for want of memory"
            + (f" ({found[2].strip()})" if found[2] else "")
        ),
    ),
    (
        re.compile(
            r"SparkContext (?:was shut down|has been shutdown|is stopped)|Cannot call methods on a stopped"
        ),
        lambda _: "ended the application",
    ),
)
_STAGE = re.compile(r"Task (\d+) in stage \S+ failed \d+ times")
_LAST_OF_PYTHON = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt)\b.{0,200})$", re.MULTILINE)


def line_of(text: str) -> str:
    """What an error of Spark means, in one line that goes on after "the cluster"."""
    for pattern, meaning in _MEANINGS:
        if found := pattern.search(text):
            return meaning(found)
    lines = _LAST_OF_PYTHON.findall(text) or text.strip().splitlines() or ["nothing"]
    return f"failed: {lines[0].strip()[:200]}"


def task_of(text: str) -> int | None:
    """The number of the task that failed too often, so that Spark gave up the job; None if it was none."""
    found = _STAGE.search(text)
    return None if found is None else int(found[1])


def interruption(error: BaseException | None) -> BaseException | None:
    """What interrupted Spark, if an error came of that: pyspark asks Java something more as it gives up."""
    while isinstance(error, Exception):
        error = error.__cause__ or error.__context__
    return error
