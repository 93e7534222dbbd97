"""`acp-trace diff` as people and CI use it: what it ends with, what it writes, what it refuses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.compare.conversation import Edit, base, both, chunk, file, instead, put
from tests.reading.talk import stop
from tests.support import ACP_TRACE, DEADLINE_S, Home, header

TEXT = instead("bye", chunk("Finished", messageId="m1"))
STOP = instead("stop 1", stop(3, "max_tokens"))
_SECOND = "20261120T130502Z-7f3a9d"


@pytest.fixture
def one(tmp_path: Path) -> str:
    """The recording."""
    path = tmp_path / "one.jsonl"
    path.write_bytes(file(base()))
    return str(path)


@pytest.fixture
def other(tmp_path: Path) -> str:
    """Another with another text and another stop reason."""
    return _other(tmp_path, both(TEXT, STOP))


def _other(folder: Path, edit: Edit, name: str = "other.jsonl") -> str:
    path = folder / name
    path.write_bytes(file(edit(base()), id=_SECOND))
    return str(path)


def _refused(home: Home, *args: str) -> str:
    """What a wrong command line is told. No trace is looked at: those that are named do not exist."""
    done = home.outcome("diff", "no/such.jsonl", "nor/this.jsonl", *args)
    assert (done.returncode, done.stdout) == (2, b""), done.stderr
    return done.stderr.decode()


def _one_line(home: Home, *args: str, code: int, stdin: bytes = b"") -> str:
    """The line that a command says in place of a report."""
    done = home.outcome("diff", *args, stdin=stdin)
    assert (done.returncode, done.stdout) == (code, b""), done.stderr
    (line,) = done.stderr.decode().splitlines()
    return line


def test_the_same_is_equal(home: Home, one: str) -> None:
    """Exit 0, the verdict first, and how much was compared."""
    said = home.run("diff", one, one)
    assert said.startswith("equal\n\n")
    assert "48 frames recorded · 48 compared · 0 values masked · 0 unmatched" in said


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--match", "outcome"], 1),
        (["--match", "semantic"], 1),
        (["--match", "semantic", "--mask", "/result/stopReason:string"], 0),
        (["--match", "exact", "--mask", "/result/stopReason:string"], 1),
        (["--match", "exact", "--mask", "/result/stopReason", "--mask", "/params/update/content/text"], 0),
        (["--mask", "/result/stopReason:number"], 1),
        (["--mask", "/params/update/content/text"], 2),
    ],
)
def test_what_differs(home: Home, one: str, other: str, options: list[str], code: int) -> None:
    """Levels and masks decide."""
    home.run("diff", one, other, *options, code=code)


def test_the_first_divergence_in_full(home: Home, one: str, other: str) -> None:
    """The heaviest: what was expected and got, the last event that both have, and how to look at it."""
    said = home.run("diff", one, other, "--match", "exact", code=1)
    assert said.startswith("2 divergences\n")
    assert "expected  #27 ◂ answer to session/prompt: end_turn" in said
    assert "actual    #27 ◂ answer to session/prompt: max_tokens" in said
    assert "hide it" not in said, "a mask would hide the defect"
    assert " 2  frame-differs  #25  #25  agent_message_chunk /params/update/content/text" in said
    assert f"acp-trace frames {other} --around 27" in said


def test_all_lists_every_divergence(home: Home, one: str, tmp_path: Path) -> None:
    """Three of a cause are enough without."""
    noisy = _other(tmp_path, put("found", *(stop(n) for n in range(100, 110))))
    said = home.run("diff", one, noisy, "--match", "exact", code=1)
    whole = home.run("diff", one, noisy, "--match", "exact", "--all", code=1)
    assert len(whole.splitlines()) >= len(said.splitlines())
    assert "more" not in whole


def test_a_mask_that_hides_nothing(home: Home, one: str, other: str) -> None:
    """Exit 2 and its name, under the report; whether or not something differs."""
    for second in (one, other):
        done = home.outcome("diff", one, second, "--mask", "/params/update/titel", "--mask", "/result/x:uuid")
        assert done.returncode == 2
        assert b"frames recorded" in done.stdout
        assert done.stderr.decode() == (
            "acp-trace: nothing to hide for --mask /params/update/titel, --mask /result/x:uuid at this level\n"
        )


def test_nothing_was_compared(home: Home, one: str, tmp_path: Path) -> None:
    """Exit 4: two traces with nothing in common are not equal."""
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(header())
    for pair in ([str(empty), str(empty)], [str(empty), one], [one, str(empty)]):
        done = home.outcome("diff", *pair)
        assert done.returncode == 4
        assert done.stderr == b"acp-trace: nothing was compared: the two traces have no frame in common\n"


def test_traces_of_the_store(home: Home, one: str, other: str) -> None:
    """By nothing, by `last`, by ids; 4 where there is none yet, 3 where there is only one."""
    assert "there is no trace yet" in _one_line(home, code=4)
    home.run("load", one)
    assert "last~1: there is no such trace" in _one_line(home, code=3)
    home.run("load", other)
    for names in ([], ["7f3a9c", "last"]):
        told = json.loads(home.run("diff", *names, "--json", code=1))
        assert (told["expected"]["id"][-6:], told["got"]["id"][-6:]) == ("7f3a9c", "7f3a9d")
        assert [row["code"] for row in told["divergences"]] == ["stop-reason"]
    assert f"acp-trace frames {_SECOND} --around 27" in home.run("diff", "last~1", code=1)


def test_standard_input(home: Home, one: str, other: str) -> None:
    """`-` is a trace like any other, on either side. It cannot be opened again, but the other one can."""
    data = Path(other).read_bytes()
    for pair in ([one, "-"], ["-", one]):
        said = home.run("diff", *pair, stdin=data, code=1)
        assert " standard input" in said
        assert f"acp-trace frames {one} --around 27" in said
    said = home.run("diff", one, "-", "--github", stdin=data, code=1)
    assert f"::error file={one},line=28,title=stop-reason::" in said
    assert "can be read only once" in home.outcome("diff", "-", "-", stdin=data).stderr.decode()
    home.run("diff", "-", "-", stdin=data, code=2)


def test_the_json(home: Home, one: str, other: str) -> None:
    """One document, whatever else is asked for."""
    told = home.json("diff", one, other, "--match", "exact", "--mask", "/params/update/content/text", code=1)
    assert (told["acp_trace_diff"], told["equal"], told["match"]) == (1, False, "exact")
    assert told["counts"] == {"recorded": 48, "compared": 48, "masked": 6, "unmatched": 0}
    assert told["masks"] == [{"mask": "/params/update/content/text", "uses": 6, "refused": 0}]
    (row,) = told["divergences"]
    assert row == {
        "code": "stop-reason", "severity": "error", "count": 1, "session_id": "s", "session": None,
        "message": "turn 0: stopReason end_turn → max_tokens", "expected": "end_turn", "got": "max_tokens",
        "expected_frame": 27, "got_frame": 27,
        "last_common": {"expected_frame": 26, "got_frame": 26, "sender": "agent",
                        "what": "session/update usage_update"},
        "pointer": "/result/stopReason", "mask": None, "refused": None,
        "rank": 6, "weight": "outcome", "consequence_of": None, "consequence_of_expected": None, "obeys": None, "findings": [], "allowed": None,
    }  # fmt: skip
    assert home.json("diff", one, one)["equal"] is True


def test_reports_are_written_together(home: Home, one: str, other: str, tmp_path: Path) -> None:
    """JUnit and JSON of one run agree; `-` puts the XML on standard output, and nothing else."""
    out = tmp_path / "diff.xml"
    for second, failures in ((other, "1"), (one, "0")):
        told = home.json("diff", one, second, "--junit", str(out), code=int(failures))
        assert ET.fromstring(out.read_bytes()).get("failures") == failures
        assert told["equal"] is (failures == "0")
    assert ET.fromstring(home.run("diff", one, other, "--junit", "-", code=1)).get("failures") == "1"


def test_github(home: Home, one: str, tmp_path: Path) -> None:
    """Annotations under the report, at the line of the second trace; no line from the traffic is one."""
    evil = _other(tmp_path, put("found", ("agent", "::error title=evil::100%"), ("agent", "##[error]evil")))
    lines = home.run("diff", one, evil, "--github", code=1).splitlines()
    assert lines[0] == "1 divergence"
    (command,) = [line for line in lines if line.lstrip().startswith("::")]
    number = command.partition(",line=")[2].partition(",")[0]
    assert command.startswith(f"::error file={evil},line={number},title=noise::")
    assert b"evil" in Path(evil).read_bytes().split(b"\n")[int(number) - 1]
    assert not any("##[" in line for line in lines)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--match", "exakt"], "'exakt' is not one of outcome, semantic, content, exact"),
        (["--mask", "title"], "expected a JSON pointer, such as /params/update/title"),
        (["--mask", "/params/x:strng"], "expected a type: one of string, number, time, uuid"),
        (["--mask", ""], "expected a JSON pointer"),
        (["--junit", "no/such/x.xml"], "there is no directory"),
        (["--junit", "."], "'.' is not a file"),
        (["--junit", ""], "'' is not a file"),
        (["--junit", "-", "--json"], "--junit - and --json both write to standard output"),
        (["--junit", "-", "--github"], "--junit - and --github both write to standard output"),
        (["--github", "--json"], "--json and --github both write to standard output"),
        (["third.jsonl"], "unexpected extra argument"),
    ],
)
def test_wrong_words(home: Home, args: list[str], says: str) -> None:
    """Exit 2, before any trace is read."""
    assert says in _refused(home, *args)


def test_a_bad_mask_is_pointed_at(home: Home) -> None:
    """What was expected, the expression, and a caret under the place."""
    *_, message, source, caret = _refused(home, "--mask", "/params/a~2/b").rstrip("\n").split("\n")
    assert message.endswith("expected ~0 for ~, or ~1 for /")
    assert source == "    /params/a~2/b"
    assert caret == "             ^"
    assert "\x1b" not in _refused(home, "--mask", "\x1b]0;x\x07")


def test_a_trace_that_cannot_be_read(home: Home, one: str, tmp_path: Path) -> None:
    """Exit 3 and its name, on either side; nothing is written."""
    (tmp_path / "bad.jsonl").write_bytes(b"nonsense\n")
    out = tmp_path / "diff.xml"
    for name, says in (("bad.jsonl", "is not a trace"), ("missing.jsonl", "No such file"), ("", "directory")):
        line = _one_line(home, one, str(tmp_path / name), "--junit", str(out), code=3)
        assert name in line
        assert says in line
    assert "bad.jsonl is not a trace" in _one_line(home, str(tmp_path / "bad.jsonl"), one, code=3)
    assert "is not a trace" in _one_line(home, one, "-", code=3, stdin=b"nonsense\n")
    assert not out.exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a file that is always full")
def test_a_report_that_cannot_be_written(home: Home, one: str) -> None:
    """Exit 2 and one line: that is no divergence."""
    said = _one_line(home, one, one, "--junit", "/dev/full", code=2)
    assert "/dev/full cannot be written: No space left" in said


@pytest.mark.slow
def test_a_reader_that_goes_changes_nothing(home: Home, one: str, other: str) -> None:
    """`diff | head` ends as `diff` would: with `pipefail`, a failure stays one."""
    runs = [(other, 1, options) for options in ([], ["--json"], ["--github"], ["--junit", "-"])]
    for second, code, options in [*runs, (one, 0, []), (one, 0, ["--junit", "-"])]:
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [*ACP_TRACE, "diff", one, second, *options],
            stdout=writing, stderr=subprocess.PIPE, env=home.environment, timeout=DEADLINE_S, check=False,
        )  # fmt: skip
        os.close(writing)
        assert (done.returncode, done.stderr) == (code, b""), options


@pytest.mark.parametrize("width", ["80", "140"])
def test_control_characters_never_reach_the_terminal(
    home: Home, one: str, tmp_path: Path, width: str
) -> None:
    """Hostile output of an agent, in every form that goes to a log."""
    evil = "\x1b]0;owned\x07\x9b31m\u202e"
    second = _other(tmp_path, both(put("found", ("agent", evil)), instead("stop 1", stop(3, evil))))
    for options in (["--all"], ["--github"], ["--junit", "-"]):
        said = home.run("diff", one, second, *options, code=1, COLUMNS=width)
        assert not set(said) & set("\x1b\x07\x9b\u202e\r"), options


def test_a_page_of_both_traces(home: Home, one: str, other: str, tmp_path: Path) -> None:
    """It is written beside the report, although the traces differ; standard input and output will do as well."""
    page = tmp_path / "page.html"
    plain = home.run("diff", one, other, code=1)
    assert home.run("diff", one, other, "--html", str(page), code=1) == plain
    names = re.findall(r'id="part:([^"]+)"', page.read_text())
    assert {"page.json", "a/report.json", "b/frames/0", "b/diff.json", "b/alignment.json"} <= {*names}
    said = home.run("diff", "-", other, "--html", "-", code=1, stdin=Path(one).read_bytes())
    assert said.startswith("<!doctype html>")
    assert re.findall(r'id="part:([^"]+)"', said) == names


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--html", "-", "--json"), "both write to standard output"),
        (("--html", "x.html", "--junit", "x.html"), "is already used by"),
        (("--html", "nor/there/x.html"), "there is no directory"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_first(
    home: Home, options: tuple[str, ...], why: str
) -> None:
    """Before any trace is looked at."""
    assert why in " ".join(_refused(home, *options).split())
