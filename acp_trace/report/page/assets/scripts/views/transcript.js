// The view Transcript: the conversation of a session as its user saw it. See report/page/transcript.py.

import { e, fill, h, renew } from "../dom.js";
import { counted, duration, number, safe, safeLines, shorten, sinceStart } from "../format.js";
import { sessionIn } from "../session_filter.js";
import { sessionMark, turnHeading } from "../sessions.js";
import { json } from "../source.js";
import { fold, passage } from "../widgets/fold.js";
import { Slices } from "../widgets/slices.js";
import { aside, moves, word } from "../widgets/words.js";

/** @typedef {import("../page.js").Page} Page */
/** @typedef {import("../dom.js").Child} Child */

const DIFF_LINES = 400;

/** @type {import("../page.js").View} */
export const transcript = {
  name: "transcript",
  key: "c",
  create(page) {
    const trace = page.trace;
    const main = document.getElementById("view");
    const read = reader(page);
    const make = (/** @type {import("../documents.js").AnyItem} */ told) => item(page, told, read);
    const turns = h("nav.turns", { "aria-label": "Turns" });
    const stream = e("div.stream");
    const element = e("div.transcript", e("aside", turns), stream);
    /** @type {import("../documents.js").TranscriptDocument} */
    let told = /** @type {any} */ (null);
    /** @type {Slices | undefined} */
    let slices;
    let session = "";
    let scrolled = 0;
    main?.addEventListener("scroll", () => { if (element.isConnected) scrolled = main.scrollTop; }, { passive: true });

    async function open() {
      told = await json(trace.source, `${trace.key}/transcript.json`);
      if (!told.sessions.length) fill(stream, e("p.empty", "Nothing was said in this trace."));
    }

    /** @param {string} wanted */
    function choose(wanted) {
      const chosen = sessionIn(told.sessions, wanted);
      page.sessions.tell("transcript", chosen?.session_id ?? "");
      if (!chosen || (slices && session === chosen.session_id)) return;
      session = chosen.session_id;
      slices = new Slices(chosen.slices, read, make);
      fill(stream, slices.element);
      listTurns();
    }

    function listTurns() {
      renew(turns, trace.turns.map((turn, at) => turn.session_id !== session ? null : page.to("transcript", { turn: at + 1 },
        e("span.name", turnHeading(trace, turn)), word(turn.prompt ?? ""),
        h("span", { class: turn.stop_reason === "end_turn" ? "how" : "how odd" }, how(turn, turn.settled_frame !== null)))),
      told.outside > 0 && h("p.outside", { title: "They came while several sessions were at work: nothing says whose they are." },
        page.to("messages", { q: "kind:stderr" }, `${counted(told.outside, "line")} of stderr`), " of no one session"));
    }

    /** @param {HTMLElement | null | undefined} item */
    function focus(item) {
      item?.focus({ preventScroll: true });
      item?.scrollIntoView({ block: "center" });
    }

    const current = () => /** @type {HTMLElement | null} */ (document.activeElement?.closest(".stream .slice > .item") ?? null);
    /** @param {1 | -1} by */
    const step = async (by) => focus(await slices?.step(current(), by));
    /** @param {1 | -1} by */
    const turn = (by) => {
      const frame = Number(current()?.dataset.frame ?? 0);
      const of = trace.turns.filter((each) => each.session_id === session);
      const next = by > 0 ? of.find((each) => each.frame > frame) : of.findLast((each) => each.frame < frame);
      if (next) page.stay("transcript", { turn: trace.turns.indexOf(next) + 1 });
    };
    let opened = open();
    return {
      element,
      async show(at, isBack) {
        await opened;
        const frame = at.turn ? trace.turns[Number(at.turn) - 1]?.frame : Number(at.frame);
        const row = frame >= 1 && frame <= trace.frames ? trace.row(frame) : null;
        choose(row?.session || at.session || session);
        if (row && !isBack) focus(await slices?.find(frame));
        else if (main) main.scrollTop = at.session && !isBack ? 0 : scrolled;
      },
      async grown() {
        const isAtEnd = main && element.isConnected && main.scrollTop + main.clientHeight > main.scrollHeight - 4;
        opened = open();
        await opened;
        const now = told.sessions.find((each) => each.session_id === session);
        if (slices && now) await slices.grow(now.slices);
        else choose(session);
        listTurns();
        if (isAtEnd) main.scrollTop = main.scrollHeight;
      },
      keys: [
        ...moves("item", step),
        ...moves("turn", turn, ["n"], ["p"]),
        ["Enter", "Open or close what is folded", () => current()?.querySelectorAll("details").forEach((each) => { each.open = !each.open; })],
        ["Escape", "Leave the item", () => current()?.blur()],
      ],
    };
  },
};

