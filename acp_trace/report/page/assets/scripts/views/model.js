// The view Model: calls of the model, and of one of them what was told, what came back, and what was new.

import { e, fill, h, renew } from "../dom.js";
import { safe, shorten, size } from "../format.js";
import { sessionName } from "../sessions.js";
import { json, MissingPart } from "../source.js";
import { fold, passage } from "../widgets/fold.js";
import { fillRows, heads } from "../widgets/tables.js";
import { Waterfall } from "../widgets/waterfall.js";
import { aside, moves, word } from "../widgets/words.js";

/** @typedef {import("../page.js").Page} Page */
/** @typedef {import("../dom.js").Child} Child */

const MOST = 1000;
const HEADS = ["Call", "Turn", "Provider", "Model", "Start", "First token", "Duration", "In", "Cached", "Out", "Tools asked for", "Status", "Ended"];
const NUMBERS = [0, 4, 5, 6, 7, 8, 9];

/** @type {import("../page.js").View} */
export const model = {
  name: "model",
  key: "l",
  isAvailable: (page) => [...page.traces.values()].some((trace) => trace.report.model_calls.length),
  create(page) {
    const trace = page.trace;
    const rows = e("tbody");
    const detail = h("section.call", { "aria-label": "Call" });
    const waterfall = new Waterfall();
    const sum = e("p.sum");
    const element = e("div.model", sum, e("div.calls",
      e("table", heads([...HEADS, h("div.waterfall", {}, ...waterfall.heading)], NUMBERS), rows)), detail);
    /** @type {import("../documents.js").ModelCallReport[]} */
    let calls = [];
    let chosen = 0;
    /** The session whose calls are listed; empty: all. */
    let session = "";
    /** @type {Map<number, Promise<any>>} */
    const pieces = new Map();
    /** @param {string} name */
    const part = (name) => json(trace.source, `${trace.key}/model/${name}.json`);
    /** @param {[number, number]} place */
    const piece = async ([at, index]) => {
      if (!pieces.has(at)) pieces.set(at, part(`pieces/${at}`));
      return (await pieces.get(at))[index];
    };

    async function list(put = fill) {
      const all = trace.report.model_calls;
      /** @type {import("../documents.js").CallsDocument} */
      const told = all.length ? await part("calls") : { sum: "", rows: [] };
      const isShown = (/** @type {any} */ _, /** @type {number} */ at) => !session || all[at].session_id === session;
      calls = all.filter(isShown);
      told.rows = told.rows.filter(isShown);
      sum.textContent = (session && told.sum && `${sessionName(trace, session)}: ${calls.length} of ${all.length}. All sessions: `) + told.sum;
      const ends = calls.map(endOf);
      if (calls.length) waterfall.set(calls[0].started_ns, ends.reduce((most, end) => Math.max(most, end), 0));
      fillRows(rows, told.rows, MOST, HEADS.length + 1, (call, at) => row(page, call, barOf(calls[at], ends[at])), mark, put);
      mark();
      if (!calls.length) fill(detail, e("p", `This ${session ? "session" : "trace"} has no calls of a model.`));
    }

    /** When a call ended, or the trace did.
     * @param {import("../documents.js").ModelCallReport} call */
    const endOf = ({ started_ns, duration_ns }) => (duration_ns === null ? Math.max(started_ns, trace.t[trace.frames - 1] || 0) : started_ns + duration_ns);

    /** The time until the first token, and that of the answer.
     * @param {import("../documents.js").ModelCallReport} call
     * @param {number} end */
    function barOf({ started_ns, first_token_ns, duration_ns, aborted, error }, end) {
      const cell = e("div.waterfall", e("i"), e("i"));
      const first = started_ns + (first_token_ns ?? end - started_ns);
      const [wait, answer] = cell.children;
      const kind = error !== null ? "failed" : aborted ? "aborted" : duration_ns === null ? "open" : "";
      waterfall.draw(wait, started_ns, first, `wait ${kind}`);
      if (first_token_ns === null) answer.remove();
      else waterfall.draw(answer, first, end, kind);
      return cell;
    }

    function mark() {
      for (const row of rows.children) row.classList.toggle("here", row.id === `call-${chosen}`);
      return rows.querySelector(".here");
    }

    /** @param {number} wanted */
    async function open(wanted) {
      const call = calls.find((each) => each.call === wanted) ?? calls[0];
      if (!call || chosen === call.call) return;
      chosen = call.call;
      mark()?.scrollIntoView({ block: "nearest" });
      try {
        const told = await part(String(chosen));
        const shown = await callOf(page, call, told, piece);
        if (chosen === call.call) fill(detail, shown);
      } catch (error) {
        if (!(error instanceof MissingPart)) throw error;
        fill(detail, e("p", "This page does not contain the messages of this call."));
      }
    }

    /** @param {1 | -1} by */
    const step = (by) => {
      const next = calls[calls.findIndex((each) => each.call === chosen) + by];
      if (next) page.stay("model", { call: next.call });
    };
    let listed = list();
    return {
      element,
      async show(at) {
        if (session !== (at.session ?? "")) {
          session = at.session ?? "";
          listed = list();
        }
        await listed;
        open(Number(at.call ?? chosen));
      },
      grown: () => (listed = list(renew)),
      keys: moves("call", step),
    };
  },
};

