// What is folded: made when it is first opened. And texts of which only the beginning is shown at first.

import { e, fill, h } from "../dom.js";
import { number, safeLines } from "../format.js";

/** @typedef {import("../dom.js").Child} Child */

const LINES = 14;
const CHARACTERS = 4000;

/**
 * Something folded below its summary.
 *
 * @param {Child | Child[]} summary
 * @param {() => Child | Child[] | Promise<Child | Child[]>} make  what is in it, when it is opened
 * @returns {HTMLDetailsElement}
 */
export function fold(summary, make) {
  const body = e("div.folded");
  const details = /** @type {HTMLDetailsElement} */ (e("details", e("summary", summary), body));
  details.addEventListener("toggle", async () => {
    if (details.open && !body.firstChild) fill(body, await make());
  });
  return details;
}

/**
 * A text of many lines, as it came; the rest of a long one is a button away.
 *
 * @param {string} text
 * @param {string} [name]  a class
 * @returns {HTMLElement}
 */
export function passage(text, name = "") {
  const element = h("div", { class: `passage text ${name}` });
  const lines = text.split("\n", LINES * 2 + 1);
  const cut = lines.length > LINES * 2 || text.length > CHARACTERS * 2
    ? lines.slice(0, LINES).join("\n").slice(0, CHARACTERS) : text;
  fill(element, safeLines(cut), cut === text ? null : h("button", {
    class: "more", onclick: () => {
      element.dataset.whole = "";
      fill(element, safeLines(text));
    },
  }, `Show all ${number(text.length)} characters`));
  return element;
}

/** Opens in something that is made anew what was open before.
 * @param {Element} was
 * @param {Element} element */
export function reopen(was, element) {
  const open = [...was.querySelectorAll("details")].map((each) => each.open);
  element.querySelectorAll("details").forEach((each, at) => {
    if (!open[at]) return;
    each.open = true;
    each.dispatchEvent(new Event("toggle")); // the browser's own comes after something else is drawn
  });
  const whole = [...was.querySelectorAll(".passage")].map((each) => "whole" in /** @type {HTMLElement} */ (each).dataset);
  element.querySelectorAll(".passage").forEach((each, at) => { if (whole[at]) each.querySelector("button")?.click(); });
}
