// The items of the timeline and where they stand: in lanes, one below the other. Nothing here knows what is in sight.

import { duration, sinceStart } from "../../format.js";
import { json } from "../../source.js";

/** @typedef {{ kind: string, start: number, end: number, label: string, words: string, frame: number, is_open: boolean, at: Record<string, string>, pair: string | null, shares: [string, number][], row: number, lane: Lane }} Item  times are ns */
/** @typedef {{ group: string, name: string, items: Item[], rows: number, y: number }} Lane  see report/page/timeline.py; `y`: px */
/** @typedef {{ y: number, heading?: string, lane?: Lane }} Place */
/** @typedef {{ items: Item[], places: Place[], height: number }} Items  all items in order of time, and what stands where */

export const ROW = 22;
/** Above the lanes (px): the axis, and how many frames there were. */
export const TOP = 24;
export const DENSITY = 34;
export const HEADING = 22;
/** What a canvas can be high (px), on a screen of double density. */
const TALLEST = 15_000;

/** Reads them, and gives each its place.
 * @param {import("../../source.js").Source} source @param {import("../../trace.js").Trace} trace
 * @returns {Promise<Items>} */
export async function itemsOf(source, trace) {
  /** @type {Lane[]} */
  const lanes = await json(source, `${trace.key}/timeline.json`);
  /** @type {Place[]} */
  const places = [];
  let y = TOP + DENSITY;
  let group = "";
  let placed = 0;
  for (const lane of lanes) {
    for (const item of lane.items) {
      item.start ??= trace.t[item.frame - 1] ?? 0;
      item.end ??= item.start;
      item.lane = lane;
    }
    lane.y = y;
    if (y > TALLEST) continue;
    placed++;
    if (lane.group !== group) {
      places.push({ y, heading: (group = lane.group) });
      lane.y = y += HEADING;
    }
    places.push({ y, lane });
    y += lane.rows * ROW + 2;
  }
  if (placed < lanes.length) {
    places.push({ y, heading: `… and ${lanes.length - placed} more lanes: their items are in the table` });
    y += HEADING;
  }
  return { items: lanes.flatMap((lane) => lane.items).sort((one, other) => one.start - other.start || one.frame - other.frame), places, height: y + 6 };
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
