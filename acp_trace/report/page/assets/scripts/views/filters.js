// The filters above the list of messages.

import { e, h, renew } from "../dom.js";
import { FilterField } from "../filter/field.js";
import { safe, shorten } from "../format.js";
import { turnName } from "../sessions.js";

/**
 * The controls of the filters: the language, and choices beside it. `set` gives the tree of the filter.
 *
 * @param {import("../trace.js").Trace} trace
 * @param {(name: string, value: string) => void} changed
 * @param {(isFound: boolean) => void} next  goes to the next match, or to the first of a new search
 */
export function controlsOf(trace, changed, next) {
  /** @type {Record<string, HTMLInputElement | HTMLSelectElement>} */
  const inputs = {};
  const control = (/** @type {string} */ name, /** @type {string} */ words, /** @type {any} */ input) => {
    inputs[name] = input;
    input.addEventListener("change", () => changed(name, input.type === "checkbox" ? (input.checked ? "1" : "") : input.value));
    return e("label", e("span", words), input);
  };
  const options = (/** @type {string[]} */ names) => names.map((name) => h("option", { value: name }, safe(name)));
  const group = (/** @type {"methods" | "updates"} */ label) => h("optgroup", { label }, options(trace.index[label]));
  /** @type {Record<string, () => HTMLElement[]>} what there is to choose from; of a live trace, more and more */
  const choices = {
    Side: () => options(["client", "agent"]),
    Kind: () => options(trace.index.kinds),
    Method: () => [group("methods"), group("updates")],
    Turn: () => trace.turns.map((turn, at) => h("option", { value: at + 1 }, `${turnName(trace, turn)} · ${safe(shorten(turn.prompt ?? "", 40))}`)),
  };
  const labels = [
    control("all", "Mark only", h("input", { type: "checkbox" })),
    control("join", "Join chunks", h("input", { type: "checkbox" })),
    ...Object.keys(choices).map((words) => control(words.toLowerCase(), words, e("select"))),
  ];
  const grow = () => Object.entries(choices).forEach(([words, of], at) => {
    const made = of();
    renew(inputs[words.toLowerCase()], h("option", { value: "" }, "all"), made);
    labels[at + 2].hidden = made.length < 2; // one is no choice
  });
  grow();
  const field = new FilterField(trace, (text) => changed("q", text), next);
  return {
    labels: [field.element, ...labels],
    grow,
    search: field.input,
    set: (/** @type {Record<string, string>} */ at) => {
      for (const [name, input] of Object.entries(inputs)) {
        if (input.type === "checkbox") /** @type {HTMLInputElement} */ (input).checked = Boolean(at[name]);
        else input.value = at[name] ?? "";
      }
      return field.set(at.q ?? "");
    },
  };
}
