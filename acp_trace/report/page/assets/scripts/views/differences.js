// Two messages beside each other, member by member: what differs is marked, what is the same is told briefly.

import { e, h } from "../dom.js";
import { number, safeLines, shorten } from "../format.js";
import { heads } from "../widgets/tables.js";
import { word } from "../widgets/words.js";
import { isOpen, members } from "./pairs.js";

const MOST = 500;
const SAME = 160;
const LONG = 20000;
/** So much of what is the same stands around a difference of two long texts. */
const AROUND = 60;

/** Members that are looked at; so many chips stand in one place; so much of a value is in one, and in its title. */
const VISITED = 5000;
const CHIPS = 60;
const CHIP = 40;
const TITLE = 400;

/** What differs, and is no divergence: ids, times, texts, what is only new. */
export const OTHER = "≈ no divergence";
/** @type {Record<string, string>} what of that is told in short */
const SIGNS = { differs: "≠", expected: "−", actual: "+" };
const WORDS = { same: "", masked: "masked", differs: "≠ differs", other: OTHER, bound: "same id, other value", expected: "− expected only", actual: "+ actual only" };

/** What two messages say: what changed, in short, and a table of all members.
 * @param {any[]} values  undefined: there is none
 * @param {Set<string>} masked  pointers of what is masked
 * @param {any[]} divergences  those of these messages
 * @param {string | null | undefined} pointer  where the one stands that is looked at
 * @param {string[]} ids  members with ids that the sides invent */
export function differences(values, masked, divergences, pointer, ids) {
  const places = [...masked, pointer ?? ""];
  /** Whether a place is that of a divergence, or may be.
   * @param {string} path */
  const isCompared = (path) => divergences.some(({ pointer }) => !pointer || `${path}/`.startsWith(`${pointer}/`) || pointer.startsWith(`${path}/`));
  /** @type {HTMLElement[]} */
  const lines = [];
  /** @type {Map<string, HTMLElement[]>} chips by where they stand */
  const chips = new Map();
  let seen = 0;

  /**
   * @param {string} name
   * @param {any[]} values
   * @param {string} path
   * @param {string[]} above  the names of what it is in
   */
  const walk = (name, values, path, above) => {
    seen++;
    const [was, now] = values.map((value) => (value === undefined ? "" : JSON.stringify(value)));
    const isOpened = values.every(isOpen) && (was !== now || places.some((place) => place.startsWith(`${path}/`)));
    /** @type {keyof typeof WORDS} */
    const state = masked.has(path) ? "masked" : isOpened || was === now ? "same" : !was ? "actual" : !now ? "expected" : isCompared(path) ? "differs" : ids.includes(name) ? "bound" : "other";
    const isHere = path === pointer;
    if (lines.length < MOST) {
      const cells = isOpened ? ["", ""] : ["differs", "other", "bound"].includes(state) ? marked(values) : [was, now].map((text) => shown(text, state === "same" || state === "masked" ? SAME : LONG));
      lines.push(h("tr", { class: `${state} ${isHere ? "here" : ""} ${was === now && !isHere ? "equal" : ""}` },
        h("th", { scope: "row", style: { "padding-left": `${above.length * 14 + 8}px` } }, word(name)),
        cells.map((cell) => e("td", cell)), e("td", ...signed(WORDS[state]), isHere && " ◂ here")));
    }
    if (state in SIGNS && values.some((value) => value !== undefined)) {
      const place = above.slice(1).join(" › ");
      const words = state === "differs" ? `${name}: ${shorten(was, CHIP)} → ${shorten(now, CHIP)}` : values.some(isOpen) || name === values.find((value) => value !== undefined) ? name : `${name}: ${shorten(was || now, CHIP)}`;
      chips.set(place, [...chips.get(place) ?? [], h("li", { class: state, title: safeLines(shorten(was || now, TITLE)) }, e("b", SIGNS[state]), " ", word(words))]);
    }
    if (isOpened && state === "same") below(values, path, [...above, name]);
  };
  const below = (/** @type {any[]} */ values, /** @type {string} */ path, /** @type {string[]} */ above) => {
    for (const { name, key, values: both } of members(values)) {
      if (seen >= VISITED) return;
      walk(name, both, `${path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`, above);
    }
  };
  if (values.some(isOpen) && values.every((value) => isOpen(value) || value === undefined)) below(values, "", []);
  else walk("line", values, "", []);
  const isAlone = values.some((value) => value === undefined);
  return [
    !isAlone && chips.size > 0 && h("div.changed", { role: "group", "aria-label": "What changed" }, [...chips].map(([place, all]) =>
      e("div", e("span.place", word(place)), e("ul.chips", all.slice(0, CHIPS), all.length > CHIPS && e("li", `and ${number(all.length - CHIPS)} more`))))),
    e("table.differences",
      heads(["Member", "Expected", "Actual", "Differs"]),
      e("tbody", lines), lines.length >= MOST && e("caption", `The first ${MOST} members`)),
  ];
}

/** A sign, and its words, for which a phone has no room.
 * @param {string} words */
export function signed(words) {
  const at = words.indexOf(" ");
  return /^[≠≈−+·]/.test(words) && at > 0 ? [words.slice(0, at), e("span.words", words.slice(at))] : [words];
}

/** A text as JSON, or as it is.
 * @param {string} text
 * @returns {any} */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
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
