// What may come next in a filter that is being typed: fields, then values that this trace has.

import { safe } from "../format.js";

/** @typedef {import("../trace.js").Trace} Trace */
/** @typedef {import("./reader.js").Language} Language */
/** @typedef {{ text: string, about: string }} Choice  `text`: what stands in the place of the word that is being typed */

const MOST = 12;
/** The word before the cursor: what stands before its value, if it has a field, and the beginning of that. */
const WORD = /(?:^|[\s(])(-?)(?:([A-Za-z_]+)(:|=|!=)((?:"[^"]*",|[^\s(),"]*,)*))?("?)([^\s()",]*)$/;

/**
 * The choices at a place in a text, and from where on one of them stands in it.
 *
 * @param {string} text  up to the cursor
 * @param {Trace} trace
 * @param {Language} language
 * @returns {{ from: number, choices: Choice[] }}
 */
export function choicesAt(text, trace, language) {
  const match = WORD.exec(text);
  const [, , name, , , quote, typed] = match ?? ["", "", "", "", "", "", ""];
  if (!match) return { from: text.length, choices: [] };
  const from = text.length - typed.length - quote.length;
  const low = typed.toLowerCase();
  if (name === undefined) {
    const choices = [...language.fields.values()]
      .filter((field) => field.name.startsWith(low))
      .map((field) => ({ text: field.name + (field.type === "time" || field.type === "size" ? ">" : ":"), about: `${field.meaning.split(/[.:;]/)[0]} · ${field.example}` }));
    return { from, choices: quote ? [] : choices };
  }
  const field = language.fields.get(language.aliases[name.toLowerCase()] ?? name.toLowerCase());
  const values = field ? valuesOf(field.name, trace, field.values) : [];
  const choices = values.filter(([value]) => value.toLowerCase().includes(low) && value !== typed)
    .sort(([one], [other]) => Number(other.toLowerCase().startsWith(low)) - Number(one.toLowerCase().startsWith(low)))
    .slice(0, MOST).map(([value, about]) => ({ text: written(value), about }));
  return { from, choices };
}

/** A value as it stands in a filter.
 * @param {string} value */
function written(value) {
  return /^[^\s()",*?]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/** What a trace has of a field, each with what it is.
 * @param {string} name
 * @param {Trace} trace
 * @param {string[]} known
 * @returns {[string, string][]} */
function valuesOf(name, { index, report, sessions, turns }, known) {
  const plain = (/** @type {string[]} */ all) => [...new Set(all)].map((text) => /** @type {[string, string]} */ ([text, ""]));
  switch (name) {
    case "method": return plain(index.methods);
    case "kind": return plain([...index.updates, ...known]);
    case "session": return [...sessions].map(([id, { name: called, title }]) => [called, safe(title || id)]);
    case "turn": return turns.map((turn) => [turn.name, safe(turn.prompt ?? "")]);
    case "finding": return plain(report.findings.map(({ code }) => code));
    case "severity": return plain(report.findings.map(({ severity }) => severity));
    case "error": return plain(report.exchanges.filter((each) => each.error_code != null).map((each) => String(each.error_code)));
    case "tool": return plain(report.sessions.flatMap(({ turns: own, outside_turns }) => [...own, outside_turns])
      .flatMap(({ tool_calls }) => tool_calls.flatMap(({ title, kind }) => [title ?? "", kind ?? ""])).filter(Boolean));
    default: return plain(known);
  }
}
