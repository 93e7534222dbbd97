// The view Timeline: turns, tool calls, waits and model calls as bars, changes and cancels as marks, over time.
// What one looks at: the item that is chosen, what is told of it, and what stands in the address.

import { e, fill, h, renew } from "../dom.js";
import { drawLanes, drawMap, legend } from "./timeline/draw.js";
import { itemsOf, placesOf, times, TOP } from "./timeline/items.js";
import { Panel } from "./timeline/panel.js";
import { listenTo, NAMES, Sight } from "./timeline/sight.js";
import { itemTable } from "./timeline/table.js";

/** @typedef {import("./timeline/items.js").Item} Item */

/** Hits on a mark, and bars that are hardly seen, reach so many pixels to either side. */
const REACH = 6;
/** The address is told where one is when that has stood still for so long. */
const STILL_MS = 200;

/** @type {import("../page.js").View} */
export const timeline = {
  name: "timeline",
  key: "t",
  isAvailable: (page) => [...page.traces.values()].some((trace) => trace.report.trace.has_times),
  create: (page) => new Timeline(page).shown(),
};

class Timeline {
  /** @type {Item | null} */
  chosen = null;
  /** @type {Item | null} under the pointer */
  hovered = null;
  /** @type {Item | null} the one that is told beside it: what the keys chose, or what is under the pointer */
  told = null;
  pointer = [0, 0];
  isDue = false;
  timer = 0;
  /** @type {Item[]} those of the session that is shown, or all */
  items = [];
  /** @type {import("./timeline/items.js").Lane[]} */
  lanes = [];
  /** @type {{ lanes: import("./timeline/items.js").Lane[], items: Item[] }} of all sessions */
  whole = { lanes: [], items: [] };
  /** The session that is shown; empty: all. */
  session = "";
  /** @type {Set<string>} keys of lanes and groups that are folded */
  folded = new Set();
  /** @type {[number, number] | null} the stretch of time whose sums are shown, ns */
  range = null;
  /** @type {import("./timeline/items.js").Place[]} */
  places = [];
  height = 1;
  /** @type {import("../keys.js").Key[]} */
  zooms = [["+", "Zoom in", () => this.zoom(0.5)], ["-", "Zoom out", () => this.zoom(2)], ["0", "Show all", () => this.sight.all()]];

  /** @param {import("../page.js").Page} page */
  constructor(page) {
    this.page = page;
    this.trace = page.trace;
    this.sight = new Sight(() => { this.draw(); this.keep(); });
    this.canvas = /** @type {HTMLCanvasElement} */ (h("canvas.lanes", { tabindex: 0, role: "img", "aria-label": "Timeline; the table below it has the same items" }));
    this.map = /** @type {HTMLCanvasElement} */ (h("canvas.map", { "aria-hidden": "true" }));
    this.panel = new Panel(page, () => this.escape());
    this.tip = h("div.tip", { hidden: true });
    this.table = itemTable(() => this.draw(), (item) => this.panel.link(item));
    this.element = e("div.timeline",
      e("div.tools", this.zooms.map(([, words, act], at) => h("button", { title: words, "aria-label": words, onclick: act }, ["+", "−", "All"][at])), this.legend = h("ul.legend", { "aria-label": "Legend" })),
      e("div.body", e("div.lanes-side", this.map, this.scroller = e("div.scroller", this.canvas, this.tip)), this.panel.element), this.table.element);
    this.ready = this.#read();
    listenTo(this.sight, this.canvas, this.map, TOP, (from, to, isOver) => this.mark([Math.min(from, to), Math.max(from, to)], isOver));
    this.#listen();
    new ResizeObserver(() => {
      if (!this.element.isConnected) clearTimeout(this.timer);
      this.draw();
    }).observe(this.scroller);
  }

