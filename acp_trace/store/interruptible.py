"""Work of DuckDB's that takes long, ended by Ctrl-C at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

_LOOK_S = 0.1
#: How long DuckDB may take to notice that it was interrupted. While it plans, it never looks.
_NOTICES_S = 2.0


class InterruptibleConnection:
    """A connection whose work is done in a thread, so that Ctrl-C ends it at once.

    DuckDB looks for signals only now and then, and Python does not look while DuckDB works. The thread
    must be gone before the connection is closed, and before the process ends: `close` sees to that. `stuck`
    is called if that takes too long, and may end the process instead.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, stuck: Callable[[], None] | None = None
    ) -> None:
        self._connection = connection
        self._stuck = stuck
        self._asked: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._answers: SimpleQueue[tuple[Any, Exception | None]] = SimpleQueue()
        self._ended = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def execute(self, sql: str, tick: Callable[[], None] | None = None) -> list[str]:
        """Runs the SQL; the columns of its result. `tick` is called now and then meanwhile."""
        self.do(lambda: self._connection.execute(sql), tick)
        return [column[0] for column in self._connection.description or ()]

    @property
    def types(self) -> list[str]:
        """The SQL types of the columns of the last result."""
        return [str(column[1]) for column in self._connection.description or ()]

    def fetchmany(self, most: int) -> list[tuple[Any, ...]]:
        """The next rows; none at the end."""
        rows: list[tuple[Any, ...]] = self.do(lambda: self._connection.fetchmany(most))
        return rows

    def close(self) -> None:
        """Ends the thread, and what it does."""
        self._asked.put(None)
        since = time.monotonic()
        while not self._ended.is_set():
            try:
                self._connection.interrupt()  # again and again: before the work began it has no effect
                self._ended.wait(_LOOK_S)
                if self._stuck is not None and time.monotonic() - since > _NOTICES_S:
                    self._stuck()
            except BaseException as error:
                if isinstance(error, Exception):
                    raise
                continue  # Ctrl-C, or another signal that ends the command: that is what we are about

    def do(self, work: Callable[[], Any], tick: Callable[[], None] | None = None) -> Any:
        """What `work` gives, done in the thread. `tick` is called now and then meanwhile."""
        self.begin(work)
        return self.finish(tick)

    def begin(self, work: Callable[[], Any]) -> None:
        """Has the thread do `work`, and goes on. Nothing else may be begun before `finish`."""
        self._asked.put(work)

    def finish(self, tick: Callable[[], None] | None = None) -> Any:
        """What the work gives that was begun. `tick` is called now and then meanwhile."""
        while True:
            try:
                result, error = self._answers.get(timeout=_LOOK_S)  # Windows sees no Ctrl-C without an end
            except Empty:
                if tick:
                    tick()
                continue
            if error is not None:
                raise error
            return result

    def _run(self) -> None:
        while (work := self._asked.get()) is not None:
            try:
                self._answers.put((work(), None))
            except Exception as error:
                self._answers.put((None, error))
        self._ended.set()
