// The rows of the list of messages where the chunks of a message are one row. One that is unfolded has them below it.

/** @typedef {{ count: number, last: number, size: number, mark: string }} Run  `mark`: of a finding on one of them */

export class JoinedRows {
  /** @param {import("../trace.js").Trace} trace
   * @param {Set<number>} [unfolded]  the frames with which unfolded messages begin */
  constructor(trace, unfolded = new Set()) {
    this.trace = trace;
    this.unfolded = unfolded;
    /** @type {(number | import("./rows.js").Log)[]} */
    this.rows = [];
    this.logs = 0;
    /** @type {Map<number, Run>} by the frames with which messages begin */
    this.runs = new Map();
  }

  /** The frame whose row a frame is in.
   * @param {number} frame */
  rowOf(frame) {
    const first = this.trace.columns.message[frame - 1];
    return this.unfolded.has(first) ? frame : first || frame;
  }

  /** The chunks that are one row with a frame; undefined: it is a row by itself.
   * @param {number} frame
   * @returns {Run | undefined} */
  runOf(frame) {
    const run = this.runs.get(frame);
    return run && run.count > 1 && !this.unfolded.has(frame) ? run : undefined;
  }

  /** One more frame: a row, or a part of one.
   * @param {number} frame */
  add(frame) {
    const { columns, marks } = this.trace;
    if (this.rowOf(frame) === frame) this.rows.push(frame);
    const first = columns.message[frame - 1];
    if (!first) return;
    let run = this.runs.get(first);
    if (!run) {
      this.runs.set(first, run = { count: 0, last: 0, size: 0, mark: "" });
      if (first !== frame && !this.unfolded.has(first)) this.#insert(first); // a filter left out the first chunk
    }
    run.count++;
    run.last = frame;
    run.size += columns.size[frame - 1];
    run.mark ||= marks.get(frame) ?? "";
  }

  /** @param {number} frame */
  #insert(frame) {
    this.rows.splice(this.rows.findLastIndex((row) => typeof row === "number" && row < frame) + 1, 0, frame);
  }

  /** What stands between frames, up to behind one of them.
   * @param {import("./rows.js").Log[]} logs
   * @param {number} after */
  addLogs(logs, after) {
    while (logs[this.logs]?.[0] <= after) this.rows.push(logs[this.logs++]);
  }
}
