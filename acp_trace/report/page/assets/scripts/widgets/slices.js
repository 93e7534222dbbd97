// A long list in slices, each a part of its own: only those near the window are read and are in the document.

import { e, fill } from "../dom.js";
import { reopen } from "./fold.js";

/** @typedef {import("../documents.js").TranscriptSlice} Slice */
/** @typedef {HTMLElement & { slice: Slice, height?: number }} Place */

const NEAR = "1500px";
const LINE = 22;

export class Slices {
  /**
   * @param {Slice[]} slices
   * @param {(number: number) => Promise<import("../documents.js").AnyItem[]>} read
   * @param {(told: import("../documents.js").AnyItem) => HTMLElement} make  an item
   */
  constructor(slices, read, make) {
    this.read = read;
    this.make = make;
    /** @type {WeakMap<Element, string>} what an item was made of */
    this.texts = new WeakMap();
    /** @type {Place[]} */
    this.places = [];
    this.element = e("div.slices");
    const root = document.getElementById("view");
    this.observer = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
      const place = /** @type {Place} */ (target);
      if (isIntersecting) this.open(place);
      else if (place.isConnected && place.firstChild && !place.contains(document.activeElement)) leave(place);
    }), { root, rootMargin: NEAR });
    for (const slice of slices) this.#add(slice);
  }

  /** @param {Slice} slice */
  #add(slice) {
    const place = /** @type {Place} */ (Object.assign(e("div.slice"), { slice }));
    place.style.minHeight = `${slice[3] * LINE}px`;
    this.places.push(place);
    this.element.append(place);
    this.observer.observe(place);
  }

  /** What a live trace has now. Items that are the same stay; of others, what was open is open again.
   * @param {Slice[]} slices */
  async grow(slices) {
    for (const [at, slice] of slices.entries()) {
      const place = this.places[at];
      if (!place) {
        this.#add(slice);
        continue;
      }
      place.slice = slice;
      if (place.firstChild) this.#renew(place, await this.read(slice[0]));
    }
    for (const place of this.places.splice(slices.length)) place.remove();
  }

  /** @param {Place} place
   * @param {import("../documents.js").AnyItem[]} told */
  #renew(place, told) {
    let next = place.firstElementChild;
    for (const each of told) {
      const text = JSON.stringify(each);
      if (next && this.texts.get(next) === text) {
        next = next.nextElementSibling;
        continue;
      }
      const item = this.#item(each, text);
      if (next?.id !== item.id) {
        place.insertBefore(item, next);
        continue;
      }
      const hasFocus = next.contains(document.activeElement);
      reopen(next, item);
      next.replaceWith(item);
      if (hasFocus) item.focus({ preventScroll: true });
      next = item.nextElementSibling;
    }
    while (next) {
      const after = next.nextElementSibling;
      next.remove();
      next = after;
    }
  }

  /** @param {import("../documents.js").AnyItem} told
   * @param {string} text */
  #item(told, text = JSON.stringify(told)) {
    const item = this.make(told);
    this.texts.set(item, text);
    return item;
  }

  /** Shows a slice, wherever the window is.
   * @param {Place} place */
  async open(place) {
    if (place.firstChild) return;
    const told = await this.read(place.slice[0]);
    if (place.firstChild) return;
    fill(place, told.map((each) => this.#item(each)));
    place.style.minHeight = "";
  }

  /** The item that a frame belongs to: the last one that begins with it or before it.
   * @param {number} frame
   * @returns {Promise<HTMLElement | undefined>} */
  async find(frame) {
    const place = this.places.findLast(({ slice }) => slice[1] <= frame) ?? this.places[0];
    if (!place) return undefined;
    await this.open(place);
    const items = /** @type {HTMLElement[]} */ ([...place.children]);
    return items.findLast((item) => Number(item.dataset.frame) <= frame) ?? items[0];
  }

  /** The item after another one, or before it; the first one if there is no other.
   * @param {HTMLElement | null} item  a child of one of the slices
   * @param {1 | -1} by */
  async step(item, by) {
    const sibling = by > 0 ? item?.nextElementSibling : item?.previousElementSibling;
    if (sibling) return /** @type {HTMLElement} */ (sibling);
    const place = item ? this.places[this.places.indexOf(/** @type {Place} */ (item.parentElement)) + by] : this.places[0];
    if (!place) return item;
    await this.open(place);
    return /** @type {HTMLElement | null} */ (by > 0 ? place.firstElementChild : place.lastElementChild);
  }
}

/** @param {Place} place */
function leave(place) {
  place.style.minHeight = `${place.offsetHeight}px`;
  place.replaceChildren();
}
