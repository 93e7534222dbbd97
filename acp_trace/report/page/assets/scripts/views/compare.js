// The view Compare: what differs, by cause, and both traces side by side, aligned as `diff` aligns them.

import { e, fill, h } from "../dom.js";
import { number, safe, shorten } from "../format.js";
import { moves, word } from "../widgets/words.js";
import { blocks, json } from "../source.js";
import { sideWords } from "../widgets/detail.js";
import { put, VirtualTable } from "../widgets/virtual.js";
import { differences, OTHER, parsed, signed } from "./differences.js";
import { callAsValue } from "./model.js";

const ROW = 24;
/** Calls of a model that are named. */
const CALLS = 12;
/** @type {[string, import("../dom.js").Child][]} */
const SIDES = [["sign", e("span.words", "Differs")], ["number", "#"], ["said", "Expected"], ["number", "#"], ["said", "Actual"]];

/** @typedef {import("../documents.js").ComparedCause} Cause */

/** @type {import("../page.js").View} */
export const compare = {
  name: "compare",
  key: "d",
  isAvailable: (page) => Boolean(page.document.comparisons?.length),
  create(page) {
    const { comparisons = [] } = page.document;
    const of = page.comparison;
    const traces = [page.traces.get(of.expected), page.traces.get(of.actual)];
    /** @type {any} the document of `diff --json` */
    let diff = null;
    /** @type {import("../documents.js").AlignmentDocument} */
    let aligned = /** @type {any} */ (null);
    /** @type {Uint32Array[]} frames of both traces and divergences (from 1), by row */
    let rows = [];
    /** @type {number[]} divergences in the order of the list */
    let listed = [];
    /** @type {number[] | null} the rows that are shown; null: all */
    let shown = null;
    let chosen = -1;
    let timer = 0;

    const table = new VirtualTable({ label: "Both traces side by side", columns: SIDES, height: ROW, draw, choose });
    const only = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", onchange: () => stay(page.place.at) }));
    const list = h("nav.causes", { "aria-label": "Divergences", tabindex: -1 });
    const detail = h("section.pair", { "aria-label": "What differs", tabindex: -1 });
    const element = e("div.compare", list, e("div.sides", e("div.top", e("label.only", only, " Only differences"), table.element), detail));
    const ready = read();

    async function read() {
      [diff, aligned] = await Promise.all(["diff", "alignment"].map((name) => json(page.source, `${of.actual}/${name}.json`)));
      const read = await blocks(page.source, `${of.actual}/alignment`, Math.ceil(aligned.rows / aligned.block));
      rows = [0, 1, 2].map(() => new Uint32Array(aligned.rows));
      read.forEach((bytes, at) => {
        const column = bytes.length / 12;
        rows.forEach((numbers, which) =>
          numbers.set(new Uint32Array(bytes.buffer, bytes.byteOffset + which * column * 4, column), at * aligned.block));
      });
      const all = (/** @type {Cause} */ cause) => [cause.first, ...cause.repeats, ...cause.consequences];
      listed = [...aligned.prompts, ...aligned.causes, ...aligned.notes].flatMap(all);
      fill(list, ...[head(), group("Prompts differ: that may be the cause of all", aligned.prompts), group("Divergences", aligned.causes), group("Notes", aligned.notes)].flat());
      table.set(aligned.rows);
    }

    function head() {
      const sides = [["Expected", diff.expected, of.expected], ["Actual", diff.got, of.actual]];
      return [
        h("h1", { class: diff.equal ? "good" : "error" }, `${diff.equal ? "✓" : "≠"} ${aligned.verdict}`),
        comparisons.length > 1 && e("ul.runs", comparisons.map((each) => e("li",
          each === of ? e("strong", safe(each.label)) : page.link({ view: "compare", trace: each.actual }, safe(each.label)), each.equal ? " ✓ equal" : " ≠ differs"))),
        e("table", sides.map(([words, trace, key]) => e("tr",
          h("th", { scope: "row" }, words),
          e("td", page.link({ view: "messages", trace: key }, word(trace.name)), e("br"), `${number(trace.frames)} frames`)))),
        ...aligned.about.map((/** @type {string} */ text) => e("p", word(text))),
      ];
    }

    const group = (/** @type {string} */ heading, /** @type {Cause[]} */ causes) => causes.length > 0 && [
      e("h2", heading),
      e("ol", causes.map((cause) => e("li", item(cause.first, cause.count), more("like it", cause.repeats), more("that follow from it", cause.consequences)))),
    ];
    const more = (/** @type {string} */ words, /** @type {number[]} */ divergences) => divergences.length > 0
      && e("details", e("summary", `${number(divergences.length)} ${words}`), e("ol", divergences.map((at) => e("li", item(at, 1)))));
    const sign = (/** @type {any} */ { severity, code }) => `${severity === "error" ? "≠" : "·"} ${code}`;

    /**
     * @param {number} at
     * @param {number} count
     */
    function item(at, count) {
      const divergence = diff.divergences[at];
      const link = page.link({ view: "compare", at: { divergence: at } },
        h("b", { class: divergence.severity }, `${sign(divergence)}${count > 1 ? ` × ${number(count)}` : ""}`),
        word(divergence.message), e("small", divergence.session && `${divergence.session} · `, safe(aligned.facts[at]), at === aligned.first && e("strong", " · first in the trace")));
      link.dataset.divergence = String(at);
      return link;
    }

    /** What of a row is reported of another one.
     * @param {number} index */
    function elsewhere(index) {
      const [told] = aligned.elsewhere[index] ?? [];
      return told && `≈ see ${diff.divergences[told[0]].code}`;
    }

    /**
     * @param {HTMLTableRowElement} tr
     * @param {number} at
     */
    function draw(tr, at) {
      const index = shown ? shown[at] : at;
      const [differs, ...cells] = tr.cells;
      const divergence = diff.divergences[rows[2][index] - 1];
      const isAlone = !rows[0][index] || !rows[1][index];
      tr.className = divergence ? divergence.severity : isAlone ? "alone" : "";
      const [was, now] = traces.map((trace, side) => trace?.gist(rows[side][index], () => table.refresh()));
      fill(differs, ...signed(divergence ? sign(divergence) : !isAlone ? elsewhere(index) ?? (was === now ? "" : OTHER) : rows[0][index] ? "− expected only" : "+ actual only"));
      traces.forEach((trace, side) => {
        const frame = rows[side][index];
        const row = frame && trace ? trace.row(frame) : null;
        put(cells[2 * side], row ? frame : "");
        put(cells[2 * side + 1], row ? `${sideWords(row.side)[0]} ${row.kind === "response" ? "↩ " : ""}${safe(`${row.update || row.method || row.kind}  ${trace?.gist(frame, () => table.refresh())}`)}` : "");
      });
    }

    /** Goes to a place in this view, with what is hidden as it is now.
     * @param {Record<string, any>} at */
    function stay({ only: _, ...at }) {
      page.stay("compare", only.checked ? { ...at, only: 1 } : at);
    }

    /** Shows all rows, or those that differ. */
    function narrow() {
      const isNarrow = only.checked;
      detail.classList.toggle("only", isNarrow);
      if (isNarrow === (shown !== null)) return;
      shown = isNarrow ? [...rows[2].keys()].filter((at) => rows[2][at] || !rows[0][at] || !rows[1][at] || aligned.elsewhere[at]) : null;
      table.set(shown?.length ?? aligned.rows);
      table.redraw();
    }

    /** One goes to a row: the address follows when one stays there.
     * @param {number} at
     * @param {boolean} isOpened */
    function choose(at, isOpened) {
      const index = shown ? shown[at] : at;
      const divergence = rows[2][index] - 1;
      open(divergence, index);
      clearTimeout(timer);
      timer = setTimeout(() => element.isConnected && stay(divergence < 0 ? { row: index } : { divergence }), 150);
      if (isOpened) detail.focus({ preventScroll: true });
    }

    /** Shows a divergence, or a row without one.
     * @param {number} divergence
     * @param {number} index */
    async function open(divergence, index) {
      chosen = divergence;
      for (const link of list.querySelectorAll("a[data-divergence]")) {
        const isCurrent = link.getAttribute("data-divergence") === String(divergence);
        link.toggleAttribute("aria-current", isCurrent);
        if (!isCurrent) continue;
        const details = link.closest("details");
        if (details) details.open = true;
        link.scrollIntoView({ block: "nearest" });
      }
      const told = diff.divergences[divergence];
      const frames = index >= 0 ? [rows[0][index], rows[1][index]] : [0, 0];
      if (told) [told.expected_frame, told.got_frame].forEach((frame, side) => (frames[side] = frame ?? frames[side]));
      const key = `${divergence} ${frames}`;
      if (detail.dataset.shown === key) return;
      detail.dataset.shown = key;
      const content = e("div");
      const pair = !frames.some(Boolean) ? [] : frames.map((frame, side) => [side ? " · actual " : "expected ", frame ? page.frame(frame, traces[side]?.key) : "nothing"]);
      const others = told ? [] : aligned.elsewhere[index] ?? [];
      fill(detail,
        e("h2", told ? [h("b", { class: told.severity }, `${sign(told)} `), word(told.message)] : others.length ? "Reported of other messages" : "No divergence"),
        e("p", ...pair.flat()),
        others.length > 0 && e("div.causes", e("ol", others.map((/** @type {[number, string]} */ [at]) => e("li", item(at, 1))))),
        content);
      const calls = aligned.calls[divergence];
      if (calls) return fill(content, ...await callsOf(calls, key));
      const texts = await Promise.all(frames.map((frame, side) => (frame ? traces[side]?.text(frame) : undefined)));
      if (detail.dataset.shown !== key) return;
      const masked = new Set([aligned.masked.expected[frames[0]], aligned.masked.actual[frames[1]]].flatMap((pointers) => pointers ?? []));
      if (texts.some((text) => text !== undefined)) fill(content, ...differences(texts.map((text) => (text === undefined ? text : parsed(text))), masked,
        [...diff.divergences.filter((/** @type {any} */ each) => each.expected_frame === frames[0] && each.got_frame === frames[1]), ...others.map(([, pointer]) => ({ pointer }))], told?.pointer, aligned.ids));
    }

    /** What both agents told their model: the first of the calls that differ, beside each other.
     * @param {number[][]} calls  their numbers, of both traces
     * @param {string} key */
    async function callsOf(calls, key) {
      const first = calls.map((numbers) => numbers[0]);
      const values = await Promise.all(first.map((call, side) => (call && traces[side] ? callAsValue(traces[side], call).catch(() => undefined) : undefined)));
      if (detail.dataset.shown !== key) return [];
      const links = calls.map((numbers, side) => e("span", side ? " · actual " : "expected ", numbers.length ? numbers.slice(0, CALLS).flatMap((call, at) =>
        [at ? ", " : "", page.link({ view: "model", trace: traces[side]?.key, at: { call } }, `call ${call}`)]) : "nothing", numbers.length > CALLS && ` and ${numbers.length - CALLS} more`));
      return [e("p", ...links), ...values.some(Boolean) ? differences(values, new Set(), [{}], undefined, []) : [e("p", "This page does not contain the messages of these calls.")]];
    }

    /** The next divergence, or the one before.
     * @param {1 | -1} by */
    function step(by) {
      if (!listed.length) return;
      const at = listed.indexOf(chosen);
      const next = listed[at < 0 ? (by > 0 ? 0 : listed.length - 1) : (at + by + listed.length) % listed.length];
      stay({ divergence: next });
    }

    return {
      element,
      async show(at) {
        await ready;
        only.checked = Boolean(at.only);
        narrow();
        const divergence = at.divergence ? Number(at.divergence) : -1;
        if (at.divergence && !diff.divergences[divergence]) page.warn(`Divergence ${safe(shorten(at.divergence, 40))} does not exist: there are ${number(diff.divergences.length)}, from 0`);
        const index = diff.divergences[divergence] ? aligned.places[divergence] : at.row ? Number(at.row) : -1;
        if (diff.divergences[divergence] || index >= 0) {
          const place = shown ? shown.indexOf(index) : index;
          if (place >= 0) table.go(place, { isQuiet: true });
          open(divergence, index);
        } else if (listed.length && !at.row) stay({ divergence: aligned.causes[0]?.first ?? listed[0] });
        else table.refresh();
      },
      keys: [
        ...moves("divergence", step, ["n"], ["p"]),
        ...table.keys(),
      ],
    };
  },
};