/** Reads a slice: its items as elements.
 * @param {Page} page */
function reader(page) {
  const { source, key } = page.trace;
  /** @param {number} slice
   * @returns {Promise<import("../documents.js").AnyItem[]>} */
  return (slice) => json(source, `${key}/transcript/${slice}.json`);
}

/**
 * @param {Page} page
 * @param {import("../documents.js").AnyItem} told
 * @param {(slice: number) => Promise<import("../documents.js").AnyItem[]>} read
 * @returns {HTMLElement}
 */
function item(page, told, read) {
  const [who, ...body] = /** @type {[Child, ...Child[]]} */ ((BODIES[told.kind] ?? BODIES.agent)(page, told, read));
  const { above, depth = 0 } = told;
  return h("article", { class: `item ${told.kind}${depth ? " below" : ""}`, style: depth ? { "--depth": depth } : null, "data-frame": told.frame, id: `item-${told.frame}-${told.kind}`, tabindex: -1 },
    e("div.who", who), e("div.body", above && e("div.above", "in ", word(above)), body),
    e("div.when", e("time", sinceStart(told.t_ns)), " ", told.kind === "log" && !told.frame ? null : page.frame(told.frame)));
}

/** @type {Record<string, (page: Page, told: any, read: (slice: number) => Promise<any[]>) => Child[]>} */
const BODIES = {
  user: (_, /** @type {import("../documents.js").TextItem} */ { text }) => ["User", passage(text.trimEnd())],
  agent: (_, /** @type {import("../documents.js").TextItem} */ { text, kind }) => [kind === "agent" ? "Agent" : kind, passage(text.trimEnd())],
  message: (page, /** @type {import("../documents.js").TextItem} */ { text, by }) => ["Message", by && e("div.line", "from ", page.to("transcript", { session: by }, sessionMark(page.trace, by))), passage(text.trimEnd())],
  thought: (_, /** @type {import("../documents.js").TextItem} */ { text }) => ["Thought", fold(e("bdi", firstLine(text)), () => passage(text.trimEnd()))],
  plan: (_, /** @type {import("../documents.js").TextItem} */ { text }) => ["Plan", e("ul", text.split("\n").map(planned))],
  tool: (page, /** @type {import("../documents.js").ToolItem} */ told) => [
    "Tool",
    e("div.line", sign(told.status), word(told.title || told.id, "bdi.title"),
      aside(word([told.tool_kind, told.status ?? "no status"].filter(Boolean).join(" · ")), ` · ${told.took}`)),
    told.locations.length > 0 && e("div.paths", told.locations.map(({ path, line }) => word(line === null ? path : `${path}:${line}`, "bdi.mono"))),
    ...told.content.map(content),
    raw(page, "Raw input", told.raw_input_frame, "rawInput"),
    raw(page, "Raw output", told.raw_output_frame, "rawOutput"),
  ],
  permission: (_, /** @type {import("../documents.js").PermissionItem} */ told) => [
    "Permission",
    e("div.line", word(told.title ?? "", "bdi.title"),
      aside(word(told.outcome), told.wait_ns === null ? "" : ` · waited ${duration(told.wait_ns)}`)),
    e("ul.options", told.options.map((option) => {
      const isChosen = option.id !== null && option.id === told.option_id;
      const isRefused = option.kind?.startsWith?.("reject");
      return h("li", { class: isChosen && `chosen ${isRefused ? "refused" : ""}`, title: safe(String(option.kind)) }, word(String(option.name ?? option.id)), isChosen && e("b", isRefused ? " ✗ refused" : " ✓ chosen"));
    })),
  ],
  subagent: (page, /** @type {import("../documents.js").SubagentItem} */ { session, title, took }) => ["Subagent",
    e("div.line", page.to("transcript", { session }, sessionMark(page.trace, session)), word(title ?? "", "bdi.title"), aside(took))],
  cancel: (page, /** @type {import("../documents.js").TextItem} */ { text, frame }) => ["Cancel", e("span", word(text), " · "), page.to("state", { cancel: frame }, "waterfall")],
  end: (page, /** @type {import("../documents.js").EndItem} */ told) => ["", e("div.settled", page.to("timeline", { turn: told.turn }, turnHeading(page.trace, page.trace.turns[told.turn - 1])),
    word(told.error ?? ""), h("span", { class: told.stop_reason === "end_turn" ? "" : "odd" }, how(told, told.settled)))],
  log: (_, /** @type {import("../documents.js").LogItem} */ { lines }) => ["stderr", fold([word(shorten(lines[0], 200), "bdi.mono"), lines.length > 1 && aside(` ${number(lines.length)} lines`)],
    () => passage(lines.join("\n"), "mono"))],
  history: (page, /** @type {import("../documents.js").HistoryItem} */ { by, items, slices }, read) => ["History", fold([`${number(items)} items that were said before, sent again after `, page.frame(by)],
    () => new Slices(slices, read, (each) => item(page, each, read)).element)],
};

