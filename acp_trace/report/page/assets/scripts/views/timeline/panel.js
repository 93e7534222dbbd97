// What is chosen, docked beside the lanes: an item with its message, a turn with its parts, a stretch of time with its sums.

import { e, fill, h } from "../../dom.js";
import { counted, duration, number, safe, sinceStart } from "../../format.js";
import { Detail } from "../../widgets/detail.js";
import { placeWords, times } from "./items.js";
import { owed, sumsOf } from "./sums.js";

/** @typedef {import("./items.js").Item} Item */

export class Panel {
  /** @param {import("../../page.js").Page} page @param {() => void} close */
  constructor(page, close) {
    this.page = page;
    this.close = close;
    this.said = h("p.said", { "aria-live": "polite" });
    this.more = e("div.more");
    this.detail = new Detail(page);
    this.element = h("aside.docked", { hidden: true, "aria-label": "What is chosen" }, h("button.close", { title: "Close (Esc)", "aria-label": "Close", onclick: close }, "×"), this.said, this.more, this.detail.element);
  }

  /** Shows an item, a stretch of time, or nothing.
   * @param {Item | null} item @param {[number, number] | null} range  ns @param {Item[]} items
   * @param {string} session  the one that is shown; empty: all */
  show(item, range, items, session) {
    this.element.hidden = !item && !range;
    if (range) return this.#range(range, items, session);
    if (!item) return fill(this.said);
    fill(this.said, h("span.where", {}, placeWords(item)), h("strong", {}, e("bdi", item.label)), e("span", times(item)), e("bdi", item.words), this.link(item));
    fill(this.more, item.shares?.length ? parts(item.shares, item.end - item.start) : null, item.kind === "turn" ? this.#turn(item) : null, item.at.call ? this.#call(item) : null);
    this.detail.element.hidden = !item.frame;
    if (item.frame) this.detail.show(item.frame);
  }

  /** The trace has got more. */
  grown() {
    this.detail.grown();
  }

  /** @param {Item} item */
  link(item) {
    return item.frame ? this.page.frame(item.frame) : this.page.to("model", item.at, `call ${item.at.call}`);
  }

  /** @param {Item} item */
  #turn(item) {
    const turn = this.page.trace.turns.find(({ frame }) => frame === item.frame);
    return turn && e("p.links", this.page.to("transcript", item.at, "Transcript"), " · ", this.page.to("messages", item.at, "Messages"), " · ", this.page.to("sequence", { frame: item.frame }, "Sequence"));
  }

  /** @param {Item} item */
  #call(item) {
    const call = this.page.trace.report.model_calls.find((each) => String(each.call) === item.at.call);
    return call && facts([
      ["Model", call.model ?? call.provider], ["Took", duration(call.duration_ns)],
      ["Tokens", `${known(call.input_tokens)} in, ${known(call.output_tokens)} out`],
      ["Ended", call.stop_reason ?? (call.aborted ? "aborted" : call.status)],
    ]);
  }

  /** Who owed an answer in the longest silence.
   * @param {import("./sums.js").Sums} sums */
  #owed({ gap, gapStart }) {
    const open = gap > 0 ? owed(this.page.trace, gapStart, gapStart + gap) : [];
    return open.length ? open.flatMap(({ frame, side, method }) => [`; the ${side === "client" ? "agent" : "client"} owed the answer to ${safe(method)} `, this.page.frame(frame)]) : "; no answer was pending";
  }

  /** @param {[number, number]} range @param {Item[]} items @param {string} session */
  #range([from, to], items, session) {
    const sums = sumsOf(this.page.trace, items, from, to, session);
    fill(this.said, h("span.where", {}, "From here to there"), h("strong", {}, duration(to - from)), e("span", `from ${sinceStart(from)} s to ${sinceStart(to)} s`));
    const turns = sums.spent.find(([name]) => name === "turns")?.[1] ?? 0;
    fill(this.more, facts([
      ["Frames", `${number(sums.frames)}: ${number(sums.client)} of the client, ${number(sums.agent)} of the agent`],
      ["Longest silence", e("span", duration(sums.gap), sums.gapFrame ? [" until ", this.page.frame(sums.gapFrame)] : "", this.#owed(sums))],
      ["Turns", duration(turns)],
      sums.calls ? ["Model calls", `${counted(sums.calls, "call")}, ${known(sums.input)} tokens in, ${known(sums.output)} out`] : null,
    ]), parts(sums.spent.filter(([name, ns]) => name !== "turns" && ns > 0), to - from));
    this.detail.element.hidden = true;
  }
}

/** @param {number | null | undefined} count */
function known(count) {
  return count == null ? "?" : number(count);
}

/** @param {([string, any] | null)[]} rows */
function facts(rows) {
  return e("dl", rows.filter((row) => row !== null).flatMap(([name, words]) => [e("dt", name), e("dd", words instanceof Node ? words : String(words))]));
}

/** Where time went, each part with its length.
 * @param {[string, number][]} spent @param {number} all */
function parts(spent, all) {
  return spent.length > 0 && e("table", e("tbody", spent.map(([name, ns]) => e("tr", e("th", name), e("td.number", duration(ns)),
    e("td.number", `${Math.round((100 * ns) / Math.max(all, 1))} %`), e("td.part", h("span", { "data-part": name, style: { width: `${Math.min(100, (100 * ns) / Math.max(all, 1))}%` } }))))));
}
