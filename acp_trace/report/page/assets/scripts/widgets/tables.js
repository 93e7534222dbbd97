// Tables of few rows, and what stands below one that is cut. Those of many rows are virtual.

import { e, fill, h } from "../dom.js";
import { number } from "../format.js";

/** @typedef {import("../dom.js").Child} Child */

/** The headings of columns.
 * @param {Child[]} names
 * @param {number[]} [numbers]  which columns have numbers
 * @param {string} [name]  of the element, with its classes */
export function heads(names, numbers = [], name = "thead") {
  return e(name, e("tr", names.map((name, at) => h("th", { scope: "col", class: numbers.includes(at) && "number" }, name))));
}

/** A table that scrolls where it is too wide.
 * @param {string} label
 * @param {Child[]} names
 * @param {HTMLElement} body
 * @param {number[]} [numbers]  which columns have numbers
 * @param {string} [classes]  `wide.lines` if its rows become lines on a phone */
export function wideTable(label, names, body, numbers, classes = "wide") {
  return h(`div.${classes}`, { tabindex: 0, role: "region", "aria-label": label }, e("table", heads(names, numbers), body));
}

/** Tables of which all is shown.
 * @type {WeakSet<Element>} */
const whole = new WeakSet();

/** Rows into a table; of many, the rest is a button away.
 * @template T
 * @param {Element} body
 * @param {T[]} things
 * @param {number} most
 * @param {number} columns
 * @param {(thing: T, at: number) => HTMLElement | HTMLElement[]} rowsOf
 * @param {() => void} [done]  called when the rest is there
 * @param {typeof fill} [put]  `renew` if they are the same rows, and more: all stay shown then */
export function fillRows(body, things, most, columns, rowsOf, done, put = fill) {
  const all = () => {
    put(body, things.flatMap(rowsOf));
    whole.add(body);
    done?.();
  };
  if (put !== fill && whole.has(body)) return all();
  whole.delete(body);
  put(body, things.slice(0, most).flatMap(rowsOf), things.length > most
    && e("tr", h("td", { colspan: columns }, h("button", { onclick: all }, `Show all ${number(things.length)}`))));
}

/** How many are not shown, if any.
 * @param {number} count
 * @param {string} [words] */
export function beyond(count, words = "") {
  return count > 0 && e("p.faint", `and ${number(count)} more${words}`);
}
