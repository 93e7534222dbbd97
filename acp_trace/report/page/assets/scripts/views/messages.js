// The view Messages: every frame of the trace as a row, with filters and search, and one of them in full beside it.

import { e, fill, h } from "../dom.js";
import { duration, number, safe, safeLines, sinceStart, size } from "../format.js";
import { sessionColour, sessionName, sessionWords, turnName } from "../sessions.js";
import { Detail, logText, sideWords } from "../widgets/detail.js";
import { textsOf } from "../filter/matching.js";
import { Hits, withHit } from "../widgets/hits.js";
import { put, VirtualTable } from "../widgets/virtual.js";
import { Waterfall } from "../widgets/waterfall.js";
import { controlsOf } from "./filters.js";
import { FILTERS, Rows } from "./rows.js";
import { sizeOf, sortHeadings, tookOf } from "./sorted.js";

/** @type {[string, string][]} */
const COLUMNS = [
  ["frame", "#"], ["time", "Time (s)"], ["after", "After"], ["side", "Side"], ["kind", "Kind"], ["method", "Method or update"],
  ["gist", "Gist"], ["session", "Session"], ["turn", "Turn"], ["took", "Took"], ["size", "Size"], ["waterfall", ""],
];
/** @type {Record<string, string>} as in `acp-trace frames` */
const KINDS = { request: "req", response: "res", notification: "ntf", invalid: "bad", text: "txt", bytes: "bin" };
const ROW = 24;
const WAIT_MS = 150;
/** What of the address changes which rows there are, or their order. */
const SHOWN = [...FILTERS, "all", "join", "open", "sort"];

