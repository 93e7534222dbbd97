// The view Timeline: turns, tool calls, waits and model calls as bars, changes and cancels as marks, over time.
// What one looks at: the item that is chosen, what is told of it, and what stands in the address.

import { e, fill, h, renew } from "../dom.js";
import { fragmentOf } from "../place.js";
import { drawLanes, drawMap, legend } from "./timeline/draw.js";
import { itemsOf, placeWords, ROW, times } from "./timeline/items.js";
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
  /** @type {Item[]} */
  items = [];
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
    this.said = h("p.said", { "aria-live": "polite" });
    this.tip = h("div.tip", { hidden: true });
    this.table = itemTable(() => this.draw(), (item) => this.#link(item));
    this.element = e("div.timeline",
      e("div.tools", this.zooms.map(([, words, act], at) => h("button", { title: words, "aria-label": words, onclick: act }, ["+", "−", "All"][at])), legend()),
      this.map, e("div.scroller", this.canvas, this.tip), this.said, this.table.element);
    this.ready = this.#read();
    listenTo(this.sight, this.canvas, this.map);
    this.#listen();
    new ResizeObserver(() => {
      if (!this.element.isConnected) clearTimeout(this.timer);
      this.draw();
    }).observe(this.element);
  }

  /** @returns {import("../page.js").Shown} */
  shown() {
    const nothing = () => {};
    return {
      element: this.element,
      show: (at, isBack) => this.show(at, isBack),
      grown: () => (this.ready = this.#read()),
      keys: [
        ["ArrowRight", "Next item", () => this.step(1)], ["ArrowLeft", "Previous item", () => this.step(-1)],
        ["Enter", "Open the item's message", () => this.open()], ["Escape", "Choose nothing", () => this.choose(null)],
        ...this.zooms, ["f", "Fit the item", () => this.fit()], [",", "Move to the left", () => this.sight.pan(-0.25)], [".", "Move to the right", () => this.sight.pan(0.25)],
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
    if (!isBack && at.from && to > from && (from !== Math.round(sight.from) || to !== Math.round(sight.to))) sight.see(from, to);
    for (const key of ["turn", "cancel", "call", "finding", "frame"]) {
      const item = at[key] && this.items.find((each) => each.at[key] === at[key] || (key === "frame" && String(each.frame) === at.frame));
      if (item && item !== this.chosen) this.choose(item, false);
    }
    this.draw();
    this.keep();
  }

  async #read() {
    Object.assign(this, await itemsOf(this.page.source, this.trace));
    const again = (/** @type {Item | null} */ item) => item && (this.items.find((each) => JSON.stringify(each.at) === JSON.stringify(item.at)) ?? null);
    this.chosen = again(this.chosen);
    this.hovered = again(this.hovered);
    this.told = again(this.told);
    this.#say();
    this.sight.reach(Math.min(this.trace.t[0] ?? 0, this.items[0]?.start ?? 0), Math.max(1, this.trace.report.trace.duration_ns));
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

  /** @param {Item | null} item @param {boolean} [isStep]  whether the address is to say so */
  choose(item, isStep = true) {
    const { sight } = this;
    this.chosen = item;
    this.told = this.hovered;
    this.#say();
    if (item && !sight.has(item)) {
      const span = sight.to - sight.from;
      sight.see(item.start - span / 3, item.start + (span * 2) / 3);
    }
    if (item) this.canvas.parentElement?.scrollTo({ top: Math.max(0, item.lane.y - 80) });
    if (isStep) this.#address();
    this.draw();
  }

  #say() {
    const item = this.chosen;
    renew(this.said, ...(item ? [`${placeWords(item)}: `, e("bdi", item.label), ` · ${times(item)} · `, e("bdi", item.words), " ", this.#link(item)] : []));
  }

  /** Keeps in the address where one is, once it stands still. */
  keep() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { if (this.element.isConnected && (this.chosen || !this.sight.isAll || this.page.place.at.from)) this.#address(); }, STILL_MS);
  }

  #address() {
    const { from, to, isAll } = this.sight;
    const at = { ...this.chosen?.at, ...(isAll ? {} : { from: Math.round(from), to: Math.round(to) }) };
    if (fragmentOf({ ...this.page.place, at }) !== location.hash) this.page.stay("timeline", at);
  }

  /** Goes where the chosen item stands in full. */
  open() {
    this.#address();
    if (this.chosen?.at.call) this.page.go({ view: "model", at: this.chosen.at });
    else if (this.chosen?.frame) this.page.go({ view: "messages", at: { frame: this.chosen.frame } });
  }

  /** @param {Item} item */
  #link(item) {
    return item.frame ? this.page.frame(item.frame) : this.page.to("model", item.at, `call ${item.at.call}`);
  }

  /** Draws all when the browser next does. */
  draw() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      if (!this.element.clientWidth) return;
      this.sight.width = this.element.clientWidth;
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
    const row = Math.floor((offsetY - place.y) / ROW);
    const near = (/** @type {Item} */ item) => Math.max(this.sight.x(item.start) - x, x - this.sight.x(item.end), 0);
    const items = place.lane.items.filter((item) => item.row === row && near(item) <= REACH);
    return items.sort((one, other) => near(one) - near(other) || one.end - one.start - (other.end - other.start))[0] ?? null;
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
    this.canvas.addEventListener("click", (event) => this.choose(this.#under(/** @type {PointerEvent} */ (event))));
    this.canvas.addEventListener("dblclick", () => this.open());
  }

  /** Says beside the item what it is: at the pointer, or at the beginning of what is to be seen of it. */
  #tell() {
    const { told: item, tip, sight } = this;
    tip.hidden = !item || !sight.has(item);
    if (!item || tip.hidden) return;
    fill(tip, e("strong.text", item.label), e("div", times(item)), e("div.text", item.words), item.frame > 0 && e("div", `#${item.frame}`));
    const [x, y] = item === this.hovered ? this.pointer : [Math.max(sight.x(item.start), NAMES), item.lane.y + (item.row + 1) * ROW];
    const below = y + 14;
    tip.style.left = `${Math.max(0, Math.min(x + 12, sight.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${below + tip.offsetHeight > this.height ? Math.max(0, y - ROW - tip.offsetHeight) : below}px`;
  }
}
