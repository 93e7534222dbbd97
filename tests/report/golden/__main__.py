"""Writes the screens anew."""

from tests.report.golden.screens import FOLDER, SCREENS

for name, make in SCREENS.items():
    (FOLDER / f"{name}.txt").write_text(make(), "utf-8")
