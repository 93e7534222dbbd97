// A column that shows when something happened and how long it took: bars on one axis of time, as in a browser's network panel.

import { e, fill, h } from "../dom.js";
import { axisStep, axisTime } from "../format.js";

/** So many steps an axis has at most. */
const STEPS = 4;
/** From here on (%), a label does not fit at the right of its line. */
const LATE = 80;

export class Waterfall {
  constructor() {
    this.from = 0;
    this.to = 1;
    this.axis = e("span.axis");
    this.heading = [e("span.unseen", "Waterfall"), this.axis];
  }

  /** Sets the time that the column shows (ns).
   * @param {number} from
   * @param {number} to */
  set(from, to) {
    if (from === this.from && to === this.to) return;
    Object.assign(this, { from, to: Math.max(to, from + 1) });
    const step = axisStep((this.to - this.from) / STEPS);
    const first = Math.ceil(from / step) * step;
    const times = Array.from({ length: Math.max(0, Math.floor((this.to - first) / step) + 1) }, (_, at) => first + at * step);
    // A label that has no room at its right stands at its left, where no label is if it is the only one.
    fill(this.axis, ...times.map((t) => {
      const isLate = this.#at(t) > LATE;
      return h("i", { style: { left: `${this.#at(t)}%` }, class: isLate ? "late" : "" }, isLate && times.length > 1 ? "" : axisTime(t, step, this.to));
    }));
  }

  /** Where a time stands (%). @param {number} t */
  #at(t) {
    return Math.min(100, Math.max(0, (100 * (t - this.from)) / (this.to - this.from)));
  }

  /** Makes of an element the bar from one time to another, or a tick if they are one.
   * @param {Element} bar
   * @param {number} from
   * @param {number} to
   * @param {string} kind  classes: whose it is, and `open` if it has not ended, `end` where it ends with this row */
  draw(bar, from, to, kind) {
    const start = this.#at(from);
    bar.className = `${kind} ${to > from ? "" : "tick"}`;
    /** @type {HTMLElement} */ (bar).style.cssText = `left: ${start}%; width: ${this.#at(to) - start}%`;
  }
}
