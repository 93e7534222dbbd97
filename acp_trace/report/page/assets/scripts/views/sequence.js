// The view Sequence: lifelines, and between them what was said, in order of time. Runs of chunks are one arrow.

import { e, h } from "../dom.js";
import { duration, number, safe, shorten, sinceStart } from "../format.js";
import { below } from "../order.js";
import { sessionColour, sessionName, turnHeading } from "../sessions.js";
import { sideWords } from "../widgets/detail.js";
import { moves } from "../widgets/words.js";
import { pause, put, VirtualTable } from "../widgets/virtual.js";

const ROW = 32;
const SLICE = 1 << 17;
const WAIT_MS = 150;
const NAME = 24;

/** @type {import("../page.js").View} */
export const sequence = {
  name: "sequence",
  key: "s",
  create(page) {
    const trace = page.trace;
    /** @type {import("../documents.js").ModelCallReport[]} */
    let calls = trace.report.model_calls ?? [];
    const model = e("span.model", "model");
    const heads = [.../** @type {const} */ (["client", "agent"]).map((name) => e(`span.${name}`, h("bdi", { title: trace.index.about[name] }, shorten(trace.index.about[name], NAME)))), model];
    const table = new VirtualTable({
      label: "Sequence",
      columns: [["item", "#"], ["time", "Time (s)"], ["from", "From"], ["arrow", heads], ["took", "Took"]],
      height: ROW, draw, choose,
    });
    const element = e("div.sequence", table.element);
    let items = new Items(trace, "");
    let timer = 0;
    /** The session that is shown; empty: all, each arrow with its name. */
    let session = "";
    /** @type {[number, number]} the rows between which a request waits for its response */
    let tie = [-1, -1];
    table.table.addEventListener("mouseover", (event) => tieTo(table.rowOf(event)));
    table.table.addEventListener("mouseleave", () => tieTo(table.chosen));

    /** @param {HTMLTableRowElement} tr
     * @param {number} index */
    function draw(tr, index) {
      const [item, time, from, arrow, took] = tr.cells;
      const label = arrow.firstElementChild ?? arrow.appendChild(e("div", e("div", e("b"), e("span"), e("bdi"))));
      const [whose, words, gist] = /** @type {Element} */ (label.firstElementChild).children;
      const [frame, count] = [items.frames[index], items.counts[index]];
      const row = trace.row(frame || 1);
      const isTied = index >= tie[0] && index <= tie[1];
      const ties = isTied ? `tied ${index === tie[0] ? "first" : ""} ${index === tie[1] ? "last" : ""}` : "";
      const within = `${row.turn ? (row.turn % 2 ? "turn-odd" : "turn-even") : ""} ${items.isWaiting(frame) ? "waiting" : ""} ${ties}`;
      /** @type {(style: string, parts: (string | number)[]) => void} */
      const fillWith = (style, parts) => {
        tr.className = `${style} ${within}`;
        [item, time, from, words, gist, took].forEach((cell, at) => put(cell, parts[at]));
        const id = count < 0 ? calls[callAt(count)].session_id ?? "" : row.session;
        put(whose, count === 0 || session || trace.sessions.size < 2 ? "" : sessionName(trace, id));
        whose.className = sessionColour(trace, id);
        words.className = count === 0 ? sessionColour(trace, id) : ""; // a heading has the name already
      };
      if (count === 0) {
        const turn = trace.turns[row.turn - 1];
        return fillWith("begins", ["", sinceStart(row.t), "", turnHeading(trace, turn), safe(turn.prompt ?? ""), duration(turn.duration_ns)]);
      }
      if (count < 0) {
        const call = calls[callAt(count)];
        const isEnd = count % 2 === 0;
        const ended = call.error ?? (call.aborted ? "aborted" : call.stop_reason ?? "");
        return fillWith(isEnd ? "of-model to-agent response" : "of-model to-model", ["", sinceStart(call.started_ns + (isEnd ? call.duration_ns ?? 0 : 0)),
          isEnd ? "model" : sideWords("agent"), `${isEnd ? "" : "model "}call ${call.call}`, safe(isEnd ? ended : call.model ?? ""), isEnd ? duration(call.duration_ns) : ""]);
      }
      const isResponse = row.kind === "response";
      const last = items.lasts[index];
      const mark = trace.marks.get(frame) ?? "";
      fillWith(`${row.side} ${row.side === "agent" ? "to-client" : "to-agent"} ${isResponse ? "response" : ""} ${count > 1 ? "run" : ""} ${mark} ${trace.errors.has(frame) ? "failed" : ""}`, [
        (mark && "▲ ") + (count > 1 ? `${frame}–${last}` : frame), sinceStart(row.t), sideWords(row.side),
        (row.answers ? `#${row.answers} ` : "") + (count > 1 ? `${number(count)} × ` : "") + safe(row.update || row.method || row.kind),
        safe(trace.gist(frame, () => table.redraw())),
        row.answers ? duration(row.t - trace.t[row.answers - 1]) : count > 1 ? duration(trace.t[last - 1] - row.t) : ""]);
    }

    /** @param {number} index
     * @param {boolean} isOpened */
    function choose(index, isOpened) {
      tieTo(index);
      const [frame, count] = [items.frames[index], items.counts[index]];
      clearTimeout(timer);
      if (isOpened && count < 0) page.go({ view: "model", at: { call: calls[callAt(count)].call } });
      else if (isOpened) page.go({ view: "messages", at: { frame } });
      else timer = setTimeout(() => page.stay("sequence", { frame }), WAIT_MS);
    }

    /** @param {number} index */
    function tieTo(index) {
      const row = items.counts[index] > 0 ? trace.row(items.frames[index]) : null;
      const partner = row && (row.answers || row.answered);
      const other = partner ? items.indexOf(partner) : -1;
      tie = partner ? [Math.min(index, other), Math.max(index, other)] : [-1, -1];
      table.redraw();
    }

    async function build() {
      const next = new Items(trace, session);
      const known = (trace.report.model_calls ?? []).filter(({ session_id }) => !session || session_id === session);
      await next.build(known);
      calls = known;
      // Calls of a model come in between: one stays at the row where one is.
      const before = items;
      const moved = (/** @type {number} */ index) => (index < 0 ? index : next.same(before.frames[index], before.counts[index]));
      table.chosen = moved(table.chosen);
      tie = [moved(tie[0]), moved(tie[1])];
      table.offset += (moved(table.first) - table.first) * ROW;
      items = next;
      model.hidden = !calls.length;
      element.classList.toggle("with-model", calls.length > 0);
      table.grow(items.frames.length);
    }

    let built = build();

    /** Shows another session, or all of them ("").
     * @param {string} wanted */
    async function change(wanted) {
      const [frame, top] = [items.frames[table.chosen], items.frames[table.first]];
      session = wanted;
      await build();
      const isKept = frame && (!session || trace.row(frame).session === session);
      table.chosen = isKept ? items.indexOf(frame) : -1;
      table.offset = Math.max(0, items.indexOf(top)) * ROW;
      table.unseen = 0;
      table.set(items.frames.length);
      tieTo(table.chosen);
    }

    return {
      element,
      async show(at) {
        clearTimeout(timer);
        await built;
        if (session !== (at.session ?? "")) await (built = change(at.session ?? ""));
        const frame = at.frame ? Number(at.frame) : trace.turns[Number(at.turn) - 1]?.frame;
        if (frame && items.frames[table.chosen] !== frame) {
          table.go(items.indexOf(frame), { isQuiet: true });
          tieTo(table.chosen);
        }
      },
      keys: [...table.keys(), ...moves("turn", step, ["n"], ["p"])],
      grown: build,
    };

    /** @param {1 | -1} by */
    function step(by) {
      const here = items.frames[Math.max(0, table.chosen)] ?? 0;
      const turns = trace.turns.filter(({ session_id }) => !session || session_id === session);
      const turn = by > 0 ? turns.find((turn) => turn.frame > here) : turns.findLast((turn) => turn.frame < here);
      if (turn) table.go(items.indexOf(turn.frame));
    }
  },
};

