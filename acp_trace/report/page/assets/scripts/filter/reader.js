// The filter language of the page: a text -> a tree. The same as report/frame_filter/grammar.py, with its tables
// (report/frame_filter/fields.py), which come with the trace. tests/report/frame_filter/cases.json holds for both.

/** @typedef {{ name: string, type: string, meaning: string, example: string, values: string[], aliases: Record<string, string> }} Field */
/** @typedef {{ fields: Map<string, Field>, aliases: Record<string, string>, operators: string[], times: Record<string, number>, sizes: Record<string, number>, longest: number, deepest: number }} Language */
/** @typedef {[text: string, isQuoted: boolean]} Word */
/** @typedef {["field", name: string, op: string, values: any[]] | ["not", Node] | ["all" | "any", ...Node[]]} Node */

const KEYWORD = /(or|and|not)(?=[ \t\r\n()]|$)/iy;
const FIELD = /([A-Za-z][A-Za-z_]*)([ \t]*)(!=|<=|>=|<|>|:|=)/y;
const MINUS = /-(?=[^ \t\r\n\d-])/y;
const VALUE = /"((?:[^"\\]|\\[^])*)"|[^ \t\r\n()",]+/y;
const TEXT = /(?:"(?:[^"\\]|\\[^])*"|[^ \t\r\n()"])+/y;
const QUOTED = /^"((?:[^"\\]|\\[^])*)"$/;
const END = /(?=[ \t\r\n()]|$)/y;
const SPACE = /[ \t\r\n]*/y;
const NUMBER = /^#?(\d{1,15})$/;
const RANGE = /^#?(\d{1,15})(?:(-)#?(\d{1,15})?)?$/;
const AMOUNT = /^(\d{1,12}(?:\.\d{1,12})?)([A-Za-zµμ]*)$/;
const TURN = /^(?:[Ss][1-9]\d{0,8}\.)?\d{1,9}$/;
const COMPARISONS = ["<=", ">=", "<", ">"];

/** A text that is not a filter: why, and from where to where it is wrong. */
export class FilterError extends Error {
  /** @param {string} message @param {number} start @param {number} end */
  constructor(message, start, end) {
    super(message);
    this.start = start;
    this.end = Math.max(end, start + 1);
  }
}

/** The language, of what the page was given of it.
 * @param {import("../documents.js").FilterDocument} document
 * @returns {Language} */
export function languageOf(document) {
  const fields = document.fields.map(([name, type, meaning, example, values, aliases]) => /** @type {[string, Field]} */ ([name, { name, type, meaning, example, values, aliases }]));
  return { ...document, fields: new Map(fields) };
}

/** The tree that a filter says. Throws FilterError.
 * @param {string} text @param {Language} language
 * @returns {Node} */
export function parseFilter(text, language) {
  if (text.length > language.longest) throw new FilterError(`a filter has at most ${language.longest} characters`, 40, 41);
  const reader = new Reader(text, language);
  if (reader.isOver()) return ["all"];
  const tree = reader.any();
  if (!reader.isOver()) reader.fail("there is no ( for this )", reader.at, reader.at + 1);
  return tree;
}

class Reader {
  /** @param {string} source @param {Language} language */
  constructor(source, language) {
    this.source = source;
    this.language = language;
    this.at = 0;
    this.depth = 0;
  }

  /** @param {RegExp} pattern  one with the flag `y` */
  match(pattern) {
    pattern.lastIndex = this.at;
    return pattern.exec(this.source);
  }

  isOver() {
    this.at += this.match(SPACE)?.[0].length ?? 0;
    return this.at === this.source.length;
  }

  /** @returns {Node} */
  any() {
    const parts = [this.all()];
    while (this.keyword("or")) parts.push(this.all());
    return parts.length === 1 ? parts[0] : ["any", ...parts];
  }

  /** @returns {Node} */
  all() {
    const parts = [this.part()];
    for (;;) {
      const isAnd = this.keyword("and");
      if (!isAnd && (this.isOver() || this.source[this.at] === ")" || this.isNext("or"))) return parts.length === 1 ? parts[0] : ["all", ...parts];
      parts.push(this.part());
    }
  }

  /** @returns {Node} */
  part() {
    if (++this.depth > this.language.deepest) this.fail("too many levels", this.at, this.at + 1);
    const made = this.below();
    this.depth--;
    return made;
  }

  /** @returns {Node} */
  below() {
    if (this.isOver()) this.fail("expected a term, such as method:session/new", this.at, this.at + 1);
    if (this.keyword("not")) return ["not", this.part()];
    if (this.match(MINUS)) {
      this.at++;
      return ["not", this.part()];
    }
    if (this.source[this.at] === "(") {
      const start = this.at++;
      const made = this.any();
      if (this.isOver()) this.fail("this ( has no )", start, start + 1);
      this.at++;
      return made;
    }
    const word = this.match(KEYWORD);
    if (word) this.fail(`expected a term before ${word[0]}; a word that is meant as text needs quotes`, this.at, this.at + word[0].length);
    if (this.source[this.at] === ")") this.fail("expected a term before )", this.at, this.at + 1);
    return this.term();
  }

