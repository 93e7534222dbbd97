// Keys and what they do: of the page, and of the view that is open. `?` lists them.

import { e, fill, h } from "./dom.js";

/** @typedef {[key: string, words: string, act: () => void]} Key  `key` as in KeyboardEvent.key */

const SPOKEN = /** @type {Record<string, string>} */ ({
  ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", " ": "Space", Escape: "Esc",
});

export class Keys {
  constructor() {
    /** @type {Map<string, Key[]>} by heading */
    this.groups = new Map();
    this.help = /** @type {HTMLDialogElement} */ (h("dialog.help", { "aria-label": "Keys" }));
    document.addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** The keys of the page, under `Page`; or those of a view, in place of those of another one.
   * @param {string} heading
   * @param {Key[]} keys */
  set(heading, keys) {
    for (const other of this.groups.keys()) if (other !== "Page") this.groups.delete(other);
    this.groups.set(heading, keys);
  }

  /** Lists all keys. */
  show() {
    const tables = [...this.groups].filter(([, keys]) => keys.length).map(([heading, keys]) => [
      e("h2", heading),
      e("dl", keys.flatMap(([key, words]) => [e("dt", e("kbd", SPOKEN[key] ?? key)), e("dd", words)])),
    ]);
    const signs = [["▸", "from the client"], ["◂", "from the agent"], ["↩", "a response"], ["▲", "a finding"], ["✎", "a note"]];
    tables.push([e("h2", "Signs"), e("dl", signs.flatMap(([sign, words]) => [e("dt", sign), e("dd", words)]))]);
    fill(this.help, ...tables.flat(), h("button", { onclick: () => this.help.close() }, "Close"));
    this.help.showModal();
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const isTyping = target.matches("input:not([type=checkbox]), select, textarea") && event.key !== "Escape";
    const isPressing = (event.key === "Enter" || event.key === " ") && target.closest("a, button, summary, input");
    if (isTyping || isPressing) return;
    for (const keys of [...this.groups.values()].reverse()) {
      const found = keys.find(([key]) => key === event.key);
      if (found) {
        event.preventDefault();
        found[2]();
        return;
      }
    }
  }
}
