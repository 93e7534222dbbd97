"""The reports that a command writes beside its text: which there are, and what may go where.

What a report contains is the command's concern, how a file comes to be whole that of `outputs.py`, and a page
writes itself (`page_output.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import typer

from acp_trace.cli import common, outputs
from acp_trace.cli.errors import Misuse


@dataclass(frozen=True, slots=True)
class Reports:
    """The file of each report, `-` for standard output, None for a report that was not asked for."""

    junit: str | None = None
    sarif: str | None = None
    html: str | None = None
    badge: str | None = None  #: an image: never on standard output
    json_file: str | None = None
    json: bool = False  #: on standard output
    github: bool = False  #: in the text

    def check(self, inputs: Iterable[str] = (), *, others: Sequence[tuple[str, str | None]] = ()) -> None:
        """Refuse two documents on standard output, and files that cannot or should not be written.

        `inputs`: what the command reads. `others`: further options that name a file of their own.
        """
        documents = {f"{option} -": file == "-" for option, file in self._files()}
        documents |= {"--json": self.json, "--github": self.github}
        asked = [option for option, is_asked in documents.items() if is_asked]
        if self.badge == "-":
            raise typer.BadParameter("'-' is not a file", param_hint="--badge")
        if len(asked) > 1:
            raise Misuse(f"{' and '.join(asked)} both write to standard output")
        inputs = list(inputs)
        for option, file in self._files():
            outputs.check_report(option, file, inputs)
        outputs.check_distinct((*self._files(), *others))

    @property
    def leaves_text(self) -> bool:
        """Whether standard output is left for the text."""
        return not self.json and all(file != "-" for _, file in self._files())

    def files(self) -> list[str]:
        """The files that are written."""
        return [file for _, file in self._files() if file not in (None, "-")]

    def write(self, document: Callable[[], Any], **contents: Callable[[], bytes]) -> None:
        """Write the reports that were asked for, other than a page.

        `document`: makes what is written as JSON. `contents`: makes a report, by its name here.
        """
        for name, make in contents.items():
            if (file := getattr(self, name)) is not None:
                outputs.write(file, make())
        if self.json or self.json_file is not None:
            content = common.json_document(document())
            for file in ("-" if self.json else None, self.json_file):
                if file is not None:
                    outputs.write(file, content)

    def _files(self) -> tuple[tuple[str, str | None], ...]:
        names = ("junit", "sarif", "html", "badge", "json_file")
        return tuple((f"--{name.replace('_', '-')}", getattr(self, name)) for name in names)
