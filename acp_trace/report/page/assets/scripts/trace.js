// One trace as the views read it: its report, the columns of all frames, and frames page by page.

import { below } from "./order.js";
import { blocks, json } from "./source.js";

/**
 * @typedef {object} Row
 * One frame as lists show it. Times are ns. `answers` and `answered` are frames, `turn` and `stream` count from 1;
 * 0: none.
 * @property {number} frame
 * @property {number} t
 * @property {"client" | "agent"} side
 * @property {string} kind
 * @property {string} method
 * @property {string} update
 * @property {string} session
 * @property {number} size
 * @property {number} answers
 * @property {number} answered
 * @property {number} turn
 * @property {number} stream
 * @property {number} message  of a chunk, the frame with which its message begins
 */

/** @typedef {import("./source.js").Source} Source */
/** @typedef {import("./documents.js").TurnReport & { session_id: string }} Turn  its `name` is such as `S2.0` */

const KEPT_PAGES = 64;
/** Characters of a message that a row shows at most, and in how many frames they are looked for. */
const SAID = 240;
const MOST_CHUNKS = 500;

export class Trace {
  /**
   * @param {Source} from
   * @param {string} key
   */
  constructor(from, key) {
    this.source = from;
    this.key = key;
    /** @type {import("./documents.js").Report} the document of `show --json` */
    this.report = /** @type {any} */ (null);
    /** @type {import("./documents.js").IndexDocument} */
    this.index = /** @type {any} */ (null);
    /** @type {Turn[]} all turns in the order of their frames */
    this.turns = [];
    /** @type {Map<string, { name: string, title: string | null }>} by id; see sessions.js */
    this.sessions = new Map();
    /** @type {Map<number, string>} the severities of findings, by frame */
    this.marks = new Map();
    /** @type {Set<number | null>} responses that are errors */
    this.errors = new Set();
    /** @type {Float64Array} ns of each frame; frame 1 stands at 0 */
    this.t = new Float64Array(0);
    /** @type {Record<string, Uint32Array | Uint8Array>} */
    this.columns = {};
    /** @type {Map<number, Promise<Uint8Array<ArrayBuffer>[]>>} */
    this.pages = new Map();
    /** @type {Map<number, { said: string[], last: number }>} what the frames of a page say, up to a frame */
    this.gists = new Map();
    this.isReading = false;
    /** @type {Record<string, string>} notes on frames, which only a server has */
    this.notes = {};
  }

  /** How many frames it has. */
  get frames() {
    return this.index.frames;
  }

  /** What is needed before anything can be shown. */
  async open() {
    if (this.source.live) this.notes = await json(this.source, `${this.key}/notes.json`).catch(() => ({}));
    return this.#read(await json(this.source, `${this.key}/index.json`));
  }