/** How a turn ended.
 * @param {Pick<import("../documents.js").EndItem, "error_code" | "stop_reason" | "duration_ns">} turn
 * @param {boolean} isSettled */
function how(turn, isSettled) {
  if (!isSettled) return "not settled";
  return safe(`${turn.error_code === null ? turn.stop_reason ?? "settled" : `error ${turn.error_code}`} · ${duration(turn.duration_ns)}`);
}

/** @param {string} text */
function firstLine(text) {
  return safe(shorten(text.trimStart().split("\n", 1)[0], 160));
}

/** @param {string} line  `[x] what` */
function planned(line) {
  const [mark, words] = { "[x]": ["✓", "done"], "[>]": ["▸", "in progress"] }[line.slice(0, 3)] ?? ["○", "to do"];
  return e("li", h("span.sign", { role: "img", "aria-label": words }, mark), word(line.slice(4)));
}

/** @param {string | null} status */
function sign(status) {
  const mark = /** @type {Record<string, string>} */ ({ completed: "✓", failed: "✗", cancelled: "⊘", in_progress: "▸" })[status ?? ""] ?? "○";
  return h("span", { class: `sign ${mark === "✗" ? "bad" : mark === "✓" ? "good" : ""}`, "aria-hidden": "true" }, mark);
}

/** One thing that a tool call holds: a text, a diff, or what a terminal printed.
 * @param {import("../documents.js").ToolPart} part */
function content(part) {
  if ("diff" in part) return diff(part.diff);
  if ("text" in part) return passage(part.text, "mono box");
  return e("div.box.terminal",
    e("div.caption", word(part.command ? `$ ${part.command}` : "terminal", "bdi.mono"), aside(safe(part.exit))),
    part.output ? passage(part.output, "mono") : e("div.how", "no output"));
}

/** @param {import("../documents.js").FileDiff} told */
function diff({ path, is_new, added, removed, hunks }) {
  /** @type {Child[]} */
  const lines = hunks.flatMap(({ before, after, lines }) => [
    before === undefined ? null : e("div.at", `@@ line ${before || after} @@`),
    ...lines.map((line) => h("div", { class: line[0] === "+" ? "added" : line[0] === "-" ? "removed" : "" }, safeLines(line))),
  ]);
  const shown = h("div.lines.mono.text", { role: "group", "aria-label": "Diff" }, lines.slice(0, DIFF_LINES));
  const more = lines.length <= DIFF_LINES ? null : h("button.more", { onclick: () => fill(shown, lines) }, `Show all ${number(lines.length)} lines`);
  return e("div.box.diff",
    e("div.caption", word(path, "bdi.mono"), is_new ? " new file" : "",
      added === undefined || removed === undefined ? null : aside(e("b.added", `+${number(added)}`), " ", e("b.removed", `−${number(removed)}`))),
    shown, more);
}

/**
 * What a tool was given, or gave, as it stands in the update.
 *
 * @param {Page} page
 * @param {string} words
 * @param {number | null} frame
 * @param {string} name
 */
function raw(page, words, frame, name) {
  const trace = page.trace;
  return frame === null ? null : fold([words, " ", page.frame(frame)], async () =>
    passage(JSON.stringify((await trace.message(frame))?.params?.update?.[name], null, 2) ?? "", "mono box"));
}
