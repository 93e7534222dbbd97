// The rows of the list of messages where the chunks of a message are one row.

/** @typedef {{ count: number, last: number, size: number, mark: string }} Run  `mark`: of a finding on one of them */

export class JoinedRows {
  /** @param {import("../trace.js").Trace} trace */
  constructor(trace) {
    this.trace = trace;
    /** @type {(number | import("./rows.js").Log)[]} */
    this.rows = [];
    this.logs = 0;
    /** @type {Map<number, Run>} by the frames with which messages begin */
    this.runs = new Map();
  }

  /** The frame whose row a frame is in.
   * @param {number} frame */
  rowOf(frame) {
    return this.trace.columns.message[frame - 1] || frame;
  }

  /** One more frame: a row, or a part of one.
   * @param {number} frame */
  add(frame) {
    const { columns, marks } = this.trace;
    const row = this.rowOf(frame);
    if (row === frame) this.rows.push(frame);
    if (!columns.message[frame - 1]) return;
    let run = this.runs.get(row);
    if (!run) this.runs.set(row, run = { count: 0, last: 0, size: 0, mark: "" });
    run.count++;
    run.last = frame;
    run.size += columns.size[frame - 1];
    run.mark ||= marks.get(frame) ?? "";
  }

  /** What stands between frames, up to behind one of them.
   * @param {import("./rows.js").Log[]} logs
   * @param {number} after */
  addLogs(logs, after) {
    while (logs[this.logs]?.[0] <= after) this.rows.push(logs[this.logs++]);
  }
}
