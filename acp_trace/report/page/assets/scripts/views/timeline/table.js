// The items in sight as a table, for those who do not see the canvas, and for who wants to copy.

import { e, fill, h, renew } from "../../dom.js";
import { counted, duration, number, sinceStart } from "../../format.js";
import { heads } from "../../widgets/tables.js";
import { placeWords } from "./items.js";

/** @typedef {import("./items.js").Item} Item */

const LISTED = 300;

/** The table, folded; `list` gives it the items, and does nothing as long as it is folded.
 * @param {() => void} opened  called when there is something to list
 * @param {(item: Item) => HTMLElement} link */
export function itemTable(opened, link) {
  /** @type {Item[]} */
  let listed = [];
  let isByTook = false;
  const took = h("button.sort", { title: "Sort by took", onclick: () => { isByTook = !isByTook; list(listed); } }, "Took");
  const body = e("tbody");
  const caption = e("caption");
  const element = /** @type {HTMLDetailsElement} */ (h("details", { ontoggle: opened }, e("summary", "Items in sight, as a table"),
    e("table", caption, heads(["Time (s)", took, "Where", "What", "Details", "Frame"]), body)));
  /** @param {Item[]} items */
  const list = (items) => {
    listed = items;
    took.closest("th")?.setAttribute("aria-sort", isByTook ? "descending" : "none");
    if (isByTook) items = items.toSorted((one, other) => other.end - other.start - one.end + one.start);
    fill(caption, items.length > LISTED ? `The ${isByTook ? "longest" : "first"} ${LISTED} of ${number(items.length)} items; zoom in to see others` : counted(items.length, "item"));
    renew(body, items.slice(0, LISTED).map((item) => e("tr",
      e("td.number", sinceStart(item.start)), e("td.number", duration(item.end - item.start)), e("td", placeWords(item)),
      e("td.text", item.label), e("td.text", item.words), e("td", link(item)))));
  };
  return { element, list };
}
