// A table of any number of rows of one height: only those that are seen are elements, and they are used again.
// Browsers limit the height of elements, so that beyond it the scroll bar stands for more than its pixels.

import { e, fill, h } from "../dom.js";
import { number } from "../format.js";

const TALLEST = 8e6;
/** So near to either end (px), and for so short a way, a pixel is a pixel. */
const EXACT = 1e5;
/** So many rows are printed. */
const PRINTED = 2000;
/** Rows that stay in sight around the one that one goes to. */
const AROUND = 3;

export class VirtualTable {
  /**
   * @param {object} options
   * @param {string} options.label
   * @param {[name: string, heading: import("../dom.js").Child | import("../dom.js").Child[]][]} options.columns  the names are classes of the cells
   * @param {number} options.height  of a row (px)
   * @param {(tr: HTMLTableRowElement, index: number) => void} options.draw  fills the cells of a row
   * @param {(index: number, isOpened: boolean) => void} options.choose  called when one goes to a row, or opens it
   * @param {(from: number, to: number) => Promise<void>} [options.prepare]  reads what rows need to be drawn
   */
  constructor({ label, columns, height, draw, choose, prepare }) {
    this.count = 0;
    /** The row that is chosen; -1: none. */
    this.chosen = -1;
    this.offset = 0;
    this.rowHeight = height;
    this.draw = draw;
    this.choose = choose;
    this.columns = columns;
    this.top = 0;
    this.isDue = false;
    this.first = 0;
    /** @type {WeakMap<Element, number>} which row an element shows */
    this.drawn = new WeakMap();
    /** How many rows of a growing table came below those that one has seen. */
    this.unseen = 0;
    this.more = h("button.new", { hidden: true, onclick: () => this.#to(Infinity) });
    this.body = e("tbody");
    this.head = e("thead", h("tr", { "aria-rowindex": 1 }, columns.map(([name, heading]) => h("th", { scope: "col", class: name }, heading))));
    this.table = h("table", { role: "grid", tabindex: 0, "aria-label": label, onclick: (/** @type {any} */ event) => this.#clicked(event) }, this.head, this.body);
    this.window = e("div.window", this.table, this.more);
    this.spacer = e("div");
    this.element = h("div.virtual", { onscroll: () => this.#scrolled(), onscrollend: () => this.#settle() }, this.window, this.spacer);
    new ResizeObserver(() => {
      const [room, at] = [this.room ?? 0, this.chosen * this.rowHeight - this.offset];
      this.refresh();
      if (at >= 0 && at < room && this.room) this.go(this.chosen, { isQuiet: true });
    }).observe(this.element);
    addEventListener("beforeprint", () => this.#print());
    addEventListener("afterprint", () => this.paper?.remove());
    if (prepare) addEventListener("keydown", async (event) => {
      if (event.key !== "p" || !(event.ctrlKey || event.metaKey) || !this.element.isConnected) return;
      event.preventDefault();
      await prepare(...this.#printed());
      print();
    });
  }

  /** Which rows are printed: all, or many from where one is.
   * @returns {[from: number, to: number]} */
  #printed() {
    const from = Math.max(0, Math.min(this.first, this.count - PRINTED));
    return [from, Math.min(this.count, from + PRINTED)];
  }

  /** Rows as elements, and how many are left out, while the page is printed. */
  #print() {
    if (!this.element.isConnected) return;
    const [from, to] = this.#printed();
    this.paper?.remove();
    this.paper = e("div.virtual.paper", e("table", this.head.cloneNode(true), e("tbody", Array.from({ length: to - from }, (_, at) => {
      const tr = this.#row();
      this.draw(tr, from + at);
      return tr;
    }))), to - from < this.count && e("p", `Left out: ${number(from)} rows before, ${number(this.count - to)} after`));
    this.element.after(this.paper);
  }

  /** @returns {HTMLTableRowElement} */
  #row() {
    return /** @type {any} */ (e("tr", this.columns.map(([name]) => h("td", { class: name }))));
  }

  /** Another number of rows, or other rows.
   * @param {number} count */
  set(count) {
    this.count = count;
    this.table.setAttribute("aria-rowcount", String(count + 1));
    this.refresh();
  }

  /** More rows at the end: who is there stays there, and others are told how many came.
   * @param {number} count */
  grow(count) {
    if (!this.#isAtEnd()) this.unseen += count - this.count;
    else if (this.count) this.offset = Infinity;
    this.set(count);
  }

  #isAtEnd() {
    return this.offset >= (this.most ?? 0) - 1;
  }

  /** Draws what is seen anew. */
  refresh() {
    this.view = this.element.clientHeight;
    if (!this.view) return;
    const rows = Math.ceil(this.view / this.rowHeight) + 1;
    while (this.body.children.length < rows) this.body.append(this.#row());
    while (this.body.children.length > rows) this.body.lastChild?.remove();
    this.room = this.view - this.head.offsetHeight;
    this.most = Math.max(0, this.count * this.rowHeight - this.room);
    this.mostTop = Math.min(this.most, TALLEST);
    this.window.style.height = `${this.view}px`;
    this.spacer.style.height = `${this.mostTop}px`;
    this.#to(this.offset);
    this.redraw();
  }

  /** Goes to a row, and shows it.
   * @param {number} index
   * @param {{ isOpened?: boolean, isQuiet?: boolean, isExact?: boolean }} [how]  quiet: without telling `choose`; exact:
   *   without rows around it */
  go(index, { isOpened = false, isQuiet = false, isExact = false } = {}) {
    if (!this.count) return;
    this.chosen = Math.max(0, Math.min(this.count - 1, index));
    const at = this.chosen * this.rowHeight;
    const room = Math.max(this.rowHeight, this.room ?? 0);
    const isFar = at < this.offset - 10 * room || at > this.offset + 10 * room;
    const around = isExact ? 0 : Math.min(AROUND * this.rowHeight, room / 4);
    if (isFar) this.#to(at - room / 3);
    else this.#to(Math.min(at - around, Math.max(this.offset, at + this.rowHeight + around - room)));
    this.redraw();
    if (!isQuiet) this.choose(this.chosen, isOpened);
  }

  /** The keys that move. The table takes the focus, or else Enter would be for the link that has it.
   * @returns {import("../keys.js").Key[]} */
  keys() {
    const screen = () => Math.max(1, Math.floor((this.room ?? 0) / this.rowHeight) - 1);
    const down = () => this.go(this.chosen + 1);
    const up = () => this.go(this.chosen - 1);
    /** @type {import("../keys.js").Key[]} */
    const keys = [
      ["ArrowDown", "Next row", down], ["j", "Next row", down], ["ArrowUp", "Row before", up], ["k", "Row before", up],
      ["PageDown", "One screen down", () => this.go(this.chosen + screen())],
      ["PageUp", "One screen up", () => this.go(this.chosen - screen())],
      ["Home", "First row", () => this.go(0)], ["End", "Last row", () => this.go(this.count - 1)],
      ["Enter", "Open the row", () => this.go(this.chosen, { isOpened: true })],
    ];
    return keys.map(([key, words, act]) => [key, words, () => {
      this.table.focus({ preventScroll: true });
      act();
    }]);
  }

  /** The row where something happened; -1: none.
   * @param {Event} event */
  rowOf(event) {
    const tr = /** @type {HTMLElement} */ (event.target).closest("tbody tr");
    return tr ? Number(tr.getAttribute("aria-rowindex")) - 2 : -1;
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const row = this.rowOf(event);
    if (row >= 0) this.go(row, { isOpened: true, isExact: true });
  }

  /** Which way the bar has to be for a place in the rows, or (`isBack`) the other way about.
   * @param {number} place
   * @param {boolean} isBack */
  #mapped(place, isBack) {
    let [from, to] = [this.most ?? 0, this.mostTop ?? 0];
    if (from === to) return place;
    if (isBack) [from, to] = [to, from];
    if (place < EXACT) return place;
    if (place > from - EXACT) return to - (from - place);
    return EXACT + ((place - EXACT) * (to - 2 * EXACT)) / (from - 2 * EXACT);
  }

  #scrolled() {
    const top = this.element.scrollTop;
    const by = top - this.top;
    this.top = top;
    if (!by) return;
    const isStep = Math.abs(by) < 4 * (this.view ?? 0) && top > 0 && top < (this.mostTop ?? 0) - 1;
    this.offset = isStep && this.most !== this.mostTop ? this.#within(this.offset + by) : this.#mapped(top, true);
    this.#soon();
  }

  /** Once it stands, the bar is put where it belongs. */
  #settle() {
    if (Math.abs(this.#mapped(this.offset, false) - this.top) > 1) this.#to(this.offset);
  }

  /** @param {number} offset */
  #to(offset) {
    this.offset = this.#within(offset);
    this.element.scrollTop = this.#mapped(this.offset, false);
    this.top = this.element.scrollTop;
    this.#soon();
  }

  /** @param {number} offset */
  #within(offset) {
    return Math.max(0, Math.min(this.most ?? 0, offset));
  }

  /** Fills the rows anew. */
  redraw() {
    this.drawn = new WeakMap();
    this.#soon();
  }

  #soon() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.#draw();
    });
  }

