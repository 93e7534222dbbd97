// The items of the timeline and where they stand: in lanes, one below the other. Nothing here knows what is in sight.

import { duration, safe, shorten, sinceStart } from "../../format.js";
import { json } from "../../source.js";

/** @typedef {Omit<import("../../documents.js").Item, "start" | "end"> & { start: number, end: number, lane: Lane, next: number, face: string }} Item  times are ns; `next`: when the next one of its row begins; `face`: what its bar says */
/** @typedef {Omit<import("../../documents.js").Lane, "items"> & { items: Item[], key: string }} Lane  `key` names it in an address */
/** @typedef {{ y: number, row: number, heading?: string, lane?: Lane, key?: string, isFolded?: boolean, turns?: Item[], session?: string | null }} Place  px; `row`: how high a row is; a heading that is folded shows `turns` */

/** Above the lanes (px): the axis. */
export const TOP = 24;
export const HEADING = 24;
/** How high a row is (px): as much as there is room for, within limits. */
const [LOWEST, HIGHEST, FOLDED] = [22, 40, 8];
/** What a canvas can be high (px), on a screen of double density. */
const TALLEST = 15_000;
const PROMPT = 80;

/** Reads the lanes and their items; all items are in order of time.
 * @param {import("../../source.js").Source} source @param {import("../../trace.js").Trace} trace
 * @returns {Promise<{ lanes: Lane[], items: Item[] }>} */
export async function itemsOf(source, trace) {
  /** @type {Lane[]} */
  const lanes = await json(source, `${trace.key}/timeline.json`);
  const prompts = new Map(trace.turns.map(({ frame, prompt }) => [frame, prompt]));
  let [group, groups, number] = ["", 0, 0];
  for (const lane of lanes) {
    if (lane.group !== group) [group, groups, number] = [lane.group, groups + 1, 0];
    lane.key = `${groups}.${++number}`;
    for (const item of lane.items) {
      item.start ??= trace.t[item.frame - 1] ?? 0;
      item.end ??= item.start;
      item.lane = lane;
      const prompt = item.kind === "turn" && prompts.get(item.frame);
      const [of] = item.words.split(" · "); // of what is below a tool call, `in` and its title
      const above = item.kind === "tool" && lane.name.startsWith("↳") && of;
      item.face = prompt ? `${item.label}: ${shorten(safe(prompt), PROMPT)}` : above ? `${item.label} ${above}` : item.label;
    }
    lane.items.sort((one, other) => one.start - other.start);
    /** @type {number[]} */
    const next = [];
    for (const item of lane.items.toReversed()) {
      item.next = next[item.row] ?? Infinity;
      next[item.row] = item.start;
    }
  }
  return { lanes, items: lanes.flatMap((lane) => lane.items).sort((one, other) => one.start - other.start || one.frame - other.frame) };
}

/** Gives each lane its place.
 * @param {Lane[]} lanes @param {number} room  how high the window is (px) @param {Set<string>} folded  keys of lanes and groups
 * @returns {{ places: Place[], height: number }} */
export function placesOf(lanes, room, folded) {
  const groupOf = (/** @type {Lane} */ { key }) => key.split(".")[0];
  const headings = new Set(lanes.map(groupOf)).size;
  const open = lanes.filter((lane) => !folded.has(lane.key) && !folded.has(groupOf(lane)));
  const rows = open.reduce((sum, lane) => sum + lane.rows, 0);
  const row = Math.max(LOWEST, Math.min(HIGHEST, Math.floor((room - TOP - headings * HEADING - lanes.length * 2 - 6) / Math.max(rows, 1))));
  /** @type {Place[]} */
  const places = [];
  let [y, group, placed] = [TOP, "", 0];
  for (const lane of lanes) {
    if (y > TALLEST) break;
    placed++;
    const key = groupOf(lane);
    if (key !== group) {
      group = key;
      places.push({ y, row: HEADING, heading: lane.group, session: lane.session, key, isFolded: folded.has(key), turns: lanes.filter((each) => groupOf(each) === key && each.name === "turns").flatMap(({ items }) => items) });
      y += HEADING;
    }
    if (folded.has(key)) continue;
    const isFolded = folded.has(lane.key);
    places.push({ y, row: isFolded ? FOLDED : row, lane, key: lane.key, isFolded });
    y += isFolded ? FOLDED + 8 : lane.rows * row + 2;
  }
  if (placed < lanes.length) {
    places.push({ y, row: HEADING, heading: `… and ${lanes.length - placed} more lanes: their items are in the table` });
    y += HEADING;
  }
  return { places, height: y + 6 };
}

/** @param {Item} item */
export function times(item) {
  const took = item.end - item.start;
  return `at ${sinceStart(item.start)} s${took ? `, ${item.is_open ? "open for" : "took"} ${duration(took)}` : ""}`;
}

/** @param {Item} item */
export function placeWords({ lane }) {
  return `${lane.group}, ${lane.name}`;
}
