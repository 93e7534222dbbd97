// What of the time is in sight, and the wheel, drags and the map that change it. Nothing here draws, or knows items.

/** The names of the lanes have a column of their own (px): no bar stands beneath them. */
export const NAMES = 64;
const NARROWEST_NS = 1000;

export class Sight {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.from = this.least = 0;
    this.to = this.most = 1;
    this.isAll = true;
    this.width = 1;
  }

  /** How far the trace goes (ns). Whoever sees all of it goes on to.
   * @param {number} least @param {number} most */
  reach(least, most) {
    const room = Math.max((most - least) * 0.02, 1);
    this.least = least - room;
    this.most = most + room;
    if (this.isAll) this.all();
  }

  all() {
    this.see(this.least, this.most);
  }

  /** @param {number} from  ns @param {number} to */
  see(from, to) {
    const all = this.most - this.least;
    const span = Math.min(to - from, all);
    this.from = Math.min(Math.max(from, this.least), this.most - span);
    this.to = this.from + span;
    this.isAll = span === all;
    this.changed();
  }

  /** @param {number} factor @param {number} [around]  ns that stays where it is */
  zoom(factor, around = (this.from + this.to) / 2) {
    if (factor < 1 && (this.to - this.from) * factor < NARROWEST_NS) return;
    this.see(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }

  /** @param {number} share  of what is in sight */
  pan(share) {
    const by = (this.to - this.from) * share;
    this.see(this.from + by, this.to + by);
  }

  /** @param {{ start: number, end: number }} item */
  has({ start, end }) {
    return end >= this.from && start <= this.to;
  }

  /** @param {number} ns */
  x(ns) {
    return NAMES + ((ns - this.from) / (this.to - this.from)) * (this.width - NAMES);
  }

  /** @param {number} x */
  ns(x) {
    return this.from + ((x - NAMES) / (this.width - NAMES)) * (this.to - this.from);
  }

  /** Where a time stands on the map, which has all of the trace, on the same axis.
   * @param {number} ns */
  mapX(ns) {
    return NAMES + ((ns - this.least) / (this.most - this.least)) * (this.width - NAMES);
  }

  /** @param {number} x */
  mapNs(x) {
    return this.least + ((x - NAMES) / (this.width - NAMES)) * (this.most - this.least);
  }
}

/** Moves what is in sight by the wheel and by drags; a drag on the axis, or with Shift, marks a stretch of time.
 * A drag is no click.
 * @param {Sight} sight @param {HTMLElement} lanes @param {HTMLElement} map @param {number} axis  how high the axis is (px)
 * @param {(from: number, to: number, isOver: boolean) => void} mark  ns */
export function listenTo(sight, lanes, map, axis, mark) {
  const scroller = /** @type {HTMLElement} */ (lanes.parentElement);
  const on = (/** @type {HTMLElement} */ element, /** @type {string} */ name, /** @type {(event: any) => void} */ act) => element.addEventListener(name, act, { passive: false });
  on(lanes, "wheel", (event) => {
    const { deltaX, deltaY, offsetX } = event;
    const isAcross = event.shiftKey || Math.abs(deltaX) > Math.abs(deltaY);
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && !isAcross && (offsetX < NAMES || lanes.offsetHeight > scroller.clientHeight)) return;
    event.preventDefault();
    if (isAcross && !isZoom) sight.pan((deltaX || deltaY) / sight.width);
    else sight.zoom(1.0015 ** deltaY, sight.ns(offsetX));
  });
  let isMoved = false;
  /** @type {number | null} ns where a stretch of time begins */
  let marked = null;
  on(lanes, "pointerdown", (event) => {
    isMoved = false;
    marked = event.shiftKey || event.offsetY < axis + scroller.scrollTop ? sight.ns(event.offsetX) : null;
    lanes.setPointerCapture(event.pointerId);
  });
  on(lanes, "pointerup", (event) => { if (isMoved && marked !== null) mark(marked, sight.ns(event.offsetX), true); });
  on(lanes, "pointermove", (event) => {
    if (!event.buttons) return;
    isMoved ||= Math.abs(event.movementX) + Math.abs(event.movementY) > 1;
    if (!isMoved) return;
    if (marked !== null) return mark(marked, sight.ns(event.offsetX), false);
    scroller.scrollTop -= event.movementY;
    sight.pan(-event.movementX / (sight.width - NAMES));
  });
  on(lanes, "click", (event) => { if (isMoved) event.stopImmediatePropagation(); });
  /** ns from where what is in sight begins to where it was grabbed */
  let held = 0;
  const at = (/** @type {PointerEvent} */ event) => sight.mapNs(event.offsetX);
  on(map, "pointerdown", (event) => {
    map.setPointerCapture(event.pointerId);
    const span = sight.to - sight.from;
    held = at(event) - sight.from;
    if (held >= 0 && held <= span) return;
    held = span / 2;
    follow(event);
  });
  on(map, "pointermove", (event) => { if (event.buttons) follow(event); });
  const follow = (/** @type {PointerEvent} */ event) => {
    const from = at(event) - held;
    sight.see(from, from + sight.to - sight.from);
  };
}
