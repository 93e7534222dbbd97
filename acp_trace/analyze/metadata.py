"""The metadata of a session: title, updatedAt and _meta, as session_info_update changes them.

Rules: docs/report.md, Merging metadata. A fault in an update becomes a finding and changes nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from acp_trace.analyze import facts, merge
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.timestamps import moment
from acp_trace.trace import jsontext

_LONGEST_TITLE = 500  #: characters (RFD session-info-update, proposal)
_FLOOD, _SECOND = 50, 1_000_000_000
_ONE_MOMENT = timedelta(seconds=1)  #: session/list may lag behind an update by less than this
_FOREIGN = ("sessionId", "cwd", "additionalDirectories")

_Object = dict[str, Any]


class MetadataLedger:
    """State and timeline of one session. `rule`: the present rule for merging _meta."""

    def __init__(self, session_id: str, findings: Findings) -> None:
        self._session_id = session_id
        self._findings = findings
        self._fields: dict[str, str] = {}
        self._metas: dict[merge.Rule, merge.Meta] = {rule: {} for rule in merge.RULES}
        self.is_set = False  #: whether the client has set the title
        self._touched: set[str] = set()  #: fields that some update has named
        self._apart: set[str] = set()  #: keys of _meta for which deep and shallow merge disagree
        self._replayed = False  #: whether the current update is history
        self._latest: deque[int] | None = None  #: times of updates; None before the first, to save memory
        self.rule: merge.Rule = "rfd"
        self.updates: list[facts.MetadataUpdate] = []
        self.changes: list[facts.MetadataChange] = []

    @property
    def title(self) -> str | None:
        """The title now."""
        return self._fields.get("title")

    @property
    def updated_at(self) -> str | None:
        """The present time of last activity, as the agent wrote it."""
        return self._fields.get("updatedAt")

    @property
    def meta(self) -> str:
        """The present _meta, as JSON."""
        return jsontext.string(self._metas[self.rule])

    def named(self) -> None:
        """Record that the client has set the title: lists may have it before any update."""
        self.is_set = True

    def was_reported(self, field: str) -> bool:
        """Whether an update has named a field."""
        return field in self._touched

    def take(
        self, frame: int, t: int, update: _Object, rule: merge.Rule, turn: int | None, *, replayed: bool
    ) -> None:
        """Process a session_info_update."""
        self._replayed = replayed
        self._watch_for_flood(frame, t)
        self._foreign(frame, update)
        self.updates.append(
            facts.MetadataUpdate(
                session_id=self._session_id, frame=frame, t_ns=t, replayed=replayed, turn=turn
            )
        )
        for path, before, after in (*self._strings(frame, update), *self._merge(frame, update, rule)):
            self.changes.append(
                facts.MetadataChange(
                    session_id=self._session_id, frame=frame, path=path, before=before, after=after
                )
            )

    def compare(self, frame: int, listed: _Object, asked: int) -> None:
        """Compare the fields that updates have named with those that session/list gives for the session.

        `asked`: the frame of the request. An update after it may be newer than the list, or older.
        """
        if self.updates and self.updates[-1].frame > asked:
            return
        for key in ("title", "updatedAt"):
            if key == "title" and self.is_set:
                continue
            theirs, ours = listed.get(key), self._fields.get(key)
            if key in self._touched and isinstance(theirs, str) and not _same(key, theirs, ours):
                self._disagree(frame, key, theirs, ours)
        theirs, meta = listed.get("_meta"), self._metas[self.rule]
        if "_meta" not in self._touched or not isinstance(theirs, dict):
            return
        if jsontext.canonical(theirs) != jsontext.canonical(meta):
            self._disagree(frame, "_meta", theirs, meta)

    def _disagree(self, frame: int, key: str, listed: Any, updated: Any) -> None:
        listed_text, updated_text = jsontext.short(listed), jsontext.short(updated)
        text = f"session/list gives {key} {listed_text}, session_info_update gave {updated_text}"
        self._say("list-disagrees", frame, text, key)

    def _strings(self, frame: int, update: _Object) -> Iterator[merge.Difference]:
        for key in ("title", "updatedAt"):
            if key not in update:
                continue
            value = update[key]
            if value is not None and not isinstance(value, str):
                text = f"{key} is neither a string nor null: {jsontext.short(value)}"
                self._say("info-wrong-type", frame, text, path=key, expected="a string or null")
                continue
            if isinstance(value, str):
                self._check(frame, key, value)
            self._touched.add(key)
            before = self._fields.pop(key, None)
            if value is not None:
                self._fields[key] = value
            if before != value:
                yield f"/{key}", _text(before), _text(value)

    def _check(self, frame: int, key: str, value: str) -> None:
        if key == "updatedAt":
            self._check_time(frame, value)
        elif len(value) > _LONGEST_TITLE:
            self._say("title-too-long", frame, f"a title of {len(value)} characters")

    def _check_time(self, frame: int, value: str) -> None:
        now, before = moment(value), moment(self._fields.get("updatedAt", ""))
        if now is None:
            text = f"updatedAt {jsontext.short(value)} is not RFC 3339"
            self._say(
                "updated-at-invalid", frame, text, path="updatedAt", expected="a time in the form of RFC 3339"
            )
        elif before is not None and now < before and not self._replayed:
            text = f"updatedAt goes back from {self._fields['updatedAt']} to {value}"
            self._say("updated-at-goes-back", frame, text)

    def _merge(self, frame: int, update: _Object, rule: merge.Rule) -> Iterator[merge.Difference]:
        shown, self.rule = self._metas[self.rule], rule
        patch = update.get("_meta")
        if "_meta" not in update or not (patch is None or isinstance(patch, dict)):
            if "_meta" in update:
                text = f"_meta is neither an object nor null: {jsontext.short(patch)}"
                self._say("info-wrong-type", frame, text, path="_meta", expected="an object or null")
            return
        self._touched.add("_meta")
        state = self._metas[rule]
        whole = patch is None or rule == "replace" or shown is not state

        def leaves(of: merge.Meta) -> dict[str, str]:
            return merge.all_leaves(of) if whole else merge.named_leaves(rule, of, patch or {})

        before = leaves(shown)
        for each, of_rule in self._metas.items():
            merge.apply(each, of_rule, patch)
        self._watch_rules(frame, patch)
        yield from merge.differences(before, leaves(state))

    def _watch_rules(self, frame: int, patch: _Object | None) -> None:
        """Report when deep and shallow merge begin to differ. Only keys in the patch can change that."""
        agreed = not self._apart
        if patch is None:
            self._apart.clear()
        deep, shallow = self._metas["rfd"], self._metas["shallow"]
        for key in patch or ():
            agree = merge.same(shallow.get(key), deep.get(key))
            (self._apart.discard if agree else self._apart.add)(key)
        if agreed and self._apart:
            text = "from here on, clients that merge _meta deeply disagree with those that do not"
            self._say("meta-merge-differs", frame, text)

    def _foreign(self, frame: int, update: _Object) -> None:
        for key in _FOREIGN:
            if key in update:
                self._say(
                    "info-foreign-field", frame, f"{key} is not part of session_info_update", key, path=key
                )

    def _watch_for_flood(self, frame: int, t: int) -> None:
        if self._replayed:  # history comes at once, in the order in which it is kept
            return
        if self._latest is None:
            self._latest = deque(maxlen=_FLOOD + 1)
        self._latest.append(t)
        if len(self._latest) > _FLOOD and t - self._latest[0] <= _SECOND:
            text = f"more than {_FLOOD} session_info_updates within a second"
            self._say("info-flood", frame, text)

    def _say(
        self,
        code: str,
        frame: int,
        message: str,
        about: str = "",
        path: str | None = None,
        expected: str | None = None,
    ) -> None:
        """Add a finding; `path`: the member of the update that it is about."""
        path = path and f"/params/update/{path}"
        self._findings.say(
            code, "agent", frame, self._session_id, message, about, path=path, expected=expected
        )


def _same(key: str, listed: str, updated: str | None) -> bool:
    if key == "updatedAt" and updated is not None:
        updated_at, listed_at = moment(updated), moment(listed)
        if updated_at is not None and listed_at is not None:
            # Activity since then does not require an update, and an agent may read the clock for each.
            return updated_at - listed_at < _ONE_MOMENT
    return listed == updated


def _text(value: str | None) -> str | None:
    return None if value is None else jsontext.string(value)
