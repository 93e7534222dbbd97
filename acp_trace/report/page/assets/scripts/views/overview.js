// The view Overview: who talked to whom, the five questions answered, where each turn's time went, the findings.

import { e, h, renew } from "../dom.js";
import { counted, duration, number, safeLines, shorten } from "../format.js";
import { sessionMark } from "../sessions.js";
import { json } from "../source.js";
import { sideWords } from "../widgets/detail.js";
import { fold } from "../widgets/fold.js";
import { beyond, wideTable } from "../widgets/tables.js";
import { word } from "../widgets/words.js";

/** @typedef {import("../page.js").Page} Page */

const MOST = 200;
/** Lines of an answer that are not folded. */
const FEW = 5;
/** Methods whose latency is shown. */
const METHODS = 20;
/** Rows of tokens that are not folded. */
const TURNS = 12;
/** @type {import("../page.js").View} */
export const overview = {
  name: "overview",
  key: "o",
  create(page) {
    const element = e("div.overview");
    const read = async () => {
      /** @type {import("../documents.js").OverviewDocument} */
      const told = await json(page.source, `${page.trace.key}/overview.json`);
      const facts = e("section.facts", e("h2", "The trace"),
        e("dl", page.trace.index.about.rows.flatMap(([name, text]) => [e("dt", name), e("dd.text", text)])));
      renew(element,
        e("div.column", checked(page), answered(page, told.answers), turns(page, told.turns), findings(page, told.findings, told.stderr_left_out), failures(page, told.failures)),
        e("div.column", latency(page), spent(page, told.spent), facts));
    };
    read();
    return { element, grown: read };
  },
};

/** Who talked to whom, what broke the protocol, and how it ended: one line.
 * @param {any} of  a trace */
export function headline({ index: { about } }) {
  return [e("bdi.client", about.client), " ⇄ ", e("bdi.agent", about.agent), h("span", { class: `verdict ${about.mood}` }, about.verdict), e("span.faint", `${about.end} · `, e("span.frames", about.frames), about.took)];
}

/** What `check --html`, or `conform --html`, said. @param {Page} page */
function checked(page) {
  const { check } = page.document;
  return check && e("section", h("h2", { class: `verdict ${check.mood}` }, check.heading),
    check.rows.length > 0 && wideTable("Check", ["Outcome", check.names || "Budget or code", "What", "Frame"], e("tbody", check.rows.map(([outcome, name, said, trace, frame, label]) =>
      e("tr", e("td", outcome), e("td.mono", name), e("td.text.said", said),
        e("td", trace !== null && frame !== null && page.frame(frame, trace), label !== null && [" ", e("span.faint", label)])))), [], "wide.lines"));
}

/** @param {Page} page @param {import("../documents.js").AnsweredQuestion[]} answers */
function answered(page, answers) {
  const line = (/** @type {import("../documents.js").Line} */ { text, frame, view, at }) =>
    e("li", page.to(view, view === "messages" ? { frame } : at, e("span.text", text), " ", e("span.at", `#${frame}${page.trace.notes[frame] ? " ✎" : ""}`)));
  return h("section.answers", { "aria-label": "Questions" }, answers.map(({ question, answer, mood, lines, more }) =>
    h("article", { class: `mood-${mood}` }, e("h2", question), e("p.text", answer),
      e("ul", lines.slice(0, FEW).map(line)),
      lines.length > FEW && fold(`and ${number(lines.length - FEW + more)} more`, () => e("ul", lines.slice(FEW).map(line))))));
}

/** Where the time of turns went.
 * @param {Page} page
 * @param {import("../documents.js").TurnsDocument} told */
function turns(page, { legend, rows, more }) {
  const share = (/** @type {number} */ index) => `share-${index}`;
  return rows.length > 0 && e("section.turns", e("h2", legend.length ? "Where each turn's time went" : "Turns"),
    e("ul.legend", legend.map((/** @type {string} */ name, /** @type {number} */ index) => e("li", e(`span.swatch.${share(index)}`), name))),
    wideTable("Turns", ["Turn", "Took", e("span.unseen", "Shares"), "Ended", "Prompt", "Frame"],
      e("tbody", rows.map(([name, turn, took, ended, cancel, prompt, frame, shares, words, width]) => e("tr",
        e("td", page.to(legend.length ? "timeline" : "transcript", { turn }, name)), e("td.number", took),
        e("td.shares", h("span.bar", { role: "img", "aria-label": words || "not known", title: words, style: { width } },
          shares.map((/** @type {number} */ ns, /** @type {number} */ index) => h("span", { class: share(index), style: { "flex-grow": ns } })))),
        e("td.text", ended, ...cancel ? [" ", page.to("state", { cancel }, `#${cancel}`)] : []), e("td.text.said", prompt), e("td", page.frame(frame))))), [1], "wide.lines"),
    beyond(more, ": see the timeline"));
}

/** How long answers took, by method: the slowest first, as `show` has it.
 * @param {Page} page */
