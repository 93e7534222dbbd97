// One message beside a list: what it belongs to, what was found on it, and what it says, as a tree, text or bytes.

import { e, fill, h } from "../dom.js";
import { duration, hex, number, safe, safeLines, sinceStart, size } from "../format.js";
import { sessionMark, turnHeading } from "../sessions.js";
import { posted } from "../source.js";
import { highlight, hitIn } from "./hits.js";
import { exact, jsonTree } from "./json.js";
import { moves, word } from "./words.js";

/** So much (bytes) is read without being asked; so much of it is shown at a time. */
const UNASKED = 4 << 20;
const TEXT_STEP = 1 << 16;
const BYTES_STEP = 1 << 12;
const LINE = 16;
/** What changes the state of a session. */
const STATE = /config|_mode|session_info|cancel/;
/** @type {Record<string, string>} */
const SIGNS = { error: "✖", warning: "▲", note: "●" };

export class Detail {
  /**
   * @param {import("../page.js").Page} page
   * @param {() => void} [close]
   * @param {() => void} [noted]  called when a note has changed
   */
  constructor(page, close, noted) {
    this.noted = noted;
    this.page = page;
    this.trace = page.trace;
    this.close = close;
    this.frame = 0;
    /** @type {"Tree" | "Text" | "Bytes" | ""} what was chosen to see */
    this.form = "";
    this.wanted = "";
    this.element = h("section.detail", { "aria-label": "Message", tabindex: -1 });
  }

  /** Keys for the view that has it.
   * @returns {import("../keys.js").Key[]} */
  keys() {
    return moves("message of the same kind", (by) => this.beside(by), ["]"], ["["]);
  }

  /** Marks a text in what is shown, now and from now on.
   * @param {string} wanted */
  search(wanted) {
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    const { frame } = this;
    this.frame = 0;
    if (frame) this.show(frame);
  }