  /** The index comes first: a live trace stands still until it is asked for again.
   * @param {import("./documents.js").IndexDocument} index */
  async #read(index) {
    const report = await json(this.source, `${this.key}/report.json`);
    const columns = await this.#columns(index, report.trace.has_times);
    Object.assign(this, { index, report, ...columns });
    const { sessions, findings, exchanges } = this.report;
    this.sessions = new Map(sessions.map(({ session_id, name, title }) => [session_id, { name, title }]));
    this.turns = sessions
      .flatMap(({ session_id, turns }) => turns.map((turn) => ({
        ...turn, session_id, prompt: turn.prompt && turn.prompt + (turn.prompt_cut ? "…" : ""),
      })))
      .sort((one, other) => one.frame - other.frame);
    this.marks = new Map(findings.map(({ frame, severity }) => [frame, severity]));
    this.errors = new Set(exchanges.filter(({ outcome }) => outcome === "error").map((each) => each.response_frame));
    return this;
  }

  /** Reads what a live trace has got since; whether there is more than before, or it has ended. */
  async grow() {
    const index = await json(this.source, `${this.key}/index.json`);
    if (index.seen === this.index.seen && index.live) return false;
    const last = this.index.pages.length - 1;
    await this.#read(index);
    this.pages.delete(last);
    return true;
  }

  /** One frame.
   * @param {number} frame
   * @returns {Row} */
  row(frame) {
    const at = frame - 1;
    const columns = this.columns;
    const kind = columns.kind[at];
    return {
      frame,
      t: this.t[at],
      side: kind & 1 ? "agent" : "client",
      kind: this.index.kinds[kind >> 1],
      method: this.index.methods[columns.method[at] - 1] ?? "",
      update: this.index.updates[columns.update[at] - 1] ?? "",
      session: this.index.sessions[columns.session[at] - 1] ?? "",
      size: columns.size[at],
      answers: columns.answers[at],
      answered: columns.answered[at],
      turn: columns.turn[at],
      stream: columns.stream[at],
      message: columns.message[at],
    };
  }

  /** The bytes of a frame, as they were on the wire.
   * @param {number} frame
   * @returns {Promise<Uint8Array<ArrayBuffer>>} */
  async raw(frame) {
    const page = this.pageOf(frame);
    return (await this.page(page))[frame - this.index.pages[page]] ?? new Uint8Array();
  }

  /** A frame as text.
   * @param {number} frame */
  async text(frame) {
    return new TextDecoder().decode(await this.raw(frame));
  }

  /** A frame as JSON; undefined if it is none.
   * @param {number} frame
   * @returns {Promise<any>} */
  async message(frame) {
    try {
      return JSON.parse(await this.text(frame));
    } catch {
      return undefined;
    }
  }

  /** The number of the page with a frame.
   * @param {number} frame */
  pageOf(frame) {
    const { pages } = this.index;
    return Math.max(0, below(pages.length, (at) => pages[at] <= frame) - 1);
  }

  /** All frames of a page; the last pages that were read are kept.
   * @param {number} number
   * @returns {Promise<Uint8Array<ArrayBuffer>[]>} */
  page(number) {
    let page = this.pages.get(number);
    if (!page) {
      page = this.lines(number);
      this.pages.set(number, page);
      const [oldest] = this.pages.keys();
      if (this.pages.size > KEPT_PAGES) this.pages.delete(oldest);
    }
    return page;
  }

  /** All frames of a page, which is not kept: for who reads them all.
   * @param {number} number
   * @returns {Promise<Uint8Array<ArrayBuffer>[]>} */
  lines(number) {
    return this.source.bytes(`${this.key}/frames/${number}`).then(lines);
  }

  /** What a frame says in a few words. If that is not yet read, it is read, one page at a time, and `then` is called.
   * @param {number} frame
   * @param {() => void} then
   * @returns {string} */
  gist(frame, then) {
    const page = this.pageOf(frame);
    const gists = this.gists.get(page);
    if (!this.isReading && !(gists && gists.last >= frame)) {
      this.isReading = true;
      const last = this.frames;
      if (this.gists.size > KEPT_PAGES) this.gists.delete([...this.gists.keys()][0]);
      json(this.source, `${this.key}/gists/${page}`).catch(() => []).then((said) => {
        this.gists.set(page, { said, last });
        this.isReading = false;
        then();
      });
    }
    return gists?.said[frame - this.index.pages[page]] ?? "";
  }

  /** What a message says in a few words; see `gist`.
   * @param {number} first  the frame with which it begins
   * @param {number} last
   * @param {() => void} then
   * @returns {string} */
  said(first, last, then) {
    const { message } = this.columns;
    let words = "";
    for (let frame = first; frame <= last && frame < first + MOST_CHUNKS && words.length < SAID; frame++) {
      if (message[frame - 1] === first) words += this.gist(frame, then).replace(/^"|"$/g, "");
    }
    return `"${words}"`;
  }

  /** Reads what a frame says, so that `gist` has it.
   * @param {number} frame */
  async readGist(frame) {
    while (!(Number(this.gists.get(this.pageOf(frame))?.last) >= frame)) {
      this.gist(frame, () => {});
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** @param {import("./documents.js").IndexDocument} index
   * @param {boolean} isTimed */
  async #columns({ frames, block, layout, far }, isTimed) {
    const read = await blocks(this.source, `${this.key}/columns`, Math.ceil(frames / block));
    /** @type {Record<string, Uint32Array | Uint8Array>} */
    const columns = {};
    for (const [name, width] of layout) columns[name] = width === 1 ? new Uint8Array(frames) : new Uint32Array(frames);
    read.forEach((bytes, number) => {
      const rows = bytes.length / layout.reduce((/** @type {number} */ sum, [, width]) => sum + width, 0);
      let at = 0;
      for (const [name, width] of layout) {
        const piece = bytes.slice(at, at + Math.min(rows, frames - number * block) * width);
        columns[name].set(width === 1 ? piece : new Uint32Array(piece.buffer), number * block);
        at += rows * width;
      }
    });
    const times = new Map(far);
    const t = new Float64Array(frames);
    let last = 0;
    for (let at = 0; at < frames; at++) {
      last = /** @type {number} */ (columns.t[at] === 0xffffffff ? times.get(at + 1) ?? last : last + columns.t[at]);
      t[at] = isTimed ? last : NaN; // the log of another tool may have no times: then none is shown
    }
    return { columns, t };
  }
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
function lines(bytes) {
  const found = [];
  let from = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
    found.push(bytes.subarray(from, at));
    from = at + 1;
  }
  found.push(bytes.subarray(from));
  return found;
}
