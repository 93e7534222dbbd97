// What a stretch of time adds up to: frames, tokens, what was going on, and the longest silence. Pure.

import { below } from "../../order.js";

/** @typedef {import("./items.js").Item} Item */
/** @typedef {{ frames: number, client: number, agent: number, calls: number, input: number | null, output: number | null, spent: [string, number][], gap: number, gapFrame: number, gapStart: number }} Sums  ns; `gap`: the longest time without a frame, when it began, and the frame that ended it, 0 if none did */

/** So many open requests are named. */
const OWED = 2;
/** Which items are what time is spent on. Requests of the connection are the client's: it waits for the agent. */
const SPENT = /** @type {[string, (item: Item) => boolean][]} */ ([
  ["model", ({ kind }) => kind === "model"], ["tools", ({ kind }) => kind === "tool" || kind === "subagent"],
  ["client", ({ kind, lane }) => kind === "permission" || (kind === "request" && lane.group !== "Connection")],
  ["turns", ({ kind }) => kind === "turn"],
]);

/**
 * Two that overlap count once. The rest of the turns was the agent's own time, or nothing says whose.
 *
 * @param {import("../../trace.js").Trace} trace @param {Item[]} items @param {number} from  ns @param {number} to
 * @param {string} session  whose frames and calls count; empty: all
 * @returns {Sums} */
export function sumsOf(trace, items, from, to, session) {
  const { t, report, columns } = trace;
  const sides = [0, 0];
  let [last, gap, gapFrame, gapStart] = [from, 0, 0, from];
  const wanted = trace.index.sessions.indexOf(session) + 1;
  let at = below(t.length, (at) => t[at] < from);
  for (; at < t.length && t[at] <= to; at++) {
    if (session && columns.session[at] !== wanted) continue;
    sides[columns.kind[at] & 1]++;
    if (t[at] - last > gap) [gap, gapFrame, gapStart] = [t[at] - last, at + 1, last];
    last = t[at];
  }
  if (to - last > gap) [gap, gapFrame, gapStart] = [to - last, at < t.length ? at + 1 : 0, last];
  const calls = (report.model_calls ?? []).filter(({ started_ns, session_id }) => started_ns >= from && started_ns <= to && (!session || session_id === session));
  const sum = (/** @type {string} */ name) => calls.reduce((/** @type {number | null} */ all, /** @type {any} */ call) => (call[name] == null ? all : (all ?? 0) + call[name]), null);
  const spent = /** @type {[string, number][]} */ (SPENT.map(([name, isIt]) => [name, covered(items.filter(isIt), from, to)]));
  const [isTurn, ...others] = SPENT.toReversed().map(([, isIt]) => isIt);
  const isBusy = (/** @type {Item} */ item) => others.some((isIt) => isIt(item));
  const busy = items.filter(isBusy);
  const known = covered(items.filter((item) => isTurn(item) || isBusy(item)), from, to);
  spent.push(["own or unknown", known - covered(busy, from, to)], ["no turn", to - from - known]);
  return { frames: sides[0] + sides[1], client: sides[0], agent: sides[1], calls: calls.length, input: sum("input_tokens"), output: sum("output_tokens"), spent, gap, gapFrame, gapStart };
}

/** The requests that were open from one time to another, the latest first; not those that waited for a later one: as in
 * report/statements/silence.py.
 * @param {import("../../trace.js").Trace} trace @param {number} from  ns @param {number} to */
export function owed(trace, from, to) {
  const { t, columns: { kind, session, answered } } = trace;
  const request = trace.index.kinds.indexOf("request");
  const later = new Set();
  const found = [];
  for (let at = below(t.length, (at) => t[at] <= from) - 1; at >= 0 && found.length < OWED; at--) {
    if (kind[at] >> 1 !== request || (answered[at] && t[answered[at] - 1] < to)) continue;
    const side = kind[at] & 1;
    if (!later.has(`${1 - side} ${session[at]}`)) found.push(trace.row(at + 1));
    later.add(`${side} ${session[at]}`);
  }
  return found;
}

/** How long at least one of them went on.
 * @param {Item[]} items  in order of their beginnings @param {number} from @param {number} to */
function covered(items, from, to) {
  let [all, until] = [0, from];
  for (const { start, end } of items) {
    const begin = Math.max(start, until);
    const stop = Math.min(end, to);
    if (stop > begin) all += stop - begin;
    until = Math.max(until, stop);
  }
  return all;
}