  /** @returns {import("../page.js").Shown} */
  shown() {
    const nothing = () => {};
    return {
      element: this.element,
      show: (at, isBack) => this.show(at, isBack),
      grown: () => { this.panel.grown(); return (this.ready = this.#read()); },
      keys: [
        ["ArrowRight", "Next item", () => this.step(1)], ["ArrowLeft", "Previous item", () => this.step(-1)],
        ["Enter", "Open the item's message", () => this.open()], ["Escape", "Choose nothing", () => this.escape()],
        ...this.zooms, ["f", "Fit the item", () => this.fit()], [",", "Move to the left", () => this.sight.pan(-0.25)], [".", "Move to the right", () => this.sight.pan(0.25)],
        ["=", "Sums of the item, or of what is in sight", () => this.mark(this.chosen ? [this.chosen.start, this.chosen.end] : [this.sight.from, this.sight.to], true)],
        ["c", "Fold or unfold the item's session", () => this.fold(this.chosen?.lane.key.split(".")[0] ?? "")],
        ["click", "On a heading or the name of a lane: fold it, or unfold it", nothing], ["drag", "Move; on the axis, or with Shift: sums of a stretch of time", nothing],
        ["wheel", "Zoom; scroll lanes that are taller than the window, and over their names", nothing], ["Ctrl wheel", "Zoom", nothing], ["Shift wheel", "Move", nothing],
      ],
    };
  }

  /** What the fragment means: a stretch of time, or an item. Whoever comes back sees what there was.
   * @param {Record<string, string>} at @param {boolean} isBack */
  async show(at, isBack) {
    await this.ready;
    const [from, to] = [Number(at.from), Number(at.to)];
    const { sight } = this;
    if (this.session !== (at.session ?? "")) this.#only(at.session ?? "");
    if (!isBack && at.from && to > from && (from !== Math.round(sight.from) || to !== Math.round(sight.to))) sight.see(from, to);
    if (at.fold !== undefined || !isBack) this.folded = new Set((at.fold ?? [...this.folded].join()).split(",").filter(Boolean));
    const sum = (at.sum ?? "").split("-").map(Number);
    if (at.sum && sum[1] > sum[0]) {
      this.mark([sum[0], sum[1]], false);
      this.#say();
    }
    for (const key of ["turn", "cancel", "call", "finding", "frame"]) {
      const item = at[key] && this.items.find((each) => each.at[key] === at[key] || (key === "frame" && String(each.frame) === at.frame));
      if (item && item !== this.chosen) this.choose(item, false);
    }
    this.draw();
    this.keep();
  }

  async #read() {
    this.whole = await itemsOf(this.page.source, this.trace);
    this.#only(this.session);
    this.sight.reach(Math.min(this.trace.t[0] ?? 0, this.whole.items[0]?.start ?? 0), Math.max(1, this.trace.report.trace.duration_ns ?? 0));
  }

  /** Shows what is of a session, or everything (""). The axis stays.
   * @param {string} session */
  #only(session) {
    const isShown = (/** @type {import("./timeline/items.js").Lane} */ lane) => !session || lane.session === session;
    this.session = session;
    this.lanes = this.whole.lanes.filter(isShown);
    this.items = this.whole.items.filter(({ lane }) => isShown(lane));
    renew(this.legend, ...legend(this.items));
    const again = (/** @type {Item | null} */ item) => item && (this.items.find((each) => JSON.stringify(each.at) === JSON.stringify(item.at)) ?? null);
    this.chosen = again(this.chosen);
    this.hovered = again(this.hovered);
    this.told = again(this.told);
    this.#say();
    this.#place();
    this.draw();
  }

  /** The chosen item, with a little around it. */
  fit() {
    if (!this.chosen) return;
    const { start, end } = this.chosen;
    const room = Math.max((end - start) * 0.2, 100_000);
    this.sight.see(start - room, end + room);
  }

  /** Around the chosen item, if it is in sight.
   * @param {number} factor */
  zoom(factor) {
    const start = this.chosen?.start ?? -1;
    this.sight.zoom(factor, start >= this.sight.from && start <= this.sight.to ? start : undefined);
  }

  /** @param {number} steps */
  step(steps) {
    const at = this.chosen ? this.items.indexOf(this.chosen) + steps : this.items.findIndex((item) => item.end >= this.sight.from);
    const item = this.items[Math.max(0, Math.min(this.items.length - 1, at))];
    if (item) this.choose(item);
    this.hovered = null;
    this.told = this.chosen;
  }

  /** A stretch of time is let go first, then the item. */
  escape() {
    if (this.range) this.mark(null, true);
    else this.choose(null);
  }

  /** Marks a stretch of time; its sums are shown.
   * @param {[number, number] | null} range  ns @param {boolean} isStep  whether the address is to say so */
  mark(range, isStep) {
    const { t, report } = this.trace;
    this.range = range && [Math.max(range[0], t[0] ?? 0), Math.min(range[1], report.trace.duration_ns ?? 0)];
    // While one drags, the panel is not opened: it would change what is below the pointer.
    if (isStep || !this.panel.element.hidden) this.#say();
    if (isStep) this.#address();
    this.draw();
  }

  /** Folds or unfolds a lane, or all lanes of a group.
   * @param {string} key */
  fold(key) {
    if (!key) return;
    if (!this.folded.delete(key)) this.folded.add(key);
    this.#place();
    this.#address();
    this.draw();
  }

