// Which frames the list of messages has: all with stderr and gaps between them, or those that pass filters.

import { FilterRows, logRow } from "../filter/rows.js";
import { fieldsOf, textsOf, wantsOf } from "../filter/matching.js";
import { languageOf } from "../filter/reader.js";
import { below } from "../order.js";
import { json } from "../source.js";
import { texts } from "../widgets/hits.js";
import { pause } from "../widgets/virtual.js";
import { JoinedRows } from "./joined.js";
import { sorted } from "./sorted.js";

/** @typedef {import("../trace.js").Trace} Trace */
/** @typedef {import("../documents.js").BetweenRow} Log */
/** @typedef {{ done: number, logs: number, all: number, state: "runs" | "stopped" | "over" }} Search  `logs`: how many of those are searched */

/** Filters, by their names in the fragment. */
export const FILTERS = ["q", "side", "kind", "method", "session", "turn"];

const SLICE = 1 << 18;
const TEXT_SLICE = 1 << 20;
const TOLD_MS = 100;
/** While a search runs, so many rows are sorted again at each step; more of them only at its end. */
const SORTED = 20000;

export class Rows {
  /**
   * @param {Trace} trace
   * @param {(isGrowth: boolean) => void} changed  called when there are other rows, or more, or the search has come further
   */
  constructor(trace, changed) {
    this.trace = trace;
    this.changed = changed;
    /** @type {Log[]} what stands between the frames */
    this.logs = [];
    /** @type {(number | Log)[] | null} the rows that pass; null: all */
    this.frames = null;
    /** @type {(number | Log)[]} the rows with the text, while all rows are shown */
    this.matches = [];
    /** @type {Map<number | Log, number | Log>} where the text stands in the rows with it */
    this.hits = new Map();
    /** @type {Search | null} how far the search has come */
    this.search = null;
    this.round = 0;
    /** @type {Record<string, string>} */
    this.by = {};
    /** @type {number[] | null} the frames that pass all filters but the text; null: all */
    this.passed = null;
    this.tested = 0;
    /** @type {JoinedRows | null} the rows that pass all filters but the text, if chunks are joined */
    this.joined = null;
    /** @type {(number | Log)[] | null} what `frames` is in order of time; null: all */
    this.inTime = null;
    this.isRead = this.readLogs();
    /** @type {import("../filter/reader.js").Node | null} what the filter says */
    this.tree = null;
  }

  get count() {
    return this.frames ? this.frames.length : this.trace.frames + this.logs.length;
  }

  /** What stands in a row: a frame, or what is between frames.
   * @param {number} index
   * @returns {number | Log} */
  at(index) {
    if (this.frames) return this.frames[index];
    const logs = below(this.logs.length, (at) => this.logs[at][0] + at < index);
    const log = this.logs[logs];
    return log && log[0] + logs === index ? log : index + 1 - logs;
  }

  /** The frame whose row a frame is in.
   * @param {number} frame */
  rowOf(frame) {
    return this.joined ? this.joined.rowOf(frame) : frame;
  }

  /** The row of a frame, or of the next one that is there; or that of a log.
   * @param {number | Log} what */
  indexOf(what) {
    const { frames, logs } = this;
    if (typeof what !== "number") return frames ? frames.indexOf(what) : what[0] + logs.indexOf(what);
    const row = this.rowOf(what);
    if (frames && this.by.sort) return frames.indexOf(row);
    if (frames) return below(frames.length, (at) => place(frames[at]) < row);
    return what - 1 + below(logs.length, (at) => logs[at][0] < what);
  }

  /** The match after a row, or before it.
   * @param {number | Log} here  frame 0: before all
   * @param {1 | -1} by
   * @returns {number | Log | undefined} */
  match(here, by) {
    const { matches } = this;
    if (this.by.sort) return this.#matchInSight(here, by);
    const at = matches.indexOf(here);
    const next = below(matches.length, (match) => place(matches[match]) < place(here));
    return matches[at >= 0 ? at + by : by > 0 ? next : next - 1];
  }

