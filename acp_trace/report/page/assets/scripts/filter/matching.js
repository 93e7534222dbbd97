// Whether a row is wanted: the same rules as report/frame_filter/matching.py.
//
// A row has a property for each field: lists of texts, a number or null, the frame's text. `text`, `tool`, `id` and
// `error` are undefined as long as the frame is not read; then what depends on them is undefined, too.

import { texts } from "../widgets/hits.js";

/** @typedef {import("./reader.js").Node} Node */
/** @typedef {import("./reader.js").Word} Word */
/** @typedef {import("./reader.js").Language} Language */
/** @typedef {(row: any) => boolean | undefined} Wants */

const NAME = /^[Ss][1-9]\d{0,8}$/;

/** What says of a row whether a filter wants it.
 * @param {Node} tree @param {Language} language
 * @returns {Wants} */
export function wantsOf(tree, language) {
  if (tree[0] === "field") return termOf(tree, language);
  const parts = tree.slice(1).map((part) => wantsOf(/** @type {Node} */ (part), language));
  if (tree[0] === "not") return (row) => {
    const is = parts[0](row);
    return is === undefined ? undefined : !is;
  };
  const decisive = tree[0] === "any";
  return (row) => {
    let isKnown = true;
    for (const part of parts) {
      const is = part(row);
      if (is === decisive) return decisive;
      isKnown &&= is !== undefined;
    }
    return isKnown ? !decisive : undefined;
  };
}

/** The fields that a filter asks for.
 * @param {Node} tree
 * @returns {string[]} */
export function fieldsOf(tree) {
  return tree[0] === "field" ? [tree[1]] : tree.slice(1).flatMap((part) => fieldsOf(/** @type {Node} */ (part)));
}

/** The texts that a filter searches for in whole frames, the first one first; with `isWhole`, also those that it excludes.
 * @param {Node} tree @param {boolean} [isWhole]
 * @returns {string[]} */
export function textsOf(tree, isWhole = false) {
  if (tree[0] === "field") return tree[1] === "text" ? tree[3].map(([text]) => text) : [];
  return tree[0] === "not" && !isWhole ? [] : tree.slice(1).flatMap((part) => textsOf(/** @type {Node} */ (part), isWhole));
}

/** @param {Extract<Node, ["field", ...any[]]>} term @param {Language} language
 * @returns {Wants} */
function termOf([, name, op, values], language) {
  const type = language.fields.get(name)?.type ?? "text";
  if (op !== ":") {
    const compare = COMPARE[op];
    return (row) => row[name] !== null && compare(row[name], values[0]);
  }
  if (type === "number") return (row) => row[name] !== null && values.some(([first, last]) => first <= row[name] && (last === null || row[name] <= last));
  if (type === "text") {
    const among = values.flatMap(([text]) => texts(text));
    return (row) => {
      const low = row.text?.toLowerCase();
      return low === undefined ? undefined : among.some((each) => low.includes(each));
    };
  }
  const fits = values.map((word) => FITS[type](word));
  return (row) => row[name]?.some((/** @type {string} */ text) => fits.some((fit) => fit(text)));
}

/** @type {Record<string, (one: number, other: number) => boolean>} */
const COMPARE = {
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
};

/** @param {Word} word
 * @returns {(text: string) => boolean} */
function glob([wanted, isQuoted]) {
  if (isQuoted || !/[*?]/.test(wanted)) return (text) => text === wanted;
  const pattern = wanted.replace(/[^*?]/gu, (char) => char.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).replaceAll("*", "[^]*").replaceAll("?", "[^]");
  const whole = new RegExp(`^${pattern}$`, "u");
  return (text) => whole.test(text);
}

/** @type {Record<string, (word: Word) => (text: string) => boolean>} */
const FITS = {
  glob,
  choice: glob,
  part([wanted]) {
    const low = wanted.toLowerCase();
    return (text) => text.toLowerCase().includes(low);
  },
  session([wanted, isQuoted]) {
    if (NAME.test(wanted) && !isQuoted) {
      const name = wanted.toUpperCase();
      return (text) => text === name || text === wanted;
    }
    return (text) => text.includes(wanted) && (text === wanted || !NAME.test(text));
  },
  turn([wanted]) {
    const name = wanted.toUpperCase();
    return (text) => (name.includes(".") ? text === name : text.endsWith(`.${name}`));
  },
};