  #place() {
    Object.assign(this, placesOf(this.lanes, this.scroller.clientHeight, this.folded));
  }

  /** The place of an item, unless it is folded away.
   * @param {Item} item */
  #placeOf({ lane }) {
    return this.places.find((place) => place.lane === lane);
  }

  /** @param {Item | null} item @param {boolean} [isStep]  whether the address is to say so */
  choose(item, isStep = true) {
    const { sight } = this;
    this.chosen = item;
    if (item) this.range = null;
    this.told = null; // the panel says it
    this.#say();
    if (item && !sight.has(item)) {
      const span = sight.to - sight.from;
      sight.see(item.start - span / 3, item.start + (span * 2) / 3);
    }
    if (item) this.scroller.scrollTo({ top: Math.max(0, (this.#placeOf(item)?.y ?? 0) - 80) });
    if (isStep) this.#address();
    this.draw();
  }

  #say() {
    this.panel.show(this.chosen, this.range, this.items, this.session);
  }

  /** Keeps in the address where one is, once it stands still. */
  keep() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { if (this.element.isConnected && (this.chosen || this.range || !this.sight.isAll || this.page.place.at.from)) this.#address(); }, STILL_MS);
  }

  #address() {
    const { from, to, isAll } = this.sight;
    const { range, folded, session } = this;
    const at = { ...this.chosen?.at, ...(session && { session }), ...(isAll ? {} : { from: Math.round(from), to: Math.round(to) }),
      ...(range && { sum: range.map(Math.round).join("-") }), ...(folded.size > 0 && { fold: [...folded].sort().join() }) };
    if (this.page.fragment({ at }) !== location.hash) this.page.stay("timeline", at);
  }

  /** Goes where the chosen item stands in full. */
  open() {
    this.#address();
    if (this.chosen?.at.call) this.page.go({ view: "model", at: this.chosen.at });
    else if (this.chosen?.frame) this.page.go({ view: "messages", at: { frame: this.chosen.frame } });
  }

  /** Draws all when the browser next does. */
  draw() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      if (!this.scroller.clientWidth) return;
      this.sight.width = this.scroller.clientWidth;
      this.#place();
      drawLanes(this.canvas, this);
      drawMap(this.map, this);
      this.#tell();
      if (this.table.element.open) this.table.list(this.items.filter((item) => this.sight.has(item)));
    });
  }

  /** @param {PointerEvent} event @returns {Item | null} */
  #under({ offsetX: x, offsetY }) {
    const place = this.places.findLast(({ y }) => y <= offsetY);
    if (!place?.lane || x < NAMES) return null;
    const row = Math.floor((offsetY - place.y) / place.row);
    const near = (/** @type {Item} */ item) => Math.max(this.sight.x(item.start) - x, x - this.sight.x(item.end), 0);
    const items = place.lane.items.filter((item) => (place.isFolded || item.row === row) && near(item) <= REACH);
    return items.sort((one, other) => near(one) - near(other) || one.end - one.start - (other.end - other.start))[0] ?? null;
  }

  /** Folds what a click on a heading or the name of a lane means, else chooses what is there.
   * @param {PointerEvent} event */
  #click(event) {
    const place = this.places.findLast(({ y }) => y <= event.offsetY);
    if (place?.key && (place.heading || event.offsetX < NAMES)) this.fold(place.key);
    else this.choose(this.#under(event));
  }

  #listen() {
    const hover = (/** @type {Item | null} */ item, /** @type {PointerEvent} */ { offsetX, offsetY }) => {
      this.pointer = [offsetX, offsetY];
      const isOther = item !== this.hovered;
      this.hovered = this.told = item;
      if (isOther) this.draw();
      this.#tell();
    };
    this.canvas.addEventListener("pointermove", (event) => { if (!event.buttons) hover(this.#under(event), event); });
    this.canvas.addEventListener("pointerleave", (event) => hover(null, event));
    this.canvas.addEventListener("click", (event) => this.#click(/** @type {PointerEvent} */ (event)));
    this.canvas.addEventListener("dblclick", () => this.open());
  }

  /** Says beside the item what it is: at the pointer, or at the beginning of what is to be seen of it. */
  #tell() {
    const { told: item, tip, sight } = this;
    tip.hidden = !item || !sight.has(item);
    if (!item || tip.hidden) return;
    fill(tip, e("strong.text", item.label), e("div", times(item)), e("div.text", item.words), item.frame > 0 && e("div", `#${item.frame}`));
    const place = this.#placeOf(item);
    const row = place?.row ?? 0;
    const [x, y] = item === this.hovered ? this.pointer : [Math.max(sight.x(item.start), NAMES), (place?.y ?? 0) + (item.row + 1) * row];
    const below = y + 14;
    tip.style.left = `${Math.max(0, Math.min(x + 12, sight.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${below + tip.offsetHeight > this.height ? Math.max(0, y - row - tip.offsetHeight) : below}px`;
  }
}
