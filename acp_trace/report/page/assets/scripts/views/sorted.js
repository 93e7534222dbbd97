// The order of the list of messages: by number, or by how long something took or how large it is. Headings choose it.

import { h } from "../dom.js";

/** @typedef {import("./rows.js").Log} Log */

/** @type {Record<string, string>} the columns that sort, and what their headings say */
const SORTS = { frame: "#", took: "Took", size: "Size" };

/** How long a row took (ns): a response since its request, a message of several chunks from the first to the last.
 * NaN: it took no time.
 * @param {import("../trace.js").Trace} trace
 * @param {number} frame
 * @param {import("./joined.js").JoinedRows | null} joined */
export function tookOf({ columns, t }, frame, joined) {
  const request = columns.answers[frame - 1];
  if (request) return t[frame - 1] - t[request - 1];
  const run = joined?.runOf(frame);
  return run ? t[run.last - 1] - t[frame - 1] : NaN;
}

/** How large a row is (bytes).
 * @param {import("../trace.js").Trace} trace
 * @param {number} frame
 * @param {import("./joined.js").JoinedRows | null} joined */
export function sizeOf({ columns }, frame, joined) {
  return joined?.runOf(frame)?.size ?? columns.size[frame - 1];
}

/** Rows in another order; those without a value come last. What is between frames has none and is left out.
 * @param {import("../trace.js").Trace} trace
 * @param {(number | Log)[] | null} rows  in order of time; null: all frames
 * @param {string} sort  a column, with `-` before it: the largest first
 * @param {import("./joined.js").JoinedRows | null} joined
 * @returns {number[]} */
export function sorted(trace, rows, sort, joined) {
  const frames = rows ? rows.filter((row) => typeof row === "number") : Array.from({ length: trace.frames }, (_, at) => at + 1);
  const by = sort.startsWith("-") ? -1 : 1;
  const name = sort.replace("-", "");
  if (!(name in SORTS) || name === "frame") return by < 0 ? frames.reverse() : frames;
  const value = name === "took" ? tookOf : sizeOf;
  const values = new Float64Array(trace.frames + 1);
  for (const frame of frames) values[frame] = value(trace, frame, joined);
  const have = frames.filter((frame) => !isNaN(values[frame])).sort((one, other) => by * (values[one] - values[other]) || one - other);
  return have.concat(frames.filter((frame) => isNaN(values[frame])));
}

/** What a click on a heading makes of the order: the largest first, then the smallest, then that of time.
 * @param {string} sort
 * @param {string} name */
function after(sort, name) {
  if (name === "frame") return sort === "-frame" || (sort && !sort.endsWith("frame")) ? "" : "-frame";
  return sort === `-${name}` ? name : sort === name ? "" : `-${name}`;
}

/** The headings that sort, as buttons, by their columns.
 * @param {() => string} sort  the order that the rows have
 * @param {(sort: string) => void} choose */
export function sortHeadings(sort, choose) {
  const buttons = Object.entries(SORTS).map(([name, words]) => /** @type {[string, HTMLElement]} */ ([name,
    h("button.sort", { title: `Sort by ${name === "frame" ? "number" : words.toLowerCase()}`, onclick: () => choose(after(sort(), name)) }, words)]));
  return {
    of: new Map(buttons),
    /** Shows which one is chosen. */
    tell() {
      for (const [name, button] of buttons) {
        const chosen = sort() === name ? "ascending" : sort() === `-${name}` ? "descending" : "";
        button.closest("th")?.setAttribute("aria-sort", chosen || "none");
      }
    },
  };
}