  /** Rows that stay seen stay as they are: those that leave at one end come in at the other. */
  #draw() {
    const { body, drawn } = this;
    if (this.#isAtEnd()) this.unseen = 0;
    this.more.hidden = !this.unseen;
    put(this.more, `↓ ${number(this.unseen)} new`);
    const first = Math.floor(this.offset / this.rowHeight);
    const by = first - this.first;
    this.first = first;
    if (Math.abs(by) < body.children.length) {
      for (let left = by; left > 0; left--) body.append(/** @type {Node} */ (body.firstChild));
      for (let left = by; left < 0; left++) body.prepend(/** @type {Node} */ (body.lastChild));
    }
    body.style.transform = `translateY(${first * this.rowHeight - this.offset}px)`;
    [...body.children].forEach((child, at) => {
      const tr = /** @type {HTMLTableRowElement} */ (child);
      const index = first + at;
      if (drawn.get(tr) === index) return;
      drawn.set(tr, index);
      tr.hidden = index >= this.count;
      if (tr.hidden) return;
      tr.id = `${this.columns[0][0]}-${index}`;
      tr.setAttribute("aria-rowindex", String(index + 2));
      tr.setAttribute("aria-selected", String(index === this.chosen));
      this.draw(tr, index);
    });
    const active = this.chosen >= first && this.chosen < first + body.children.length && `${this.columns[0][0]}-${this.chosen}`;
    if (active) this.table.setAttribute("aria-activedescendant", active);
    else this.table.removeAttribute("aria-activedescendant");
  }
}

/** Text into a cell, unless it is there.
 * @param {Element} cell
 * @param {string | number} text */
export function put(cell, text) {
  if (cell.textContent !== String(text)) fill(cell, text);
}

/** Lets the browser do what is due: for what goes through a million frames. */
export function pause() {
  return new Promise((resolve) => setTimeout(resolve));
}
