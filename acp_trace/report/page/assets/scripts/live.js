// Live traces: the page asks once a second what they have got.

import { NoServer } from "./source.js";

const LIVE_MS = 1000;

/**
 * Takes in what live traces get, again and again.
 *
 * @param {import("./page.js").Page} page
 * @param {HTMLElement} status
 * @param {(trace: string) => Promise<void>} grown  called when one has got more; also for the list, which has no trace
 */
export function watch(page, status, grown) {
  const ended = (/** @type {unknown} */ error) => {
    status.hidden = false;
    status.textContent = error instanceof NoServer ? "✕ The server has ended" : "✕ Not up to date";
    if (!(error instanceof NoServer)) throw error; // a fault of the page, which it tells
  };
  const look = () => taken().catch(ended);
  const taken = async () => {
    if (!document.hidden) {
      for (const [key, trace] of page.traces) if (trace.index.live && await trace.grow()) await grown(key);
      if (!page.traces.size) await grown("");
    }
    status.hidden = ![...page.traces.values()].some((trace) => trace.index.live);
    setTimeout(look, LIVE_MS);
  };
  look();
}