function latency(page) {
  const { latency, trace } = page.trace.report;
  const answeredOnes = latency.filter((row) => row.count > 0).sort((one, other) => (other.p95_ns ?? 0) - (one.p95_ns ?? 0));
  if (!answeredOnes.length || !trace.has_times) return null;
  return e("section.latency", e("h2", "How long answers took"),
    wideTable("Latency by method", ["Method", "n", "p50", "p95", "max"], e("tbody", answeredOnes.slice(0, METHODS).map((row) => e("tr",
      e("td", h("span", { class: row.sender, title: `asked by the ${row.sender}` }, sideWords(row.sender)[0]), " ", page.to("messages", { method: row.method, kind: "response", sort: "-took" }, word(row.method)),
        row.errors > 0 && e("span.bad", ` ${counted(row.errors, "error")}`), row.open > 0 && e("span.odd", ` ${number(row.open)} open`)),
      e("td.number", number(row.count)), ...[row.p50_ns, row.p95_ns, row.max_ns].map((ns) => e("td.number", duration(ns)))))), [1, 2, 3, 4]),
    beyond(answeredOnes.length - METHODS));
}

/** Tokens and cost, of all and of its parts.
 * @param {Page} page
 * @param {import("../documents.js").SpentDocument} told */
function spent(page, { sum, has_cached, has_cost, groups }) {
  const isKnown = [true, has_cached, true, has_cost];
  const known = (/** @type {any[]} */ texts) => texts.filter((_, at) => isKnown[at]);
  const heads = known(["In", "Cached", "Out", "Cost"]);
  return sum && e("section.spent", e("h2", has_cost ? "Tokens and cost" : "Tokens"), e("p.text", sum),
    groups.map(({ heading, rows }) => {
      const row = (/** @type {import("../documents.js").SpentRow} */ [name, [view, at], ...texts]) => e("tr", e("td", page.to(view, at, word(name))), known(texts).map((text) => e("td.number", text)));
      const table = () => wideTable(`Tokens by ${heading.toLowerCase()}`, [heading, ...heads], e("tbody", rows.map(row)), [1, 2, 3, 4]);
      return rows.length > TURNS ? fold(`By ${heading.toLowerCase()}: ${number(rows.length)}`, table) : table();
    }));
}

/** @param {Page} page @param {number[]} order
 * @param {Record<number, [number, string]>} leftOut  lines of stderr, by finding */
function findings(page, order, leftOut) {
  const found = page.trace.report.findings;
  return e("section.findings", e("h2", found.length ? `Findings: ${number(found.length)}` : "No findings"),
    found.length > 0 && wideTable("Findings", ["Severity", "Side", "Code", "Times", "What", "Frame"],
      e("tbody", order.slice(0, MOST).map((at) => [found[at], at]).filter(([finding]) => finding).map((/** @type {any} */ [finding, at]) => h("tr", { class: finding.severity },
        e("td", finding.severity), e("td", finding.blame), e("td.mono", finding.code), e("td.number.times", finding.count),
        e("td.text.said", ofSession(page, finding.session_id), safeLines(shorten(finding.message, 300)),
          finding.consequence_of === null ? "" : e("span.faint", ` follows from #${finding.consequence_of}`),
          stderr(page, (finding.stderr ?? []).map((/** @type {any} */ { line, frame }) => [line, frame ?? null]), leftOut[at])), e("td", page.frame(finding.frame))))), [], "wide.lines"),
    beyond(found.length - MOST));
}

/** Whose a finding is, if there are several sessions. @param {Page} page @param {string | null} id */
const ofSession = ({ trace }, id) => id && trace.sessions.size > 1 && trace.sessions.has(id) && [sessionMark(trace, id), ": "];

/** What the agent wrote to stderr at the same time; each line leads to its place among the messages.
 * @param {Page} page
 * @param {[string, number | null][]} lines @param {[number, string] | null} [more]  how many others there are, and the filter for all */
function stderr(page, lines, more) {
  return (lines.length > 0 || more) && h("ul.stderr", { "aria-label": "stderr" }, lines.map(([line, frame]) => e("li",
    frame ? page.to("messages", { frame: String(frame) }, "stderr") : e("span.faint", "stderr"), " ", word(line, "bdi.mono"))),
    more && e("li", page.to("messages", { q: more[1] }, lines.length ? `and ${number(more[0])} more` : counted(more[0], "line"))));
}

/** Requests that came to nothing.
 * @param {Page} page
 * @param {import("../documents.js").FailuresDocument} told */
function failures(page, { rows, more }) {
  return rows.length > 0 && e("section.failures", e("h2", `Failed or never answered: ${number(rows.length + more)}`),
    wideTable("Failed requests", ["Method", "Answer", "After", "What", "Frame"], e("tbody", rows.map(([sender, method, answer, took, said, lines, left, frame, status]) => e("tr",
      e("td", h("span", { class: sender, title: `asked by the ${sender}` }, sideWords(sender)[0]), "\u00a0", word(method)),
      e(status === "failed" ? "td.bad" : "td.odd", answer), e("td.number", took), e("td.text.said", said, stderr(page, lines, left)), e("td", page.frame(frame))))), [2], "wide.lines"),
    beyond(more, ": see the messages"));
}