  /** Shows a frame.
   * @param {number} frame */
  show(frame) {
    if (frame === this.frame) return;
    this.frame = frame;
    const { page, trace } = this;
    const row = trace.row(frame);
    const turn = trace.turns[row.turn - 1];
    this.exchange = e("dd");
    const isExchange = row.answers || row.kind === "request";
    this.about = e("dl", this.#fact("Time", `${sinceStart(row.t)} s`, frame > 1 && ` · ${duration(row.t - trace.t[frame - 2])} after #${frame - 1}`),
      this.#fact("Size", size(row.size)),
      row.session && this.#fact("Session", sessionMark(trace, row.session), " ", word(trace.sessions.get(row.session)?.title ?? "")),
      row.stream > 0 && this.#fact("Stream", streamWords(row.stream, trace.report.streams)),
      turn && this.#fact("Turn", page.to("transcript", { turn: row.turn }, turnHeading(trace, turn))),
      isExchange ? [e("dt", "Exchange"), this.exchange] : null,
      row.message > 0 && this.#fact("Message", page.to("transcript", { frame }, "all of it")),
      STATE.test(row.update || row.method) ? this.#fact("State", page.to("state", row.method.includes("cancel") ? { cancel: frame } : { frame }, "what held then")) : null);
    this.grown();
    this.content = e("div.content");
    fill(this.element,
      this.#head(`#${frame} `, h("span", { class: row.side }, sideWords(row.side)), ` ${row.kind} `, word(row.update || row.method)),
      this.about,
      trace.report.findings.filter((finding) => finding.frame === frame).map((finding) =>
        h("p", { class: finding.severity }, `${SIGNS[finding.severity] ?? "●"} ${finding.severity} · ${finding.blame}: `, word(finding.message))),
      this.#note(frame),
      e("div.buttons",
        this.#button("◂ Same kind", () => this.beside(-1)), this.#button("Same kind ▸", () => this.beside(1)),
        this.#button("Copy JSON", async () => JSON.stringify(exact(await trace.text(frame)), null, 2)),
        this.copy = this.#button("Copy frame", async () => utf8(await trace.raw(frame))),
        this.#button("Copy command", async () => `acp-trace frames ${trace.report.trace.id} ${frame} --full`)),
      this.content);
    if (row.size > UNASKED) {
      fill(this.content, e("p", `This message has ${size(row.size)}. It is not read yet. `, this.#button("Read it", () => void this.#read(frame))));
    } else this.#read(frame);
  }

  /** The note on a frame, which one can change where a server keeps it.
   * @param {number} frame */
  #note(frame) {
    const { page, trace } = this;
    const text = () => trace.notes[frame] ?? "";
    if (!page.source.live || page.traces.size !== 1) return null;
    const field = /** @type {HTMLTextAreaElement} */ (h("textarea", { rows: 2, "aria-label": `Note on #${frame}`, placeholder: "A note, kept beside the trace", maxlength: 4000 }));
    const said = e("output");
    field.value = text();
    field.addEventListener("change", async () => {
      try {
        trace.notes = JSON.parse(await posted("notes", JSON.stringify({ frame, text: field.value })));
        said.textContent = "Saved";
        this.noted?.();
      } catch (error) {
        said.textContent = `Not saved: ${safe(/** @type {Error} */ (error).message)}`;
      }
    });
    const element = /** @type {HTMLDetailsElement} */ (e("details.note", e("summary", text() ? "✎ Note" : "✎ Add a note"), field, said));
    element.open = Boolean(text());
    return element;
  }

  /** The trace has got more: a request may be answered now. */
  grown() {
    const { exchange, frame, page, trace } = this;
    if (!exchange || !frame) return;
    const { answers, answered, t } = trace.row(frame);
    const partner = answers || answered;
    const words = partner ? [answers ? "answers " : "answered by ", page.frame(partner), ` · ${duration(Math.abs(trace.t[partner - 1] - t))}`] : ["no response"];
    if (exchange.childNodes.length !== words.length) fill(exchange, words);
  }

  /** Shows a line of stderr, or a gap.
   * @param {import("../views/rows.js").Log} log */
  showLog([after, t, what, text]) {
    this.frame = 0;
    fill(this.element,
      this.#head(what === "gap" ? "Gap" : "stderr"),
      e("dl", this.#fact("Time", `${sinceStart(t)} s`), after > 0 && this.#fact("After", this.page.frame(after))),
      e("pre.text", safeLines(logText(text))));
  }

  /** Goes to the message before or after it of the same kind.
   * @param {1 | -1} by */
  beside(by) {
    const { kind, method, update } = this.trace.columns;
    const here = this.frame - 1;
    let at = here + by;
    while (at in kind && (kind[at] !== kind[here] || method[at] !== method[here] || update[at] !== update[here])) at += by;
    if (this.frame && at in kind) this.page.go({ view: "messages", at: { ...this.page.place.at, frame: at + 1 } });
  }

  /** @param {number} frame */
  async #read(frame) {
    const { content } = this;
    if (!content) return;
    const raw = await this.trace.raw(frame);
    if (frame !== this.frame || content !== this.content) return;
    try {
      utf8(raw);
    } catch {
      this.copy?.replaceWith(this.#button("Save frame", () => save(`frame-${frame}.bin`, raw)));
      content.before(e("p", "Not UTF-8: a file has the exact bytes, a text would not."));
    }
    const row = this.trace.row(frame);
    const isText = row.kind !== "bytes";
    const text = isText ? new TextDecoder().decode(raw) : "";
    /** @type {any} */
    let value;
    try {
      if (isText && row.kind !== "text") value = exact(text);
    } catch {
      value = undefined;
    }
    /** @type {Record<string, () => Element>} */
    const forms = {};
    if (value !== undefined) forms.Tree = () => jsonTree(value, `Message #${frame}`, this.wanted);
    if (isText) forms.Text = () => pieces(text.length, TEXT_STEP, (from) => safeLines(text.slice(from, from + TEXT_STEP)), hitIn(text, this.wanted)?.[0]);
    forms.Bytes = () => pieces(raw.length, BYTES_STEP, (from) => dump(raw, from, Math.min(raw.length, from + BYTES_STEP)), 0, "pre.hex");
    const body = e("div");
    const chosen = (/** @type {any} */ form) => {
      fill(body, forms[form]());
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === form));
      return highlight(body, this.wanted);
    };
    const buttons = Object.keys(forms).map((form) => this.#button(form, () => {
      this.form = /** @type {any} */ (form);
      chosen(form);
    }));
    fill(content, e("div.buttons", buttons), body);
    if (!chosen(this.form in forms ? this.form : Object.keys(forms)[0]) && !this.form && hitIn(text, this.wanted)) chosen("Text");
    const call = value?.params?.update?.toolCallId ?? value?.params?.toolCall?.toolCallId;
    const tool = this.trace.turns[row.turn - 1]?.tool_calls.find((one) => one.id === call);
    if (tool) this.about?.append(...this.#fact("Tool call", word(tool.title ?? tool.id), ` · ${tool.status} · `, this.page.frame(tool.frame)));
  }

  /** @param {...import("../dom.js").Child} words */
  #head(...words) {
    return e("header", e("h2", ...words), this.close && h("button", { onclick: this.close, "aria-label": "Close the message" }, "✕"));
  }

