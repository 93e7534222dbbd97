// JSON as a tree that is built as it is opened. Arrow keys as in trees elsewhere; nothing else leaves it.

import { e, h } from "../dom.js";
import { number, safe, safeLines, shorten } from "../format.js";
import { hitIn } from "./hits.js";
import { word } from "./words.js";

const STEP = 100;
const LONG = 120;
const TEXT_STEP = 20000;
/** What is open at first: so deep, and of no more than so many members. */
const DEPTH = 5;
const FEW = 12;

/** A JSON text as values; numbers that a number cannot hold stay as they were written.
 * @param {string} text
 * @returns {any} */
export function exact(text) {
  const { rawJSON } = /** @type {any} */ (JSON);
  const isShort = text.length < 1 << 20 && rawJSON;
  return JSON.parse(text, isShort ? (/** @type {any[]} */ ...[, value, context]) =>
    typeof value === "number" && String(value) !== context?.source ? rawJSON(context.source) : value : undefined);
}

/** The tree of a value, open where a text stands that is wanted.
 * @param {any} value
 * @param {string} label
 * @param {string} [wanted]
 * @returns {HTMLElement} */
export function jsonTree(value, label, wanted = "") {
  const root = treeItem("", value, 1, wanted);
  root.tabIndex = 0;
  return h("div.json", { role: "tree", "aria-label": label, onkeydown: pressed, onclick: clicked }, root);
}

/** @type {WeakMap<Element, () => void>} what to do when an item is first opened */
const opens = new WeakMap();

/**
 * @param {string} name
 * @param {any} value
 * @param {number} level
 * @param {string} wanted
 */
function treeItem(name, value, level, wanted) {
  const element = h("div", { role: "treeitem", tabindex: -1, "aria-level": level });
  const line = e("div.line", name && word(name, "bdi.name"), name && ": ");
  element.append(line);
  const isRaw = /** @type {any} */ (JSON).isRawJSON?.(value);
  if (value !== null && typeof value === "object" && !isRaw) {
    const isArray = Array.isArray(value);
    const names = isArray ? null : Object.keys(value);
    const count = isArray ? value.length : names?.length ?? 0;
    const words = isArray ? `[${count ? `… ${number(count)}` : ""}]` : `{${count ? `… ${number(count)}` : ""}}`;
    line.append(e("span.count", words));
    if (count) {
      unfold(element, (group) => more(group, 0, count, (at) => treeItem(names ? names[at] : String(at), value[names ? names[at] : at], level + 1, wanted)));
      if (level === 1 || (level < DEPTH && count <= FEW) || hitIn(JSON.stringify(value), wanted)) toggle(element, true);
    }
  } else if (typeof value === "string") {
    const isLong = value.length > LONG || value.includes("\n");
    line.append(e("bdi.string", JSON.stringify(safe(shorten(value, LONG))).replaceAll("\\\\", "\\")));
    if (isLong) {
      line.append(e("span.count", ` ${number(value.length)} characters`));
      unfold(element, (group) => more(group, 0, Math.ceil(value.length / TEXT_STEP), (at) =>
        e("pre.text", safeLines(value.slice(at * TEXT_STEP, (at + 1) * TEXT_STEP))), 1));
      if (hitIn(value, wanted)) toggle(element, true);
    }
  } else line.append(e("span.plain", isRaw ? value.rawJSON : String(value)));
  return element;
}

/** Makes an item one that opens.
 * @param {HTMLElement} element
 * @param {(group: HTMLElement) => void} build */
function unfold(element, build) {
  element.setAttribute("aria-expanded", "false");
  opens.set(element, () => {
    const group = h("div", { role: "group" });
    element.append(group);
    build(group);
  });
}

/** The next members, and what leads to those that are left out.
 * @param {HTMLElement} group
 * @param {number} from
 * @param {number} count
 * @param {(at: number) => Element} make
 * @param {number} [step] */
function more(group, from, count, make, step = STEP) {
  const to = Math.min(count, from + step);
  for (let at = from; at < to; at++) group.append(make(at));
  if (to === count) return;
  const rest = h("div", { role: "treeitem", tabindex: -1, class: "more" }, `${number(count - to)} more are left out: show the next`);
  opens.set(rest, () => {
    const next = /** @type {HTMLElement | null} */ (rest.previousElementSibling);
    rest.remove();
    more(group, to, count, make, step);
    focusOn(/** @type {HTMLElement} */ (next?.nextElementSibling?.matches("[role=treeitem]") ? next.nextElementSibling : group.closest("[role=treeitem]")));
  });
  group.append(rest);
}

/**
 * @param {Element} element
 * @param {boolean} isOpen
 */
function toggle(element, isOpen) {
  if (element.matches(".more")) opens.get(element)?.();
  if (!element.hasAttribute("aria-expanded")) return;
  if (isOpen) {
    opens.get(element)?.();
    opens.delete(element);
  }
  element.setAttribute("aria-expanded", String(isOpen));
}

/** @param {HTMLElement | null | undefined} element */
function focusOn(element) {
  const tree = element?.closest("[role=tree]");
  if (!element || !tree) return;
  tree.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
  element.tabIndex = 0;
  element.focus();
}

/** @param {Event} event */
function clicked(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const element = /** @type {HTMLElement | null} */ (target.closest("[role=treeitem]"));
  if (!element || target.closest("pre") || getSelection()?.type === "Range") return;
  focusOn(element);
  toggle(element, element.getAttribute("aria-expanded") !== "true");
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  const here = /** @type {HTMLElement} */ (event.target);
  const tree = /** @type {HTMLElement} */ (event.currentTarget);
  const isOpen = here.getAttribute("aria-expanded") === "true";
  const seen = () => /** @type {HTMLElement[]} */ ([...tree.querySelectorAll("[role=treeitem]")].filter((element) => element.checkVisibility()));
  const beside = (/** @type {number} */ by) => {
    const all = seen();
    return all[all.indexOf(here) + by];
  };
  /** @type {Record<string, () => void>} */
  const acts = {
    ArrowDown: () => focusOn(beside(1)),
    ArrowUp: () => focusOn(beside(-1)),
    ArrowRight: () => (isOpen ? focusOn(beside(1)) : toggle(here, true)),
    ArrowLeft: () => (isOpen ? toggle(here, false) : focusOn(here.parentElement?.closest("[role=treeitem]"))),
    Enter: () => toggle(here, !isOpen),
    " ": () => toggle(here, !isOpen),
    Home: () => focusOn(seen()[0]),
    End: () => focusOn(seen().at(-1)),
  };
  if (!(event.key in acts) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  acts[event.key]();
}