/** @param {Page} page
 * @param {import("../documents.js").CallRow} told
 * @param {HTMLElement} bar */
function row(page, [call, turn, name, texts, isOdd], bar) {
  return h("tr", { id: `call-${call}`, onclick: () => page.stay("model", { call }) },
    e("td.number", page.to("model", { call }, call)), e("td", turn ? page.to("transcript", { turn }, name) : "–"),
    texts.map((/** @type {string} */ text, /** @type {number} */ at) => h("td", { class: NUMBERS.includes(at + 2) ? "number" : isOdd && at === texts.length - 1 && "odd" }, word(text))), e("td", bar));
}

/** What a call told the model and what came back, as one value: to hold it against that of another trace.
 * @param {import("../trace.js").Trace} trace
 * @param {number} call */
export async function callAsValue(trace, call) {
  const part = (/** @type {string} */ name) => json(trace.source, `${trace.key}/model/${name}.json`);
  const { prompt, answer } = await part(String(call));
  /** @type {Map<number, Promise<any>>} */
  const pieces = new Map();
  const piece = async (/** @type {[number, number] | null} */ place) => {
    if (!place) return null;
    if (!pieces.has(place[0])) pieces.set(place[0], part(`pieces/${place[0]}`));
    return (await pieces.get(place[0]))[place[1]];
  };
  const told = trace.report.model_calls.find((each) => each.call === call);
  return {
    model: told?.model, parameters: prompt.parameters, system: await piece(prompt.system), tools: await piece(prompt.tools),
    messages: await Promise.all(prompt.messages.map(piece)), answer: answer.parts,
  };
}

/**
 * @param {Page} page
 * @param {import("../documents.js").ModelCallReport} call
 * @param {import("../documents.js").CallDocument} told
 * @param {(place: [number, number]) => Promise<any>} piece
 * @returns {Promise<Child[]>}
 */
async function callOf(page, call, told, piece) {
  const { prompt, answer } = told;
  const [system, tools, messages] = await Promise.all([prompt.system && piece(prompt.system), prompt.tools && piece(prompt.tools), Promise.all(prompt.messages.map(piece))]);
  const other = (/** @type {number} */ to) => page.to("model", { call: to }, `call ${to}`);
  return [
    e("h2", `Call ${call.call} · `, word(call.model ?? "?"), aside(` ${told.form} at `, word(call.provider))),
    call.error === null ? null : e("p.bad", word(call.error)),
    told.continues === null ? null : e("p.how", "continues ", other(told.continues), ": the messages of that call are included"),
    told.note && e("p.how", told.note),
    ...told.before === undefined ? [] : [e("h3", "New since ", other(told.before)), told.difference?.length ? e("div.box.diff", told.difference.map(change)) : e("p", "nothing")],
    e("h3", "Answer"), e("div.message", answer.parts.length ? answer.parts.map(part) : e("p.how", "no words")),
    e("h3", "Prompt"),
    system && fold(["System prompt", aside(` ${size(system.length)}`)], () => passage(system)),
    tools && fold(["Tools", aside(` ${tools.length}`)], () => tools.map(tool)),
    Object.keys(prompt.parameters).length > 0 && fold("Parameters", () => passage(pretty(prompt.parameters), "mono")),
    ...messages.map((message, at) => e("div.message", e("h4", `${at + 1} `, word(message.role)), e("div", message.parts.map(part)))),
  ];
}

/** @param {import("../documents.js").CallDifference} change */
function change({ message, lines }) {
  return e("div", e("div.caption", word(message)),
    e("div.lines.mono.text", lines.map((/** @type {string} */ line) => h("div", { class: line.startsWith("+ ") ? "added" : line.startsWith("- ") ? "removed" : "" }, safe(line)))));
}

/** @param {import("../documents.js").Tool} tool */
function tool({ name, description, schema }) {
  return fold([e("b", word(name)), " ", word(shorten(description.trim().split("\n", 1)[0], 90), "bdi.how")],
    () => [passage(description), passage(pretty(schema), "mono box")]);
}

/** One part of a message.
 * @param {import("../documents.js").Part} part */
function part(part) {
  if (part.type === "text") return passage(part.text);
  if (part.type === "thinking") return fold("Thought", () => passage(part.text || "encrypted"));
  if (part.type === "tool_use") return e("div", e("b", "asks for ", word(part.name)), passage(pretty(part.arguments), "mono box"));
  if (part.type === "tool_result") return e("div", h("b", { class: part.is_error ? "bad" : "" }, part.is_error ? "tool failed " : "tool gave ", word(part.name ?? "")), passage(part.text, "mono box"));
  return e("p.how", word(`${part.kind} ${part.type === "media" ? part.mention : part.text}`));
}

/** @param {any} value */
function pretty(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
