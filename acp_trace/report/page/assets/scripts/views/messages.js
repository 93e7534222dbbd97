// The view Messages: every frame of the trace as a row, with filters and search, and one of them in full beside it.

import { e, fill, h } from "../dom.js";
import { duration, number, safe, sinceStart, size } from "../format.js";
import { Detail, logText, sideWords } from "../widgets/detail.js";
import { Hits, withHit } from "../widgets/hits.js";
import { put, VirtualTable } from "../widgets/virtual.js";
import { controlsOf } from "./filters.js";
import { FILTERS, Rows } from "./rows.js";

/** @type {[string, string][]} */
const COLUMNS = [
  ["frame", "#"], ["time", "Time (s)"], ["after", "After"], ["side", "Side"], ["kind", "Kind"], ["method", "Method or update"],
  ["gist", "Gist"], ["session", "Session"], ["turn", "Turn"], ["took", "Took"], ["size", "Size"],
];
/** @type {Record<string, string>} as in `acp-trace frames` */
const KINDS = { request: "req", response: "res", notification: "ntf", invalid: "bad", text: "txt", bytes: "bin" };
const ROW = 24;
const WAIT_MS = 150;
const SESSION = 7;

/** @type {import("../page.js").View} */
export const messages = {
  name: "messages",
  key: "m",
  create(page) {
    const trace = page.trace;
    /** @type {Record<string, string>} */
    let at = {};
    /** @type {Set<number | import("./rows.js").Log> | null} */
    let matched = null;
    let timer = 0;
    /** The frame that is chosen; 0: none. */
    let current = 0;
    /** Whether one goes to the first match once it is found. */
    let isAwaited = false;

    const table = new VirtualTable({ label: "Messages", columns: COLUMNS, height: ROW, draw, choose, prepare });
    const detail = new Detail(page, () => leave());
    const rows = new Rows(trace, changed);
    const hits = new Hits(trace, () => table.redraw());
    const said = e("output.said");
    const stop = h("button", { onclick: () => rows.stop() }, "Stop");
    const controls = controlsOf(trace, (name, value) => {
      const { [name]: _, ...others } = at;
      if (isOpen() && current) others.frame = String(current);
      go(value ? { ...others, [name]: value } : others);
    }, (isFound) => {
      if (isFound) step(1);
      else isAwaited = true;
    });
    const pane = e("div.pane", table.element, detail.element);
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
      const [frame, time, after, side, kind, method, gist, session, turn, took, bytes] = tr.cells;
      if (typeof here !== "number") {
        tr.className = `log ${isMatch(here) ? "match" : ""}`;
        delete tr.dataset.frame;
        for (const cell of [frame, after, side, kind, session, turn, took, bytes]) put(cell, "");
        put(time, sinceStart(here[1]));
        put(method, here[2] === "gap" ? "gap" : "stderr");
        fill(gist, withHit(safe(logText(here[3])), at.q ?? ""));
        return;
      }
      const row = trace.row(here);
      const run = rows.joined?.runs.get(here);
      const isRun = Number(run?.count) > 1;
      const mark = (run ? run.mark : trace.marks.get(here)) ?? "";
      const isError = trace.errors.has(here);
      tr.dataset.frame = String(here);
      tr.className = `${row.side} ${mark} ${isError ? "failed" : ""} ${isMatch(here) ? "match" : ""}`;
      put(frame, (mark && "▲ ") + here + (run && isRun ? `–${run.last}` : ""));
      put(time, sinceStart(row.t));
      put(after, here > 1 ? duration(row.t - trace.t[here - 2]) : "");
      put(side, sideWords(row.side));
      put(kind, isError ? "err" : KINDS[row.kind] ?? row.kind);
      const name = (row.answers ? `#${row.answers} ` : "") + safe(row.update || row.method);
      const refresh = () => table.refresh();
      const words = run && isRun ? `×${number(run.count)} ${safe(trace.said(here, run.last, refresh))}` : safe(trace.gist(here, refresh));
      const isHit = at.q && (!at.all || isMatch(here));
      fill(method, isHit ? withHit(name, at.q) : name);
      fill(gist, isHit ? hits.of(Number(rows.hits.get(here) ?? here), words, name) : words);
      put(session, row.session && `…${safe(row.session.slice(-SESSION))}`);
      put(turn, row.turn ? trace.turns[row.turn - 1]?.turn ?? "" : "");
      put(took, row.answers ? duration(row.t - trace.t[row.answers - 1]) : run && isRun ? duration(trace.t[run.last - 1] - row.t) : "");
      put(bytes, size(run ? run.size : row.size));
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
      page.stay("messages", to);
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
        const isOther = FILTERS.concat("all", "join").some((name) => (to[name] ?? "") !== (at[name] ?? ""));
        const isThere = to.frame === at.frame && !isOther;
        at = to;
        current = Number(to.frame ?? 0);
        clearTimeout(timer);
        controls.set(at);
        if (isOther) hits.search(at.q ?? "");
        detail.search(at.q ?? "");
        if (current > 0 && current <= trace.frames) open(() => detail.show(current));
        else delete element.dataset.open;
        if (isOther || !table.count) rows.filter(at, Boolean(at.all)).then(found);
        else if (current && !isThere) seek(current);
      },
      keys: [
        ...table.keys(),
        ["/", "Search the messages", () => controls.search.select()],
        ["n", "Next match", () => step(1)], ["p", "Match before", () => step(-1)],
        ...detail.keys(),
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
