"""Words -> the topics that fit best. Texts in, matches out; no I/O.

A page is found by its parts: a part is a heading and the text below it. A part is weighed by BM25: a rare
word counts more than a common one, and a short part more than a long one. Two neighbouring words also count
together, as one rare word. Words of a heading, of the title and of the line in the index count several times.
A page is as good as its best part, and a little better for each other part, times its weight (`index`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from acp_trace.manual import headings
from acp_trace.manual.headings import PagePart
from acp_trace.manual.index import Topic

#: How often a word counts that is in the heading of a part, and in the title or the index's line of its page.
_HEADING, _TITLE = 4, 6
#: The usual constants of BM25: how soon repetitions stop to count, and how much the length of a part matters.
_K, _B = 1.2, 0.75
#: What the parts of a page after its best one add to it.
_OTHERS = 0.05

_WORD = re.compile(r"[a-z0-9_$]+")
#: Words that every page has, and that questions are made of.
_STOP = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be but by can do does for from has have how i if in is it its me my of on
        or our that the their them then there this to was what when where which who why will with you your""",
    )
)
#: Endings that make no difference, the longest first.
_ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "er", "s", "e", "y")


@dataclass(frozen=True, slots=True)
class TopicMatch:
    """A topic that fits, and where in it."""

    topic: Topic
    heading: str  #: of the part that fits best, without marks
    anchor: str  #: of the same part; empty for the beginning of the page
    score: float

    @property
    def name(self) -> str:
        """What a user types to read this part: `ci#gitlab-ci`."""
        return f"{self.topic.name}#{self.anchor}" if self.anchor else self.topic.name


def search(query: str, pages: Iterable[tuple[Topic, str]], *, most: int = 5) -> list[TopicMatch]:
    """Return the topics that fit the words of `query`, the best first; empty if none has any."""
    wanted = set(_terms(query))
    parts = [part for topic, text in pages for part in _parts(topic, text)]
    average = sum(part[2].total() for part in parts) / max(len(parts), 1) or 1
    rarity = {
        word: math.log(1 + (len(parts) - n + 0.5) / (n + 0.5))
        for word in wanted
        if (n := sum(word in part[2] for part in parts))
    }
    scored: dict[str, list[tuple[float, PagePart, Topic]]] = {}
    for topic, part, words in parts:
        length = 1 - _B + _B * words.total() / average
        score = sum(
            rare * words[word] * (_K + 1) / (words[word] + _K * length) for word, rare in rarity.items()
        )
        if score:
            scored.setdefault(topic.path, []).append((score, part, topic))
    found = []
    for rows in scored.values():
        rows.sort(key=lambda row: -row[0])
        (best, part, topic), *others = rows
        score = topic.weight * (best + _OTHERS * sum(row[0] for row in others))
        anchor = headings.slug(part.heading) if part.level > 1 else ""
        heading = re.sub(r"[`*]", "", part.heading or topic.title)
        found.append(TopicMatch(topic, heading, anchor, score))
    return sorted(found, key=lambda match: -match.score)[:most]


def _parts(topic: Topic, text: str) -> Iterator[tuple[Topic, PagePart, Counter[str]]]:
    """Yield the parts of a page, each with how often each word counts in it."""
    about = Counter({word: n * _TITLE for word, n in Counter(_terms(f"{topic.title} {topic.about}")).items()})
    for part in headings.parts(text):
        heading = part.heading or topic.title
        words = Counter(_terms(part.body)) + about
        words.update({word: n * _HEADING for word, n in Counter(_terms(heading)).items()})
        yield topic, part, words


def _terms(text: str) -> Iterator[str]:
    """The words of a text that mean something, without their endings, and each pair of neighbours."""
    before = None
    for word in _WORD.findall(text.lower()):
        if word not in _STOP:
            stem = _stem(word)
            yield stem
            if before is not None:
                yield f"{before} {stem}"
            before = stem


@lru_cache(maxsize=8192)  # the docs have 5000 words, most of them many times: half of the time of a search
def _stem(word: str) -> str:
    """A word without an ending, and without the consonant that an ending doubles: `cancelled`, `running`."""
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= 3), "")
    stem = word.removesuffix(ending)
    return stem[:-1] if stem[-2:-1] == stem[-1:] else stem
