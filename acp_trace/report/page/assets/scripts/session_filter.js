// The session that every view shows, if one is chosen: the control in the page's head, and `session=S2` in addresses.
// Views know sessions by their ids. A link to something of another session shows all sessions again.

import { h, renew } from "./dom.js";
import { safe, shorten } from "./format.js";
import { sessionColour, sessionName } from "./sessions.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {Record<string, any>} At */

/** The views that follow the choice, and of those the ones that show exactly one session. */
const FOLLOWING = ["timeline", "sequence", "messages", "transcript", "state", "model"];
const SINGLE = ["transcript", "state"];
/** What an address names that belongs to a session. */
const NAMED = ["frame", "cancel", "turn", "call", "finding"];
const TITLE = 60;

/** Whether all that is named in a view is of a session.
 * @param {Trace} trace @param {At} at @param {string} session */
export function isWithin(trace, at, session) {
  const { turns, report } = trace;
  const frame = Number(at.frame ?? at.cancel);
  const call = at.call && report.model_calls.find((each) => String(each.call) === String(at.call));
  const finding = at.finding && report.findings[Number(at.finding)];
  const turn = turns[Number(at.turn) - 1];
  return (!(frame >= 1 && frame <= trace.frames) || trace.row(frame).session === session)
    && [turn, call, finding].every((each) => !each || each.session_id === session);
}

/** The same place in a session, or in all of them (""): without what is of another one.
 * @param {Trace} trace @param {At} at @param {string} session @returns {At} */
export function within(trace, at, session) {
  const { session: _, ...others } = at;
  if (!session) return others;
  const kept = isWithin(trace, others, session) ? others : Object.fromEntries(Object.entries(others).filter(([name]) => !NAMED.includes(name)));
  return { ...kept, session };
}

/** The one of these sessions that is meant, or the first one.
 * @param {any[]} sessions @param {string} wanted */
export function sessionIn(sessions, wanted) {
  return sessions.find(({ session_id }) => session_id === wanted) ?? sessions[0];
}

/** The control in the page's head. */
export class SessionChoice {
  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.page = page;
    this.select = /** @type {HTMLSelectElement} */ (h("select", { "aria-label": "Session", title: "S: the next one", onchange: () => this.#choose() }));
    this.element = h("span.choice", { hidden: true }, this.select);
  }

  /** What there is to choose from where one is, and what is chosen. */
  offer() {
    const { page, select } = this;
    const { view, at } = page.place;
    this.element.hidden = !FOLLOWING.includes(view) || page.trace.sessions.size < 2;
    if (this.element.hidden) return;
    const { trace } = page;
    const isSingle = SINGLE.includes(view);
    const shown = select.value;
    renew(select, !isSingle && h("option", { value: "" }, "All sessions"), trace.report.sessions.map(({ session_id, title }) =>
      h("option", { value: session_id, title: safe(session_id) }, `${sessionName(trace, session_id)} · ${safe(shorten(title || session_id, TITLE))}`)));
    this.#set(at.session ?? (isSingle ? shown : ""));
  }

  /** Chooses the next one; after the last one the first, or all. */
  next() {
    if (this.element.hidden) return;
    this.select.selectedIndex = (this.select.selectedIndex + 1) % this.select.options.length;
    this.#choose();
  }

  #choose() {
    const { page } = this;
    page.go({ at: { session: "", ...within(page.trace, page.place.at, this.select.value) } });
  }

  /** A view that shows one session tells which.
   * @param {string} view @param {string} session */
  tell(view, session) {
    if (this.page.place.view === view) this.#set(session);
  }

  /** @param {string} session */
  #set(session) {
    this.select.value = session;
    this.select.className = sessionColour(this.page.trace, session);
  }
}
