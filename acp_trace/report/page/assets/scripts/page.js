// The page that is open: its traces, where one is, and how to go elsewhere. Every view is given it.

import { h } from "./dom.js";
import { safeLines } from "./format.js";
import { fragmentOf, placeOf } from "./place.js";
import { isWithin, SessionChoice } from "./session_filter.js";
import { meant, named } from "./sessions.js";

/** @typedef {import("./place.js").Place} Place */
/** @typedef {import("./dom.js").Child} Child */

/**
 * @typedef {object} Shown
 * A view as it was made for one trace.
 * @property {HTMLElement} element
 * @property {(at: Record<string, string>, isBack: boolean) => void} [show]  called whenever one comes here, with what of the view is meant; `isBack`: to where one was
 * @property {import("./keys.js").Key[]} [keys]
 * @property {() => void | Promise<void>} [grown]  called when a live trace has got more, if one is here; else before `show`
 */

/**
 * @typedef {object} View
 * @property {string} name  as in the fragment
 * @property {string} [title]  the label of its tab (`tabs`)
 * @property {string} key
 * @property {(page: Page) => boolean} [isAvailable]  if not: for every page that has a trace
 * @property {(page: Page) => Shown} create  at most once for each trace, when it is first opened
 */

export class Page {
  /**
   * @param {import("./source.js").Source} source
   * @param {import("./documents.js").PageDocument} document  `page.json`
   */
  constructor(source, document) {
    this.source = source;
    this.document = document;
    /** @type {Map<string, import("./trace.js").Trace>} */
    this.traces = new Map();
    /** @type {Place} */
    this.place = { trace: "a", view: "", at: {} };
    /** Says above the view what of its address does not exist; with an empty text, nothing.
     * @type {(words: string) => void} */
    this.warn = () => {};
    /** The choice of a session, in the page's head. */
    this.sessions = new SessionChoice(this);
  }

  /** The trace that is looked at. */
  get trace() {
    const trace = this.traces.get(this.place.trace) ?? this.traces.values().next().value;
    if (!trace) throw new Error("the page has no trace");
    return trace;
  }

  /** The comparison that is looked at. */
  get comparison() {
    const { comparisons = [] } = this.document;
    return comparisons.find(({ actual }) => actual === this.place.trace) ?? comparisons[0];
  }

  /** The fragment of a place. What of it stands in the address are the names of sessions and turns.
   * @param {import("./place.js").Target} place */
  fragment(place) {
    const whole = { ...this.place, at: {}, ...place };
    const trace = this.traces.get(whole.trace);
    return fragmentOf({ ...whole, at: trace ? named(trace, whole.at) : whole.at });
  }

  /** The place that a fragment names, and why something that it names is not there.
   * @param {string} fragment @param {Place} otherwise
   * @returns {{ place: Place, why: string }} */
  read(fragment, otherwise) {
    const place = placeOf(fragment, otherwise);
    const trace = this.traces.get(place.trace);
    if (!trace) return { place, why: "" };
    const { at, why } = meant(trace, place.at);
    return { place: { ...place, at }, why };
  }

  /** Goes to a place; with `isStep` false, the way back does not lead here.
   * @param {import("./place.js").Target} place
   * @param {{ isStep?: boolean }} [how] */
  go(place, how) {
    this.follow(this.#inSession(place), how);
  }

  /** The fragment of a place. The chosen session stays chosen if the place is within it and names none.
   * @param {import("./place.js").Target} place */
  #inSession(place) {
    const { trace, at } = { ...this.place, at: {}, ...place };
    const { session } = this.place.at;
    const isKept = session && at.session === undefined && trace === this.place.trace && isWithin(this.trace, at, session);
    return this.fragment(isKept ? { ...place, at: { ...at, session } } : place);
  }

  /** Goes where a link of this page leads.
   * @param {string} fragment */
  followLink(fragment) {
    this.go(this.read(fragment, this.place).place);
  }

  /** Shows what a fragment names, now: of one that it is led to by itself, a browser tells later, and it may hand on
   * keys before, which would be for the view that one has left.
   * @param {string} fragment
   * @param {{ isStep?: boolean }} [how] */
  follow(fragment, { isStep = true } = {}) {
    if (isStep && fragment === location.hash) return;
    if (isStep) history.pushState(null, "", fragment);
    else history.replaceState(null, "", fragment);
    dispatchEvent(new HashChangeEvent("hashchange"));
  }

  /** A link to a place on this page. No other address is ever one.
   * @param {import("./place.js").Target} place
   * @param {...Child} children */
  link(place, ...children) {
    return h("a", { href: this.fragment(place) }, ...children);
  }

  /** Goes to a place in a view of this trace; the way back does not lead here.
   * @param {string} view
   * @param {import("./place.js").Target["at"]} at */
  stay(view, at) {
    this.go({ view, at }, { isStep: false });
  }

  /** A link to a place in a view of this trace.
   * @param {string} view
   * @param {import("./place.js").Target["at"]} at
   * @param {...Child} children */
  to(view, at, ...children) {
    return this.link({ view, at }, ...children);
  }

  /** A link to a frame among the messages: `#12`, with a sign if there is a note on it.
   * @param {number} frame
   * @param {string} [trace] */
  frame(frame, trace = this.place.trace) {
    const note = this.traces.get(trace)?.notes[frame];
    return h("a", { href: this.fragment({ trace, view: "messages", at: { frame } }), title: note ? safeLines(note) : null }, `#${frame}${note ? " ✎" : ""}`);
  }
}
