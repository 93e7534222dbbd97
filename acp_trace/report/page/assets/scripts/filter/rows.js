// Frames of a trace, and what is between them, as filters see them: see matching.js, and report/frame_filter/rows.py.

import { logText } from "../widgets/detail.js";

/** @typedef {import("../trace.js").Trace} Trace */

const TOOLS = ["tool_call", "tool_call_update"];
/** @type {string[]} */
const NONE = [];
const NOWHERE = { frame: null, stream: null, took: null, after: null, size: null };
const NOTHING = { method: NONE, side: NONE, session: NONE, turn: NONE, tool: NONE, id: NONE, error: NONE, finding: NONE, severity: NONE, is: NONE };

/** A line of stderr, or a gap.
 * @param {import("../views/rows.js").Log} log */
export function logRow([, t, what, text]) {
  return { ...NOWHERE, ...NOTHING, kind: [what === "gap" ? "gap" : "stderr"], t: ns(t), text: logText(text) };
}

export class FilterRows {
  /** @param {Trace} trace  what its facts say is taken now */
  constructor(trace) {
    this.trace = trace;
    /** @type {Map<number, any[]>} */
    this.findings = new Map();
    for (const finding of trace.report.findings) this.findings.set(finding.frame, [...this.findings.get(finding.frame) ?? [], finding]);
    /** @type {Map<string, any[]>} */
    this.turns = new Map();
    for (const turn of trace.turns) this.turns.set(turn.session_id, [...this.turns.get(turn.session_id) ?? [], turn]);
  }

  /** A frame. Without its text, what only that says is undefined.
   * @param {number} frame
   * @param {string} [text] */
  of(frame, text) {
    return new FrameRow(this, frame, text);
  }
}

class FrameRow {
  /** @param {FilterRows} rows @param {number} frame @param {string | undefined} text */
  constructor(rows, frame, text) {
    const { columns, t } = rows.trace;
    const at = frame - 1;
    this.rows = rows;
    this.frame = frame;
    this.text = text;
    this.t = ns(t[at]);
    this.size = columns.size[at];
    this.stream = columns.stream[at] || null;
    this.after = at ? ns(t[at] - t[at - 1]) : null;
    this.answers = columns.answers[at];
    this.took = this.answers ? ns(t[at] - t[this.answers - 1]) : null;
    this.kinds = columns.kind[at];
    /** @type {any} */
    this.message = undefined;
  }

  get side() {
    return [this.kinds & 1 ? "agent" : "client"];
  }

  get kind() {
    const { index, columns } = this.rows.trace;
    return [index.kinds[this.kinds >> 1], ...named(index.updates, columns.update[this.frame - 1])];
  }

  get method() {
    const { index, columns } = this.rows.trace;
    return named(index.methods, columns.method[this.frame - 1]);
  }

  get session() {
    const { index, columns, sessions } = this.rows.trace;
    return named(index.sessions, columns.session[this.frame - 1]).flatMap((id) => [id, sessions.get(id)?.name ?? NONE].flat());
  }

  get turn() {
    const { index, columns, turns } = this.rows.trace;
    const [id] = named(index.sessions, columns.session[this.frame - 1]);
    const among = id === undefined ? turns : this.rows.turns.get(id) ?? [];
    return among.filter((turn) => turn.frame <= this.frame && this.frame <= (turn.settled_frame ?? Infinity)).map(({ name }) => name);
  }

  get finding() {
    return (this.rows.findings.get(this.frame) ?? []).map(({ code }) => code);
  }

  get severity() {
    return (this.rows.findings.get(this.frame) ?? []).map(({ severity }) => severity);
  }

  get is() {
    const { trace } = this.rows;
    const kind = trace.index.kinds[this.kinds >> 1];
    if (kind === "request") return trace.columns.answered[this.frame - 1] ? NONE : ["open"];
    if (kind !== "response") return NONE;
    if (this.answers) return trace.errors.has(this.frame) ? ["error"] : NONE;
    return this.text === undefined ? undefined : Object.hasOwn(this.read(), "error") ? ["error"] : NONE;
  }

  get id() {
    if (this.text === undefined) return undefined;
    const { id } = this.read();
    return id === undefined ? NONE : [typeof id === "string" ? id : JSON.stringify(id)];
  }

  get tool() {
    if (this.text === undefined) return undefined;
    const { params } = this.read();
    const call = TOOLS.includes(params?.update?.sessionUpdate) ? params.update : params?.toolCall;
    return ["toolCallId", "kind", "title"].map((name) => call?.[name]).filter((text) => typeof text === "string");
  }

  get error() {
    if (this.text === undefined) return undefined;
    const { error } = this.rows.trace.index.kinds[this.kinds >> 1] === "response" ? this.read() : { error: undefined };
    return [...(Number.isInteger(error?.code) ? [String(error.code)] : NONE), ...textsIn(error)];
  }

  /** The message; empty if it is none. */
  read() {
    if (this.message === undefined) {
      try {
        this.message = JSON.parse(this.text ?? "");
      } catch {
        this.message = {};
      }
      if (typeof this.message !== "object" || this.message === null || Array.isArray(this.message)) this.message = {};
    }
    return this.message;
  }
}

/** A time; null if there is none.
 * @param {number} t */
function ns(t) {
  return Number.isNaN(t) ? null : t;
}

/** The name with a number, from 1; 0: none.
 * @param {string[]} names @param {number} number */
function named(names, number) {
  return number ? [names[number - 1]] : NONE;
}

/** The texts in a value, also those within lists and objects.
 * @param {any} value
 * @returns {string[]} */
function textsIn(value) {
  const found = [];
  for (const left = [value]; left.length;) {
    const each = left.pop();
    if (typeof each === "string") found.push(each);
    else if (each && typeof each === "object") left.push(...Object.values(each));
  }
  return found;
}