  /** The match below a row or above it, in rows that are sorted.
   * @param {number | Log} here
   * @param {1 | -1} by */
  #matchInSight(here, by) {
    const found = new Set(this.matches);
    let at = this.frames?.indexOf(here) ?? -1;
    do at += by; while (this.frames && at in this.frames && !found.has(this.frames[at]));
    return this.frames?.[at];
  }

  /** Reads what stands between the frames. A live trace gets more at the end; what is there stays the same. */
  async readLogs() {
    /** @type {Log[]} */
    const logs = await json(this.trace.source, `${this.trace.key}/logs.json`).catch(() => []);
    this.logs = this.logs.concat(logs.slice(this.logs.length));
  }

  /** Lets only those pass that these filters name. With `isAll`, the tree only marks.
   * @param {Record<string, string>} by
   * @param {boolean} isAll
   * @param {import("../filter/reader.js").Node | null} tree */
  async filter(by, isAll, tree) {
    const round = ++this.round;
    this.by = by;
    this.tree = tree;
    this.search = null;
    this.matches = [];
    this.hits = new Map();
    this.passed = this.#passing(by) && [];
    this.tested = 0;
    this.joined = by.join ? new JoinedRows(this.trace, new Set((by.open ?? "").split(",").map(Number).filter(Boolean))) : null;
    if (this.joined) await this.isRead;
    if (round !== this.round) return;
    await this.#test(round);
    if (round !== this.round) return;
    this.inTime = tree && !isAll ? this.matches : this.joined?.rows ?? this.passed;
    this.#tell(false);
    if (tree) await this.#find(round, tree);
  }

  /** Takes in what a live trace has got since: filters and search go on with that. */
  async grow() {
    const { round, search } = this;
    await this.readLogs();
    await this.#test(round);
    if (round !== this.round) return;
    if (search) search.all = this.passed?.length ?? this.trace.frames;
    this.#tell(true);
    if (search?.state === "over" && this.tree) this.#find(round, this.tree).catch(() => this.stop());
  }

  /** Ends the search where it is. */
  stop() {
    this.round++;
    if (this.search) this.search.state = "stopped";
    this.#tell(false);
  }

  /** Tells that there are other rows, or more; sorted ones are sorted again.
   * @param {boolean} isGrowth */
  #tell(isGrowth) {
    const { inTime, search } = this;
    const isLong = Number(inTime?.length) > SORTED && search?.state === "runs";
    if (!this.by.sort) this.frames = inTime;
    else if (!isLong || !this.frames) this.frames = sorted(this.trace, inTime, this.by.sort, this.joined);
    this.changed(isGrowth && !this.by.sort);
  }

  /** Looks which of the frames pass that were not looked at.
   * @param {number} round */
  async #test(round) {
    const { frames } = this.trace;
    const passes = this.#passing(this.by);
    const { joined } = this;
    if (!passes && !joined) return;
    while (this.tested < frames && round === this.round) {
      if (!passes) joined?.addLogs(this.logs, this.tested);
      const isOne = !passes || passes(this.tested);
      this.tested++;
      if (isOne) this.passed?.push(this.tested);
      if (isOne) joined?.add(this.tested);
      if (this.tested % SLICE === 0) await pause();
    }
    if (!passes) joined?.addLogs(this.logs, frames);
  }

  /** The text stands in a frame, or in a log.
   * @param {number | Log} what */
  #match(what) {
    const { hits, matches } = this;
    const row = typeof what === "number" ? this.rowOf(what) : what;
    if (hits.has(row)) return;
    hits.set(row, what);
    matches.splice(below(matches.length, (at) => place(matches[at]) < place(row)), 0, row);
  }

  /** @param {Record<string, string>} by
   * @returns {((at: number) => boolean) | null} */
  #passing({ side, kind, method, session, turn }) {
    const { columns, index } = this.trace;
    const of = (/** @type {string[]} */ names, /** @type {string} */ name) => names.indexOf(name) + 1 || -1;
    /** @type {((at: number) => boolean)[]} */
    const tests = [];
    const kinds = index.kinds.indexOf(kind);
    if (side) tests.push((at) => (columns.kind[at] & 1) === Number(side === "agent"));
    if (kind) tests.push((at) => columns.kind[at] >> 1 === kinds);
    if (method) {
      const [of_method, of_update] = [of(index.methods, method), of(index.updates, method)];
      tests.push((at) => columns.method[at] === of_method || columns.update[at] === of_update);
    }
    if (session) {
      const number = of(index.sessions, session);
      tests.push((at) => columns.session[at] === number);
    }
    if (turn) tests.push((at) => columns.turn[at] === Number(turn));
    return tests.length ? (at) => tests.every((test) => test(at)) : null;
  }

  /** Looks which frames a filter wants, and what stands between them if nothing else is filtered. Frames are read,
   * page by page, only if the columns do not say it.
   * @param {number} round
   * @param {import("../filter/reader.js").Node} tree */
  async #find(round, tree) {
    await this.isRead;
    const { trace, passed: among } = this;
    const fields = fieldsOf(tree);
    const wants = wantsOf(tree, languageOf(trace.index.filter));
    const rows = new FilterRows(trace);
    const read = reading(tree, fields);
    const isGrowth = Boolean(this.search);
    const search = this.search ??= { done: 0, logs: 0, all: among ? among.length : trace.frames, state: "runs" };
    search.state = "runs";
    const readLogs = (/** @type {number} */ before) => {
      for (; !among && search.logs < this.logs.length && this.logs[search.logs][0] < before; search.logs++) {
        const log = this.logs[search.logs];
        if (wants(logRow(log))) this.#match(log);
      }
    };
    let told = performance.now();
    while (search.done < search.all) {
      const number = trace.pageOf(among ? among[search.done] : search.done + 1);
      const first = trace.index.pages[number];
      const next = trace.index.pages[number + 1] ?? Infinity;
      /** @type {Uint8Array<ArrayBuffer>[] | null} */
      let frames = null;
      const before = search.done;
      while (search.done < search.all) {
        const frame = among ? among[search.done] : search.done + 1;
        if (frame >= next) break;
        readLogs(frame);
        let is = wants(rows.of(frame));
        if (is === undefined) {
          frames ??= await trace.lines(number);
          const data = frames[frame - first];
          if (!data && search.done > before) break; // the page of a live trace has grown
          is = data && wants(rows.of(frame, await read(data)));
        }
        if (is) this.#match(frame);
        search.done++;
      }
      if (round !== this.round) return;
      if (performance.now() - told < TOLD_MS) continue;
      this.#tell(isGrowth);
      await pause();
      told = performance.now();
    }
    readLogs(Infinity);
    search.state = "over";
    this.#tell(isGrowth);
  }
}

/** How the bytes of a frame become the text that a filter looks at. Of a large one these are only the texts that are
 * looked for and found in it, if nothing else is asked: it is decoded piece by piece.
 * @param {import("../filter/reader.js").Node} tree
 * @param {string[]} fields */
function reading(tree, fields) {
  const decoder = new TextDecoder();
  const wanted = textsOf(tree, true).flatMap(texts);
  const longest = Math.max(0, ...wanted.map((each) => each.length));
  const isParsed = ["tool", "id", "error", "is"].some((name) => fields.includes(name));
  return async (/** @type {Uint8Array<ArrayBuffer>} */ data) => {
    if (isParsed || data.length <= TEXT_SLICE) return decoder.decode(data);
    const found = new Set();
    for (let from = 0; from < data.length && found.size < wanted.length; from += TEXT_SLICE) {
      const piece = decoder.decode(data.subarray(from, from + TEXT_SLICE + 4 * longest)).toLowerCase();
      for (const each of wanted) if (piece.includes(each)) found.add(each);
      await pause();
    }
    return [...found].join("\n");
  };
}

/** Where a row stands: a log, behind its frame.
 * @param {number | Log} what */
function place(what) {
  return typeof what === "number" ? what : what[0] + 0.5;
}