  /** @returns {Node} */
  term() {
    const { fields, aliases } = this.language;
    const match = this.match(FIELD);
    const [whole, written, space, op] = match ?? ["", "", "", ""];
    const low = written.toLowerCase();
    const name = Object.hasOwn(aliases, low) ? aliases[low] : low;
    const field = fields.get(name);
    if (!match || (space && (!field || op === ":"))) return ["field", "text", ":", [this.text()]];
    if (!field) this.fail(`there is no field ${written}; a text needs quotes${this.nearest(low, [...fields.keys(), ...Object.keys(aliases)])}`, this.at, this.at + written.length);
    const start = this.at + written.length + space.length;
    this.at += whole.length;
    const end = this.at;
    if (op !== ":" && op !== "=") this.isOver();
    const isCompared = COMPARISONS.includes(op);
    if (isCompared && !["number", "time", "size"].includes(field.type)) this.fail(`${name} cannot be compared: ${field.example}`, start, end);
    if (isCompared) return ["field", name, op, [this.value(field, op)]];
    if (field.type === "time" || field.type === "size") this.fail(`${name} is compared: ${field.example}`, start, end);
    const values = [this.value(field, op)];
    while (this.source[this.at] === ",") {
      this.at++;
      values.push(this.value(field, op));
    }
    /** @type {Node} */
    const term = ["field", name, ":", values];
    return op === "!=" ? ["not", term] : term;
  }

  /** @param {Field} field @param {string} op */
  value(field, op) {
    const start = this.at;
    const match = this.match(VALUE);
    if (!match && this.source[start] === '"') this.fail("this quote is not closed", start, this.source.length);
    if (!match) this.fail(`expected a value for ${field.name}, such as ${field.example}`, start, start + 1);
    this.at += match[0].length;
    const isQuoted = match[1] !== undefined;
    const text = isQuoted ? unescaped(match[1]) : match[0];
    const isCompared = COMPARISONS.includes(op);
    const fail = (/** @type {string} */ why) => this.fail(why, start, this.at);
    const made = isCompared ? amount(field, text, this.language, fail) : field.type === "number" ? range(text, fail) : this.word(field, text, isQuoted, fail);
    const next = this.source[this.at];
    if (!(next === "," && !isCompared) && !this.match(END)) this.fail(next === "," ? "a comparison has one value" : "expected a space", this.at, this.at + 1);
    return made;
  }

  /** @param {Field} field @param {string} written @param {boolean} isQuoted @param {(why: string) => never} fail
   * @returns {Word} */
  word(field, written, isQuoted, fail) {
    const text = Object.hasOwn(field.aliases, written) ? field.aliases[written] : written;
    if (field.type === "turn" && !TURN.test(text)) fail(`${text} is not a turn, such as 0 or S2.0`);
    const isFree = field.type !== "choice" && (field.name !== "finding" || isQuoted || /[*?]/.test(text));
    if (field.values.length && !isFree && !field.values.includes(text)) {
      fail((field.type === "choice" ? `${field.name} is one of ${field.values.join(", ")}` : `there is no finding ${text}`) + this.nearest(text, field.values));
    }
    return [text, isQuoted];
  }

  /** @returns {Word} */
  text() {
    const match = this.match(TEXT);
    const from = this.at;
    this.at += match?.[0].length ?? 0;
    if (!match || !this.match(END)) this.fail("this quote is not closed", this.at, this.source.length);
    const quoted = QUOTED.exec(this.source.slice(from, this.at));
    return quoted ? [unescaped(quoted[1]), true] : [match[0], false];
  }

  /** @param {string} word */
  isNext(word) {
    return !this.isOver() && this.match(KEYWORD)?.[0].toLowerCase() === word;
  }

  /** @param {string} word */
  keyword(word) {
    const isThere = this.isNext(word);
    if (isThere) this.at += word.length;
    return isThere;
  }

  /** The end of a message, with the choice that looks most like a word.
   * @param {string} word @param {string[]} choices */
  nearest(word, choices) {
    const [best] = choices.map((choice) => /** @type {[number, string]} */ ([distance(word, choice), choice])).sort(([one], [other]) => one - other);
    return best && best[0] <= Math.max(2, word.length / 3) ? `; did you mean ${best[1]}?` : "";
  }

  /** @param {string} message @param {number} start @param {number} end
   * @returns {never} */
  fail(message, start, end) {
    throw new FilterError(message, start, end);
  }
}

/** @param {string} text @param {(why: string) => never} fail
 * @returns {[number, number | null]} */
function range(text, fail) {
  const [, first, dash, last] = RANGE.exec(text) ?? fail(`${text} is not a number or a range, such as 12, 10-20 or 10-`);
  return [Number(first), last ? Number(last) : dash ? null : Number(first)];
}

/** @param {Field} field @param {string} text @param {Language} language @param {(why: string) => never} fail */
function amount(field, text, { times, sizes }, fail) {
  if (field.type === "number") return Number((NUMBER.exec(text) ?? fail(`${text} is not a number`))[1]);
  const isTime = field.type === "time";
  const [, number, written] = AMOUNT.exec(text) ?? [];
  const unit = isTime ? written || "s" : (written || "b").toLowerCase();
  const units = isTime ? times : sizes;
  if (number === undefined || !Object.hasOwn(units, unit)) fail(`${text} is not ${isTime ? "a time, such as 1.5s, 200ms or 2min" : "a size, such as 500, 10kB or 1.5MB"}`);
  return Math.round(Number(number) * units[unit]);
}

/** @param {string} text */
function unescaped(text) {
  return text.replace(/\\(["\\])/g, "$1");
}

/** How many letters differ.
 * @param {string} one @param {string} other */
function distance(one, other) {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let at = 1; at <= other.length; at++) {
      line.push(Math.min(above[at] + 1, line[at - 1] + 1, above[at - 1] + Number(one[row - 1] !== other[at - 1])));
    }
    above = line;
  }
  return above[other.length];
}
