"""`export --to mermaid`, read and drawn by Mermaid itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser

from acp_trace.trace.counts import counted
from tests.formats.writing.exporting import given, without_times, written
from tests.real import packages
from tests.support import request, trace, update

pytestmark = pytest.mark.browser

_READ = """async text => {
    mermaid.initialize({startOnLoad: false});
    const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
    const drawn = await mermaid.render("drawn", text);
    document.body.innerHTML = drawn.svg;
    const labels = Array.from(document.querySelectorAll("text.messageText, .noteText"), each => each.textContent);
    const actors = Array.from(diagram.db.getActors().values(), each => each.description);
    return {actors, labels, sent: diagram.db.getMessages().filter(each => each.to && each.from !== each.to).length,
            scripts: document.querySelectorAll("svg script, svg a, svg image, svg foreignObject").length};
}"""

Reader = Callable[[bytes], dict[str, Any]]


@pytest.fixture
def mermaid(browser: Browser) -> Any:
    """What Mermaid makes of a text: participants, labels as they are drawn, how many arrows."""
    page = browser.new_page()
    page.add_script_tag(path=packages.npm(*packages.MERMAID) / "mermaid" / "dist" / "mermaid.min.js")
    yield lambda text: page.evaluate(_READ, text.decode())
    page.close()


def test_a_session_is_drawn(mermaid: Reader) -> None:
    """Each request and response is an arrow, runs of chunks are one, and the words are as they were."""
    drawn = mermaid(written("mermaid", given("gemini-model")))
    assert drawn["actors"] == ["client errand 1", "agent Gemini CLI 0.61.0", "model"]
    labels = drawn["labels"]
    assert "#16–19 agent_message_chunk ×4" in labels
    assert '#21 session/prompt "COUNT 60"' in labels
    assert "#27 result after 357 ms cancelled" in labels
    assert "call 5 aborted" in labels
    assert "note: permission-unannounced" in labels
    assert sum(label.startswith("turn ") for label in labels) == 3


def test_without_times_nothing_says_after(mermaid: Reader) -> None:
    """A log without times has an order, and no durations."""
    labels = mermaid(written("mermaid", without_times("opencode-story")))["labels"]
    assert len(labels) > 20
    assert not any(" after " in label for label in labels)


@pytest.mark.parametrize(
    "words",
    ["a; b", "end", "%%{init: {'theme':'dark'}}%%", "<b>x</b><script>1</script>", "#35; &amp; `x` $$y$$", "a\nC->>A: b", "\u202e\u2028x", "wrap: x", "é 漢字 🎉"],
)  # fmt: skip
def test_words_mean_nothing(mermaid: Reader, words: str) -> None:
    """Whatever an agent writes is a label and nothing else."""
    chunk = update("s", "agent_message_chunk", content={"type": "text", "text": words})
    drawn = mermaid(written("mermaid", given(trace(("agent", chunk), ("client", request(1, words))))))
    assert drawn["sent"] == 2
    assert drawn["scripts"] == 0
    shown = words.replace("\n", "\\n").replace("\u202e\u2028", "\\u202e\\u2028")
    assert any(shown in label.replace("\xa0", " ") for label in drawn["labels"])


def test_a_long_trace_is_cut_to_what_is_drawn(mermaid: Reader) -> None:
    """Mermaid draws no more than so many characters: the last note says what is missing."""
    long = given(trace(*[("client", request(n, "session/new", cwd="/w" * 20)) for n in range(2000)]))
    drawn = mermaid(written("mermaid", long))
    missing = 2000 - (drawn["sent"] - 1)  # the note lies between the two sides as well
    (note,) = long.notes
    assert note == f"{counted(missing, 'frame')} more: a diagram of all would be longer than Mermaid draws"
    assert 100 < missing < 1900
    assert " ".join(note.split()) in " ".join(" ".join(drawn["labels"]).split())
