// Two messages beside each other, member by member: what differs is marked, what is the same is told briefly.

import { e, h } from "../dom.js";
import { safeLines, shorten } from "../format.js";
import { heads } from "../widgets/tables.js";
import { word } from "../widgets/words.js";

const MOST = 500;
const SAME = 160;
const LONG = 20000;
/** So much of what is the same stands around a difference of two long texts. */
const AROUND = 60;

/** What differs, and is not compared. */
export const OTHER = "≈ not compared";
const WORDS = { same: "", masked: "masked", differs: "≠ differs", other: OTHER, bound: "same id, other value", expected: "− expected only", actual: "+ actual only" };

/** The table of what two messages say.
 * @param {(string | undefined)[]} texts  undefined: there is none
 * @param {Set<string>} masked  pointers of what is masked
 * @param {any[]} divergences  those of these messages
 * @param {string | null | undefined} pointer  where the one stands that is looked at
 * @param {string[]} ids  members with ids that the sides invent */
export function differences(texts, masked, divergences, pointer, ids) {
  const places = [...masked, pointer ?? ""];
  /** Whether a place is that of a divergence, or may be.
   * @param {string} path */
  const isCompared = (path) => divergences.some(({ pointer }) => !pointer || `${path}/`.startsWith(`${pointer}/`) || pointer.startsWith(`${path}/`));
  /** @type {HTMLElement[]} */
  const lines = [];

  /**
   * @param {string} name
   * @param {any[]} values
   * @param {string} path
   * @param {number} depth
   */
  const walk = (name, values, path, depth) => {
    const [was, now] = values.map((value) => (value === undefined ? "" : JSON.stringify(value)));
    const isOpened = values.every(isOpen) && (was !== now || places.some((place) => place.startsWith(`${path}/`)));
    /** @type {keyof typeof WORDS} */
    const state = masked.has(path) ? "masked" : isOpened || was === now ? "same" : !was ? "actual" : !now ? "expected" : isCompared(path) ? "differs" : ids.includes(name) ? "bound" : "other";
    const cells = isOpened ? ["", ""] : ["differs", "other", "bound"].includes(state) ? marked(values) : [was, now].map((text) => shown(text, state === "same" || state === "masked" ? SAME : LONG));
    const isHere = path === pointer;
    lines.push(h("tr", { class: `${state} ${isHere ? "here" : ""}` },
      h("th", { scope: "row", style: { "padding-left": `${depth * 14 + 8}px` } }, word(name)),
      cells.map((cell) => e("td", cell)), e("td", WORDS[state], isHere && " ◂ here")));
    if (isOpened && state === "same") members(values, path, depth + 1);
  };
  const members = (/** @type {any[]} */ values, /** @type {string} */ path, /** @type {number} */ depth) => {
    for (const key of new Set(values.filter(isOpen).flatMap(Object.keys))) {
      if (lines.length >= MOST) return;
      walk(key, values.map((value) => (isOpen(value) && Object.hasOwn(value, key) ? value[key] : undefined)), `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, depth);
    }
  };
  const values = texts.map((text) => (text === undefined ? text : parsed(text)));
  if (values.some(isOpen) && values.every((value) => isOpen(value) || value === undefined)) members(values, "", 0);
  else walk("line", values, "", 0);
  return e("table.differences",
    heads(["Member", "Expected", "Actual", "Differs"]),
    e("tbody", lines), lines.length >= MOST && e("caption", `The first ${MOST} members`));
}

/** A text as JSON, or as it is.
 * @param {string} text
 * @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param {any} value */
function isOpen(value) {
  return value !== null && typeof value === "object";
}

/**
 * @param {string} text
 * @param {number} most */
function shown(text, most) {
  return word(shorten(text, most));
}

/** Two values, each with what the other does not have.
 * @param {any[]} values */
function marked(values) {
  const isText = values.every((value) => typeof value === "string");
  const [was, now] = isText ? values : values.map((value) => JSON.stringify(value));
  const most = Math.min(was.length, now.length);
  let from = 0;
  while (from < most && was[from] === now[from]) from++;
  let to = 0;
  while (to < most - from && was.at(-1 - to) === now.at(-1 - to)) to++;
  const start = Math.max(0, from - AROUND);
  return [was, now].map((text) => e("bdi.lines", start ? "…" : "", safeLines(text.slice(start, from)),
    e("mark", safeLines(shorten(text.slice(from, text.length - to), LONG))),
    safeLines(shorten(text.slice(text.length - to), AROUND))));
}
