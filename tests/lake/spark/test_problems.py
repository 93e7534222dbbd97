"""What Spark says, as Spark says it, and what is told."""

from __future__ import annotations

import pytest

from acp_trace.places.place import PlaceError
from acp_trace.team.lake.spark import problems

#: Shortened, but for the line that matters.
CASES = {
    "pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker has "
    "different version: 3.12 than that in driver: 3.11, PySpark cannot run with different minor versions.\n"
    "\tat org.apache.spark": "its executors have Python 3.12, and this machine has 3.11: set spark.pyspark.python",
    "Traceback (most recent call last):\n  File …\nModuleNotFoundError: No module named 'pyarrow'\n\n\tat org": (
        "its executors lack pyarrow: pip install"
    ),
    'java.io.IOException: Cannot run program "/opt/none/bin/python": error=2, No such file': (
        "its executors have no /opt/none/bin/python: set spark.pyspark.python"
    ),
    "org.apache.spark.SparkException: Could not parse Master URL: 'nowhere'": "is not a master: spark://HOST:PORT",
    "error: Master must either be yarn or start with spark, k8s, or local": "is not a master: spark://HOST:PORT",
    "Reason: All masters are unresponsive! Giving up.": "does not answer as a Spark master does",
    "java.io.InvalidClassException: org.apache.spark.rpc.X; local class incompatible: stream classdesc": (
        "runs another version of Spark than pyspark here"
    ),
    "java.lang.UnsupportedClassVersionError: org/apache/spark/launcher/Main": "needs Java 17 or newer",
    "failed 4 times, most recent failure: Lost task 0.3 in stage 1.0: ExecutorLostFailure (executor 2 exited "
    "caused by one of the running tasks) Reason: Command exited with code 137\nDriver stacktrace": (
        "perhaps for want of memory (Command exited with code 137)"
    ),
    "Job 0 cancelled because SparkContext was shut down": "ended the application",
    "An error occurred while calling o1.x\n: java.lang.IllegalStateException: no": "failed: An error occurred",
    "Traceback (most recent call last):\n  File\nKeyError: 'x'\n\n\tat org.apache": "failed: KeyError: 'x'",
    "": "failed: nothing",
}


@pytest.mark.parametrize("text", CASES)
def test_lines(text: str) -> None:
    """One line, with what to do."""
    assert CASES[text] in problems.line_of(text)
    assert "\n" not in problems.line_of(text)


def test_the_task_that_failed() -> None:
    """Its number is that of its row."""
    assert (
        problems.task_of("Job aborted due to stage failure: Task 12 in stage 3.0 failed 4 times, most") == 12
    )
    assert problems.task_of("Job 1 cancelled") is None


def test_an_interruption_is_found_behind_what_pyspark_says() -> None:
    """It asks Java to forget something as it gives up, and that fails; we put it in our words."""
    error = PlaceError("local[1] failed")
    error.__cause__ = OSError("Answer from Java side is empty")
    assert problems.interruption(error) is None
    error.__cause__.__context__ = KeyboardInterrupt()
    assert problems.interruption(error) is error.__cause__.__context__
