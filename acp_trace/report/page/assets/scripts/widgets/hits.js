// A text that is searched for: whether it stands somewhere, and how it is marked there.

import { e } from "../dom.js";
import { hex, safe } from "../format.js";

/** So much is told before and after a hit that a row does not show. */
const BEFORE = 24;
const AFTER = 160;

/** A text as JSON may have written it.
 * @param {string} text */
export function texts(text) {
  const plain = text.toLowerCase();
  const quoted = JSON.stringify(text).slice(1, -1).toLowerCase();
  const ascii = quoted.replace(/[^\x00-\x7f]/g, (char) => `\\u${hex(char.charCodeAt(0), 4)}`);
  return [...new Set([plain, quoted, ascii])];
}

/** Where a text stands first, and how long it is there; null: nowhere.
 * @param {string} among
 * @param {string} wanted
 * @returns {[number, number] | null} */
export function hitIn(among, wanted) {
  const lower = among.toLowerCase();
  const found = wanted && texts(wanted).find((each) => lower.includes(each));
  return found ? [lower.indexOf(found), found.length] : null;
}

/** Marks a text in all that an element shows, and goes to where it stands first; whether it stands there.
 * @param {Element} element
 * @param {string} wanted */
export function highlight(element, wanted) {
  const lower = wanted.toLowerCase();
  /** @type {Range[]} */
  const ranges = [];
  const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (lower && nodes.nextNode()) {
    const node = /** @type {Text} */ (nodes.currentNode);
    const text = node.data.toLowerCase();
    for (let at = text.indexOf(lower); at >= 0; at = text.indexOf(lower, at + lower.length)) {
      const range = new Range();
      range.setStart(node, Math.min(at, node.length));
      range.setEnd(node, Math.min(at + lower.length, node.length));
      ranges.push(range);
    }
  }
  CSS.highlights?.set("hit", new Highlight(...ranges));
  const first = ranges[0];
  const scroller = first && element.closest(".detail");
  if (scroller) scroller.scrollTop += first.getBoundingClientRect().top - scroller.getBoundingClientRect().top - scroller.clientHeight / 2;
  return ranges.length > 0;
}

export class Hits {
  /**
   * @param {import("../trace.js").Trace} trace
   * @param {() => void} then  called when more is known of a row
   */
  constructor(trace, then) {
    this.trace = trace;
    this.then = then;
    this.wanted = "";
    /** @type {Map<number, string>} of frames whose rows do not show the text, what stands around it */
    this.excerpts = new Map();
  }

  /** @param {string} wanted */
  search(wanted) {
    this.wanted = wanted;
    this.excerpts.clear();
  }

  /** The words of a row, with the text marked in them; what stands around it, if it is in none of `shown`.
   * @param {number} frame
   * @param {string} words
   * @param {string[]} shown */
  of(frame, words, ...shown) {
    const { wanted, excerpts } = this;
    if ([words, ...shown].some((each) => hitIn(each, wanted))) return withHit(words, wanted);
    const excerpt = excerpts.get(frame);
    if (excerpt === undefined) {
      excerpts.set(frame, "");
      this.trace.text(frame).then((text) => {
        const [at, length] = hitIn(text, wanted) ?? [0, 0];
        if (wanted !== this.wanted || !length) return;
        const from = Math.max(0, at - BEFORE);
        excerpts.set(frame, `${from ? "…" : ""}${text.slice(from, at + length + AFTER)}`);
        this.then();
      });
    }
    return withHit(safe(excerpt || words), wanted);
  }
}

/** A text with what is wanted marked where it stands first.
 * @param {string} text
 * @param {string} wanted
 * @returns {import("../dom.js").Child[]} */
export function withHit(text, wanted) {
  const [at, length] = hitIn(text, wanted) ?? [0, 0];
  return length ? [text.slice(0, at), e("mark", text.slice(at, at + length)), text.slice(at + length)] : [text];
}
