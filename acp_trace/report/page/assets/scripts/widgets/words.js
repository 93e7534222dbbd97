// Small things that several views put together: words of a trace, words beside them, keys.

import { e, h } from "../dom.js";
import { safe } from "../format.js";

/** One line of a trace's text.
 * @param {string} text
 * @param {string} [name]  of the element, with its classes */
export function word(text, name = "bdi") {
  return h(name, {}, safe(text));
}

/** What is said beside something.
 * @param {...import("../dom.js").Child} children */
export function aside(...children) {
  return e("span.how", ...children);
}

/** The keys that move through a list, or from one thing to the next.
 * @param {string} what
 * @param {(by: 1 | -1) => void} step
 * @param {string[]} [next]
 * @param {string[]} [previous]
 * @returns {import("../keys.js").Key[]} */
export function moves(what, step, next = ["ArrowDown", "j"], previous = ["ArrowUp", "k"]) {
  return [
    ...next.map((key) => /** @type {import("../keys.js").Key} */ ([key, `Next ${what}`, () => step(1)])),
    ...previous.map((key) => /** @type {import("../keys.js").Key} */ ([key, `Previous ${what}`, () => step(-1)])),
  ];
}