/** @type {import("../page.js").View} */
export const messages = {
  name: "messages",
  key: "m",
  create(page) {
    const trace = page.trace;
    /** @type {Record<string, string>} */
    let at = {};
    /** The text that is marked: the first that the filter searches for. */
    let sought = "";
    /** @type {Set<number | import("./rows.js").Log> | null} */
    let matched = null;
    let timer = 0;
    /** The frame that is chosen; 0: none. */
    let current = 0;
    /** Whether one goes to the first match once it is found. */
    let isAwaited = false;

    const waterfall = new Waterfall();
    const headings = sortHeadings(() => at.sort ?? "", (sort) => set("sort", sort));
    const columns = COLUMNS.map(([name, words]) => /** @type {[string, any]} */ ([name, name === "waterfall" ? waterfall.heading : headings.of.get(name) ?? words]));
    const table = new VirtualTable({ label: "Messages", columns, height: ROW, draw, choose, prepare });
    const detail = new Detail(page, () => leave(), () => table.redraw());
    const rows = new Rows(trace, changed);
    const hits = new Hits(trace, () => table.redraw());
    const said = e("output.said");
    const stop = h("button", { onclick: () => rows.stop() }, "Stop");
    const controls = controlsOf(trace, set, (isFound) => {
      if (isFound) step(1);
      else isAwaited = true;
    });
    const none = h("div.none", { hidden: true, role: "status" }, e("p", "No matches"),
      h("button", { onclick: () => go(Object.fromEntries(Object.entries(at).filter(([name]) => !FILTERS.includes(name)))) }, "Clear filters"));
    const pane = e("div.pane", e("div.holder", table.element, none), detail.element);
    pane.classList.toggle("timeless", !trace.report.trace.has_times);
    table.table.addEventListener("click", unfold, true);
    const element = e("div.messages",
      h("div.filters", { role: "search" }, controls.labels, stop, said), pane);
    rows.isRead.then(() => {
      changed(false);
      if (current) seek(current);
    });

    /**
     * @param {HTMLTableRowElement} tr
     * @param {number} index
     */
    function draw(tr, index) {
      const here = rows.at(index);
      const [frame, time, after, side, kind, method, gist, session, turn, took, bytes, bar] = tr.cells;
      tr.title = typeof here === "number" ? safeLines(trace.notes[here] ?? "") : "";
      if (typeof here !== "number") {
        tr.className = `log ${isMatch(here) ? "match" : ""}`;
        delete tr.dataset.frame;
        for (const cell of [frame, after, side, kind, session, turn, took, bytes]) put(cell, "");
        fill(bar); // a row is used again, and a bar has no text
        session.className = "session";
        session.title = "";
        put(time, sinceStart(here[1]));
        put(method, here[2] === "gap" ? "gap" : "stderr");
        fill(gist, e("span.rest", withHit(safe(logText(here[3])), sought))); // as wide as all columns behind it
        return;
      }
      const row = trace.row(here);
      const { joined } = rows;
      const run = joined?.runOf(here);
      const isUnfolded = joined && joined.unfolded.has(row.message);
      const mark = (run ? run.mark : trace.marks.get(here)) ?? "";
      const isError = trace.errors.has(here);
      tr.dataset.frame = String(here);
      tr.className = `${row.side} ${mark} ${isError ? "failed" : ""} ${isMatch(here) ? "match" : ""}`;
      tr.classList.toggle("chunk", Boolean(isUnfolded) && row.message !== here);
      put(frame, (mark && "▲ ") + (trace.notes[here] ? "✎ " : "") + here + (run ? `–${run.last}` : ""));
      put(time, sinceStart(row.t));
      put(after, here > 1 ? duration(row.t - trace.t[here - 2]) : "");
      const [arrow, word] = sideWords(row.side).split(" ");
      if (side.textContent !== `${arrow} ${word}`) fill(side, arrow, e("span", ` ${word}`));
      put(kind, isError ? "err" : KINDS[row.kind] ?? row.kind);
      const name = (row.answers ? `#${row.answers} ` : "") + safe(row.update || row.method);
      const refresh = () => table.refresh();
      const words = run ? `×${number(run.count)} ${safe(trace.said(here, run.last, refresh))}` : safe(trace.gist(here, refresh));
      const isHit = sought && (!at.all || isMatch(here));
      fill(method, isHit ? withHit(name, sought) : name);
      fill(gist, run || (isUnfolded && row.message === here) ? h("span", { "aria-hidden": "true", class: `unfold ${run ? "" : "open"}`, title: run ? "Unfold the chunks (→)" : "Fold the chunks (←)" }) : "",
        isHit ? hits.of(Number(rows.hits.get(here) ?? here), words, name) : words);
      put(session, row.session && sessionName(trace, row.session));
      session.className = `session ${row.session && sessionColour(trace, row.session)}`;
      session.title = row.session ? sessionWords(trace, row.session) : "";
      put(turn, row.turn ? turnName(trace, trace.turns[row.turn - 1]) : "");
      const ns = tookOf(trace, here, joined);
      put(took, isNaN(ns) ? "" : duration(ns));
      put(bytes, size(sizeOf(trace, here, joined)));
      barOf(bar, row, run);
    }

    /** The bar of a row: from a request to its answer, or over the chunks of a message.
     * @param {Element} cell
     * @param {import("../trace.js").Row} row
     * @param {import("./joined.js").Run | undefined} run */
    function barOf(cell, { frame, t, side, kind, answers, answered }, run) {
      const at = (/** @type {number} */ other) => trace.t[other - 1];
      const failed = trace.errors.has(answers ? frame : answered) ? "failed" : "";
      const isOpen = kind === "request" && !answered;
      const [from, to] = answers ? [at(answers), t] : [t, run ? at(run.last) : answered ? at(answered) : isOpen ? trace.t[trace.frames - 1] : t];
      if (!cell.firstElementChild) fill(cell, e("i"));
      waterfall.draw(/** @type {Element} */ (cell.firstElementChild), from, to, `${side} ${answers ? "end" : ""} ${isOpen ? "open" : ""} ${failed}`);
    }

    /** The time that the waterfall shows: that of the rows that are there. */
    function spread() {
      const { inTime } = rows;
      const frameOf = (/** @type {number | import("./rows.js").Log | undefined} */ row) => Math.max(1, Number(typeof row === "object" ? row[0] : row));
      const first = inTime ? frameOf(inTime[0]) : 1;
      const last = inTime ? frameOf(inTime.at(-1)) : trace.frames;
      const { answers, answered } = trace.columns;
      const start = answers[first - 1] || first;
      const end = Math.max(last, answered[last - 1], rows.joined?.runOf(last)?.last ?? 0);
      if (inTime?.length !== 0 && trace.frames) waterfall.set(trace.t[start - 1], trace.t[end - 1]);
    }

    /** Shows the chunks of a row, or hides them. Those that are shown are in the address.
     * @param {Event} event */
    function unfold(event) {
      const sign = /** @type {Element} */ (event.target).closest(".unfold");
      if (!sign) return;
      event.stopPropagation();
      turn(rows.at(table.rowOf(event)), !sign.matches(".open"));
    }

    /** @param {number | import("./rows.js").Log} row
     * @param {boolean} isOpened */
    function turn(row, isOpened) {
      const first = typeof row === "number" ? trace.columns.message[row - 1] : 0;
      const all = new Set(rows.joined?.unfolded);
      if (!rows.joined || !first || all.has(first) === isOpened || (isOpened && !rows.joined.runOf(first))) return;
      if (isOpened) all.add(first);
      else all.delete(first);
      if (!isOpened && current) current = first;
      set("open", [...all].join(","));
    }

    /** One thing of the address is other than before.
     * @param {string} name
     * @param {string} value */
    function set(name, value) {
      const { [name]: _, ...others } = at;
      if (isOpen() && current) others.frame = String(current);
      go(value ? { ...others, [name]: value } : others);
    }

    /** @param {number} from
     * @param {number} to */
    async function prepare(from, to) {
      for (let at = from; at < to; at++) {
        const here = rows.at(at);
        if (typeof here === "number") await trace.readGist(here);
      }
    }

    /** @param {number | import("./rows.js").Log} here */
    function isMatch(here) {
      return at.all && (matched ??= new Set(rows.matches)).has(here);
    }

    /** One is at another row: the address follows when one stays there.
     * @param {number} index
     * @param {boolean} isOpened */
    function choose(index, isOpened) {
      const row = rows.at(index);
      const here = rows.hits.get(row) ?? row;
      clearTimeout(timer);
      current = typeof here === "number" ? here : 0;
      if (typeof here !== "number") {
        if (isOpened || isOpen()) open(() => detail.showLog(here));
        return;
      }
      if (isOpened || isOpen()) open(() => detail.show(here));
      timer = setTimeout(() => element.isConnected && go({ ...at, frame: String(here) }), WAIT_MS);
    }

    /** @param {boolean} isGrowth  there are more rows, and those before are the same */
    function changed(isGrowth) {
      matched = null;
      spread();
      headings.tell();
      none.hidden = rows.count > 0 || rows.search?.state === "runs";
      if (isGrowth) table.grow(rows.count);
      else {
        const chosen = current ? rows.indexOf(current) : -1;
        table.chosen = rows.at(chosen) === rows.rowOf(current) ? chosen : -1;
        table.set(rows.count);
      }
      const { search } = rows;
      stop.hidden = search?.state !== "runs";
      const all = number(trace.frames);
      if (!search) return put(said, rows.frames ? `${number(rows.count - (rows.joined?.logs ?? 0))} ${rows.joined ? "rows of" : "of"} ${all} frames` : `${all} frames`);
      const found = `${number(rows.matches.length)} match${rows.matches.length === 1 ? "" : "es"}`;
      const where = `${number(search.all)} frames${!rows.passed && rows.logs.length ? " and stderr" : ""}`;
      put(said, search.done < search.all ? `${search.state === "stopped" ? "stopped: " : ""}searched ${number(search.done)} of ${where}, ${found}` : `${found} in ${where}`);
    }

    /** @param {Record<string, string>} to */
    function go(to) {
      page.stay("messages", { session: "", ...to });
    }

    /** @param {number} frame */
    function seek(frame) {
      const index = rows.indexOf(frame);
      if (rows.at(index) === rows.rowOf(frame)) table.go(index, { isQuiet: true });
    }

    function isOpen() {
      return element.hasAttribute("data-open");
    }

    /** @param {() => void} show */
    function open(show) {
      element.dataset.open = "";
      show();
    }

    function leave() {
      delete element.dataset.open;
      const { frame: _, ...others } = at;
      detail.frame = 0;
      go(others);
      table.table.focus({ preventScroll: true });
    }

    function found() {
      if (isAwaited) step(1);
      else if (current) seek(current);
      isAwaited = false;
    }

    /** The next match, from where one is.
     * @param {1 | -1} by */
    function step(by) {
      const { matches } = rows;
      const match = rows.match(table.chosen < 0 ? current : rows.at(table.chosen), by) ?? matches.at(by > 0 ? 0 : -1);
      if (match) table.go(rows.indexOf(match), { isOpened: true });
    }

    return {
      element,
      show(to) {
        const isOther = SHOWN.some((name) => (to[name] ?? "") !== (at[name] ?? ""));
        const isThere = to.frame === at.frame && !isOther;
        at = to;
        current = Number(to.frame ?? 0);
        clearTimeout(timer);
        const tree = controls.set(at);
        sought = (tree && textsOf(tree)[0]) ?? "";
        if (isOther) hits.search(sought);
        detail.search(sought);
        if (current > 0 && current <= trace.frames) open(() => detail.show(current));
        else delete element.dataset.open;
        if (isOther || !table.count) rows.filter(at, Boolean(at.all), tree).then(found);
        else if (current && !isThere) seek(current);
      },
      keys: [
        ...table.keys(),
        ["/", "Search the messages", () => controls.search.select()],
        ["n", "Next match", () => step(1)], ["p", "Match before", () => step(-1)],
        ...detail.keys(),
        ["ArrowRight", "Unfold the chunks of a row", () => turn(rows.at(table.chosen), true)],
        ["ArrowLeft", "Fold them", () => turn(rows.at(table.chosen), false)],
        ["x", "To the other message of the exchange", () => {
          const row = current && trace.row(current);
          if (row && (row.answers || row.answered)) go({ ...at, frame: String(row.answers || row.answered) });
        }],
        ["Escape", "Close the message", leave],
      ],
      grown() {
        controls.grow();
        detail.grown();
        return rows.grow();
      },
    };
  },
};
