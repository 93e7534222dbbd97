// The field of the filter: what is typed, what may come next, and what is wrong with it.

import { e, fill, h } from "../dom.js";
import { safe } from "../format.js";
import { choicesAt } from "./choices.js";
import { FilterError, languageOf, parseFilter } from "./reader.js";

/** @typedef {import("../trace.js").Trace} Trace */

const TYPED_MS = 250;

export class FilterField {
  /**
   * @param {Trace} trace
   * @param {(text: string) => void} changed  called with a text that is a filter
   * @param {(isFound: boolean) => void} next  goes to the next match, or to the first of a new search
   */
  constructor(trace, changed, next) {
    this.trace = trace;
    this.language = languageOf(trace.index.filter);
    this.changed = changed;
    this.next = next;
    this.timer = 0;
    this.known = "";
    /** @type {import("./reader.js").Node | null} */
    this.tree = null;
    this.chosen = -1;
    /** @type {import("./choices.js").Choice[]} */
    this.choices = [];
    this.from = 0;
    this.list = h("ul.choices", { role: "listbox", id: "filter-choices", "aria-label": "Completions", hidden: true });
    this.wrong = h("div.mistake", { role: "alert", id: "filter-wrong", hidden: true });
    this.input = /** @type {HTMLInputElement} */ (h("input", {
      type: "search", role: "combobox", "aria-autocomplete": "list", "aria-controls": "filter-choices", "aria-expanded": "false",
      autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      placeholder: "text, or kind:tool_call took>1s", title: "Text, or terms such as method:session/update, -kind:plan, took>1s or is:error. Enter: next match. Esc: empty the field",
      oninput: () => this.#typed(), onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event), onblur: () => this.#close(),
    }));
    this.element = e("div.filter", e("label", e("span", "Filter"), this.input), this.list, this.wrong);
  }

  /** Takes the text that the address has: its tree. What is being typed stays in the field.
   * @param {string} text */
  set(text) {
    if (text !== this.known) {
      this.known = text;
      if (!this.timer && this.input.value.trim() !== text) this.input.value = text;
      this.tree = this.#read(text);
    }
    return this.tree;
  }

  /** The tree of a filter; null if it is empty or wrong, which the field then shows.
   * @param {string} text */
  #read(text) {
    this.wrong.hidden = true;
    this.input.removeAttribute("aria-invalid");
    this.input.removeAttribute("aria-describedby");
    if (!text.trim()) return null;
    try {
      return parseFilter(text, this.language);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      this.#blame(text, error);
      return null;
    }
  }

  #typed() {
    this.#offer();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#search(), TYPED_MS);
  }

  #search() {
    clearTimeout(this.timer);
    this.timer = 0;
    const { value } = this.input;
    if (this.#read(value) || !value.trim()) this.changed(value.trim());
  }

  /** @param {string} text @param {FilterError} error */
  #blame(text, error) {
    const { message, start, end } = error;
    this.input.setAttribute("aria-invalid", "true");
    this.input.setAttribute("aria-describedby", "filter-wrong");
    const asText = h("button", { onmousedown: (/** @type {Event} */ event) => event.preventDefault(), onclick: () => {
      this.input.value = `"${text.replace(/["\\]/g, "\\$&")}"`;
      this.#search();
    } }, "Search for it as text");
    fill(this.wrong, e("span", safe(message)), e("code", safe(text.slice(0, start)), e("u", safe(text.slice(start, end)) || "\u00a0"), safe(text.slice(end))), asText);
    this.wrong.hidden = false;
  }

  #offer() {
    const { input, list } = this;
    const { from, choices } = choicesAt(input.value.slice(0, input.selectionStart ?? input.value.length), this.trace, this.language);
    Object.assign(this, { from, choices, chosen: -1 });
    fill(list, choices.map(({ text, about }, at) => h("li", {
      role: "option", id: `filter-choice-${at}`, "aria-selected": "false",
      onmousedown: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.#take(at);
      },
    }, e("b", safe(text)), e("span", about))));
    list.hidden = !choices.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    input.removeAttribute("aria-activedescendant");
  }

  #close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  /** Puts a choice in the place of the word that is being typed; after a field, its values come.
   * @param {number} at */
  #take(at) {
    const { input, from } = this;
    const { text } = this.choices[at];
    const rest = input.value.slice(input.selectionStart ?? input.value.length);
    const isField = /[:>]$/.test(text);
    const before = input.value.slice(0, from) + text + (isField || rest.startsWith(" ") ? "" : " ");
    input.value = before + rest;
    input.setSelectionRange(before.length, before.length);
    if (isField) this.#typed();
    else {
      this.#close();
      this.#search();
    }
  }

  /** @param {1 | -1} by */
  #step(by) {
    const { choices, input, list } = this;
    this.chosen = (this.chosen + by + choices.length + (this.chosen < 0 && by < 0 ? 1 : 0)) % choices.length;
    [...list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === this.chosen)));
    list.children[this.chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", `filter-choice-${this.chosen}`);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const isOpen = !this.list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) this.#offer();
      if (!this.list.hidden) this.#step(event.key === "ArrowDown" ? 1 : -1);
    } else if (isOpen && (event.key === "Tab" || (event.key === "Enter" && this.chosen >= 0)) && !event.shiftKey) {
      event.preventDefault();
      this.#take(Math.max(0, this.chosen));
    } else if (event.key === "Enter") {
      this.#close();
      this.next(!this.timer);
      if (this.timer) this.#search();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      if (isOpen) return this.#close();
      if (!this.input.value) this.input.blur();
      this.input.value = "";
      this.#search();
    }
  }
}