/** @param {number} count */
function callAt(count) {
  return (-count - 1) >> 1;
}

/** The rows: each has a frame and a count. Of messages: how many are one arrow; 0: a turn begins; below: a call of a
 * model begins (odd) or ends (even). */
class Items {
  /** @param {import("../trace.js").Trace} trace @param {string} only  the session whose rows there are; empty: all */
  constructor(trace, only) {
    this.trace = trace;
    this.only = only;
    /** @type {number[]} never less than the one before */
    this.frames = [];
    /** @type {number[]} */
    this.counts = [];
    /** @type {number[]} the last frame of each arrow */
    this.lasts = [];
    /** @type {Map<number, number>} the rows of chunks that came while another session had begun a row */
    this.apart = new Map();
    /** @type {number[]} frames with which permission waits begin, and up to which they last, also those before */
    this.asked = [];
    /** @type {number[]} */
    this.waiting = [];
  }

  /** Goes through all frames.
   * @param {import("../documents.js").ModelCallReport[]} calls */
  async build(calls) {
    const { frames, counts, trace } = this;
    const { kind, message, method, update, session, turn, answered } = trace.columns;
    const chunks = trace.index.updates.map((/** @type {string} */ name) => name.endsWith("_chunk"));
    const isOne = (/** @type {number} */ at, /** @type {number} */ before) => (message[at] ? message[at] === message[before] : chunks[update[at] - 1] && update[at] === update[before]);
    /** @type {Map<number, number>} by session, the row that its next chunk may go on with */
    const open = new Map();
    const permission = trace.index.methods.indexOf("session/request_permission") + 1;
    const request = trace.index.kinds.indexOf("request");
    const events = calls.flatMap((call, at) => [[call.started_ns, -2 * at - 1], ...(call.duration_ns === null ? [] : [[call.started_ns + call.duration_ns, -2 * at - 2]])])
      .sort(([one], [other]) => one - other);
    const add = (/** @type {number} */ frame, /** @type {number} */ count) => {
      frames.push(frame);
      counts.push(count);
      this.lasts.push(frame);
    };
    let event = 0;
    const wanted = trace.index.sessions.indexOf(this.only) + 1;
    for (let at = 0; at < trace.frames; at++) {
      if (at % SLICE === 0) await pause();
      if (this.only && session[at] !== wanted) continue;
      while (event < events.length && events[event][0] < trace.t[at]) {
        add(at, events[event++][1]);
        open.clear();
      }
      const begun = turn[at];
      if (begun && trace.turns[begun - 1]?.frame === at + 1) add(at + 1, 0);
      const row = open.get(session[at]);
      if (row !== undefined && !trace.marks.has(at + 1) && isOne(at, this.lasts[row] - 1)) {
        counts[row]++;
        this.lasts[row] = at + 1;
        if (row < frames.length - 1) this.apart.set(at + 1, row);
      } else {
        add(at + 1, 1);
        if (chunks[update[at] - 1]) open.set(session[at], frames.length - 1);
        else open.delete(session[at]);
      }
      if (permission && method[at] === permission && kind[at] >> 1 === request) {
        this.asked.push(at + 1);
        this.waiting.push(Math.max(this.waiting.at(-1) ?? 0, answered[at] || Infinity));
      }
    }
    while (event < events.length) add(trace.frames, events[event++][1]);
  }

  /** The row with a frame.
   * @param {number} frame */
  indexOf(frame) {
    const apart = this.apart.get(frame);
    if (apart !== undefined) return apart;
    let index = below(this.frames.length, (at) => this.frames[at] <= frame) - 1;
    while (index > 0 && this.counts[index] <= 0) index--;
    return index;
  }

  /** The row of what was a row when there was less.
   * @param {number} frame
   * @param {number} count */
  same(frame, count) {
    const { frames, counts } = this;
    let index = below(frames.length, (at) => frames[at] < frame);
    while (frames[index] === frame && (count > 0 ? counts[index] <= 0 : counts[index] !== count)) index++;
    return Math.min(index, frames.length - 1);
  }

  /** Whether somebody was asked, and had not yet answered.
   * @param {number} frame */
  isWaiting(frame) {
    return this.waiting[below(this.asked.length, (at) => this.asked[at] <= frame) - 1] > frame;
  }
}
