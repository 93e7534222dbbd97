// Small things that several views put together: words of a trace, words beside them, a choice of sessions, keys.

import { e, h, renew } from "../dom.js";
import { safe, shorten } from "../format.js";

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

/** A choice of sessions; hidden if there is only one.
 * @param {(session: string) => void} choose */
export function sessionChoice(choose) {
  const select = /** @type {HTMLSelectElement} */ (h("select", { onchange: () => choose(select.value) }));
  const element = e("label", "Session ", select);
  return {
    element,
    select,
    /** The session that is meant, or the first one.
     * @param {any[]} sessions
     * @param {string} wanted */
    find: (sessions, wanted) => sessions.find(({ session_id }) => session_id === wanted) ?? sessions[0],
    /** @param {any[]} sessions */
    set(sessions) {
      element.hidden = sessions.length < 2;
      const { value } = select;
      renew(select, sessions.map(({ session_id, title }) =>
        h("option", { value: session_id }, safe(shorten(title ? `${title} · ${session_id}` : session_id || "no session", 80)))));
      if (sessions.some(({ session_id }) => session_id === value)) select.value = value;
    },
  };
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
