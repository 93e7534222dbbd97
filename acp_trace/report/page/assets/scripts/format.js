// Numbers and text as people read them, in the words of the text reports.

// What a terminal obeys, what turns writing around, and tags, which hide text: it is shown, and does nothing.
const HARMFUL = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
/** @type {Record<string, string>} */
const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e" };

/** A number below 1000 with three digits.
 * @param {number} scaled */
function threeDigits(scaled) {
  return scaled.toFixed(scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2);
}

/** A duration: `412 µs`, `48.0 ms`, `3.10 s`, `12 min 05 s`, `2 h 03 min`; a dash if it is not known.
 * @param {number | null | undefined} ns */
export function duration(ns) {
  if (ns == null || isNaN(ns)) return "–";
  if (ns < 999_500) return `${(ns / 1e3).toFixed(0)} µs`;
  if (ns < 999_500_000) return `${threeDigits(ns / 1e6)} ms`;
  if (ns < 100e9) return `${threeDigits(ns / 1e9)} s`;
  const seconds = Math.round(ns / 1e9);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two((seconds % 3600) / 60)} min`;
}

/** A time within a trace, in seconds: `0.048`; nothing if it is not known.
 * @param {number | null} ns */
export function sinceStart(ns) {
  return ns === null || isNaN(ns) ? "" : (ns / 1e9).toFixed(3);
}

/** What to number an axis by, at least so many ns: what is round in seconds, minutes or hours.
 * @param {number} least */
export function axisStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  const long = [2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600].find((step) => step * 1e9 >= least);
  return least > 1e9 && long ? long * 1e9 : power * ([1, 2, 5].find((step) => step * power >= least) ?? 10);
}

/** A time on an axis with such steps that reaches until `end` (ns): `0.250 ms`, `1.500 s`, `12 s`; from a minute on
 * `2:05 min`, from an hour on `1:30 h`, `1:30:05 h`.
 * @param {number} ns @param {number} step @param {number} end */
export function axisTime(ns, step, end) {
  if (end < 60e9) return step >= 1e9 ? `${Math.round(ns / 1e9)} s` : step >= 1e6 ? `${sinceStart(ns)} s` : `${(ns / 1e6).toFixed(3)} ms`;
  const digits = step >= 1e9 ? 0 : step >= 1e6 ? 3 : 6;
  const [hours, minutes] = [ns / 3600e9, ns / 60e9 % 60];
  const seconds = `:${(ns / 1e9 % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0")}`;
  return end < 3600e9 ? `${Math.floor(minutes)}${seconds} min` : `${Math.floor(hours)}:${two(minutes)}${step < 60e9 ? seconds : ""} h`;
}

/** Bytes: `184 B`, `34.2 kB`.
 * @param {number} count */
export function size(count) {
  if (count < 1000) return `${count} B`;
  let scaled = count;
  for (const unit of ["kB", "MB", "GB"]) {
    scaled /= 1000;
    if (scaled < 999.5) return `${threeDigits(scaled)} ${unit}`;
  }
  return `${threeDigits(scaled / 1000)} TB`;
}

/** A number with narrow spaces between the thousands.
 * @param {number} count */
export function number(count) {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** So many things.
 * @param {number} count
 * @param {string} thing */
export function counted(count, thing) {
  return `${number(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** A number in hexadecimal digits.
 * @param {number} value
 * @param {number} digits */
export function hex(value, digits) {
  return value.toString(16).padStart(digits, "0");
}

/** One line of text from a trace, with nothing in it that turns writing around or hides.
 * @param {string} text */
export function safe(text) {
  return text.replace(HARMFUL, (char) => SHORT[char] ?? escaped(char));
}

/** The same for text of several lines: newlines and tabs stay.
 * @param {string} text */
export function safeLines(text) {
  return text.replace(HARMFUL, (char) => (char === "\n" || char === "\t" ? char : SHORT[char] ?? escaped(char)));
}

/** At most so many characters, the last one `…` where something was cut.
 * @param {string} text
 * @param {number} most */
export function shorten(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** @param {number} count */
function two(count) {
  return String(Math.floor(count)).padStart(2, "0");
}

/** @param {string} char */
function escaped(char) {
  const code = char.codePointAt(0) ?? 0;
  return code < 256 ? `\\x${hex(code, 2)}` : code < 65536 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}
