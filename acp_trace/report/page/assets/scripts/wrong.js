// What an address names that is not there: one line for people. The view is shown all the same.

import { counted, number, safe, shorten } from "./format.js";

/** @typedef {import("./page.js").Page} Page */

const MOST = 60;

/** Says what of a place does not exist; empty if all of it does. Of sessions and turns, sessions.js says that.
 * @param {Page} page
 * @param {import("./place.js").Place} place  as the address names it
 * @param {import("./page.js").View[]} views  those that the page has
 * @param {string} shown  the title of the view that is shown */
export function wrongIn(page, place, views, shown) {
  if (!views.some(({ name }) => name === place.view)) return `There is no view ${quoted(place.view)} here: this is ${shown}`;
  if (!page.traces.size) return "";
  const trace = page.traces.get(place.trace);
  if (!trace) return `There is no trace ${quoted(place.trace)} on this page`;
  for (const [name, value] of Object.entries(place.at)) {
    const why = CHECKS[name]?.(trace, value);
    if (why) return why;
  }
  return "";
}

/** @type {Record<string, (trace: import("./trace.js").Trace, value: string) => string | false>} by what the address names */
const CHECKS = {
  frame: ofFrames("Frame"),
  cancel: ofFrames("Frame"),
  call: ({ report }, value) => !report.model_calls.some(({ call }) => String(call) === value)
    && `Call ${quoted(value)} does not exist: this trace has ${counted(report.model_calls.length, "call")} of a model`,
  finding: ({ report }, value) => !isAmong(String(Number(value) + 1), report.findings.length)
    && `Finding ${quoted(value)} does not exist: this trace has ${counted(report.findings.length, "finding")}`,
};

/** @param {string} word */
function ofFrames(word) {
  return (/** @type {import("./trace.js").Trace} */ { frames }, /** @type {string} */ value) => !isAmong(value, frames)
    && `${word} ${quoted(value)} does not exist: ${frames ? `this trace ends at #${number(frames)}` : "this trace has no frames"}`;
}

/** Whether a text is a number from 1 to so many.
 * @param {string} value
 * @param {number} count */
function isAmong(value, count) {
  return /^\d{1,15}$/.test(value) && Number(value) >= 1 && Number(value) <= count;
}

/** @param {string} value */
function quoted(value) {
  return /^\d+$/.test(value) ? shorten(value, MOST) : `"${safe(shorten(value, MOST))}"`;
}