  /**
   * @param {string} name
   * @param {...any} value
   */
  #fact(name, ...value) {
    return [e("dt", name), e("dd", ...value.flat())];
  }

  /** A button; what its act gives is copied.
   * @param {string} words
   * @param {() => void | Promise<string>} act */
  #button(words, act) {
    const button = h("button", { onclick: async () => {
      const text = act();
      if (!text) return;
      button.style.minWidth = `${button.offsetWidth}px`;
      try {
        await navigator.clipboard.writeText(await text);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Cannot be copied";
      }
      setTimeout(() => (button.textContent = words), 1500);
    } }, words);
    return button;
  }
}

/** The text of bytes; as bytes it is the same. Throws if there is none.
 * @param {Uint8Array} bytes */
function utf8(bytes) {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Gives somebody a file.
 * @param {string} name
 * @param {Uint8Array<ArrayBuffer>} bytes */
function save(name, bytes) {
  h("a", { href: URL.createObjectURL(new Blob([bytes])), download: name }).click();
}

/** @param {string} side */
export function sideWords(side) {
  return side === "agent" ? "◂ agent" : "▸ client";
}

/** Which request of HTTP carried a message, or that a WebSocket did.
 * @param {number} number
 * @param {import("../documents.js").StreamReport[]} streams */
function streamWords(number, streams) {
  const { method, path, protocol, status } = streams.find(({ stream }) => stream === number) ?? {};
  return safe([`#${number}`, protocol === "WebSocket" ? protocol : method, path, status].filter(Boolean).join(" "));
}

/** What a line of stderr says, or what a gap lost.
 * @param {any} text */
export function logText(text) {
  return typeof text === "string" ? text : `${number(text.frames)} frames, ${size(text.bytes)} lost: ${text.reason}`;
}

/** A long text piece by piece, and how much of it is left out.
 * @param {number} length
 * @param {number} step
 * @param {(from: number) => string} of
 * @param {number} [least]  as far as this it is shown unasked
 * @param {string} [name]  of the element */
function pieces(length, step, of, least = 0, name = "pre.text") {
  const text = e(name);
  const rest = h("button", { onclick: () => more() });
  let from = 0;
  const more = () => {
    text.append(of(from));
    from = Math.min(length, from + step);
    rest.textContent = `${number(length - from)} more are left out: show the next`;
    rest.hidden = from === length;
  };
  do more(); while (from < length && from <= least);
  return e("div", text, rest);
}

/** Bytes as people read them: place, values, text.
 * @param {Uint8Array} bytes
 * @param {number} from
 * @param {number} to */
function dump(bytes, from, to) {
  let text = "";
  for (let at = from; at < to; at += LINE) {
    const line = [...bytes.subarray(at, Math.min(to, at + LINE))];
    const values = line.map((byte) => hex(byte, 2)).join(" ");
    const letters = line.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
    text += `${hex(at, 8)}  ${values.padEnd(3 * LINE)} ${letters}\n`;
  }
  return text;
}
