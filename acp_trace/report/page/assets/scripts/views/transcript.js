// The view Transcript: the conversation of a session as its user saw it. See report/page/transcript.py.

import { e, fill, h, renew } from "../dom.js";
import { duration, number, safe, safeLines, shorten, sinceStart } from "../format.js";
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
    const make = (/** @type {any} */ told) => item(page, told, read);
    const turns = h("nav.turns", { "aria-label": "Turns" });
    const stream = e("div.stream");
    const element = e("div.transcript", e("aside", turns), stream);
    /** @type {any} */
    let told = null;
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
        h("span", { class: turn.stop_reason === "end_turn" ? "how" : "how odd" }, how(turn, turn.settled_frame !== null)))));
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
        const now = told.sessions.find((/** @type {any} */ each) => each.session_id === session);
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
   * @returns {Promise<any[]>} */
  return (slice) => json(source, `${key}/transcript/${slice}.json`);
}

/**
 * @param {Page} page
 * @param {any} told
 * @param {(slice: number) => Promise<any[]>} read
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
  user: (_, { text }) => ["User", passage(text.trimEnd())],
  agent: (_, { text, kind }) => [kind === "agent" ? "Agent" : kind, passage(text.trimEnd())],
  message: (page, { text, by }) => ["Message", by && e("div.line", "from ", page.to("transcript", { session: by }, sessionMark(page.trace, by))), passage(text.trimEnd())],
  thought: (_, { text }) => ["Thought", fold(e("bdi", firstLine(text)), () => passage(text.trimEnd()))],
  plan: (_, { text }) => ["Plan", e("ul", text.split("\n").map(planned))],
  tool: (page, told) => [
    "Tool",
    e("div.line", sign(told.status), word(told.title || told.id, "bdi.title"),
      aside(word([told.tool_kind, told.status ?? "no status"].filter(Boolean).join(" · ")), ` · ${told.took}`)),
    told.locations.length > 0 && e("div.paths", told.locations.map((/** @type {any} */ { path, line }) => word(line === null ? path : `${path}:${line}`, "bdi.mono"))),
    ...told.content.map(content),
    raw(page, "Raw input", told.raw_input_frame, "rawInput"),
    raw(page, "Raw output", told.raw_output_frame, "rawOutput"),
  ],
  permission: (_, told) => [
    "Permission",
    e("div.line", word(told.title ?? "", "bdi.title"),
      aside(word(told.outcome), told.wait_ns === null ? "" : ` · waited ${duration(told.wait_ns)}`)),
    e("ul.options", told.options.map((/** @type {any} */ option) => {
      const isChosen = option.id !== null && option.id === told.option_id;
      const isRefused = option.kind?.startsWith?.("reject");
      return h("li", { class: isChosen && `chosen ${isRefused ? "refused" : ""}`, title: safe(String(option.kind)) }, word(String(option.name ?? option.id)), isChosen && e("b", isRefused ? " ✗ refused" : " ✓ chosen"));
    })),
  ],
  subagent: (page, { session, title, took }) => ["Subagent",
    e("div.line", page.to("transcript", { session }, sessionMark(page.trace, session)), word(title ?? "", "bdi.title"), aside(took))],
  cancel: (page, { text, frame }) => ["Cancel", e("span", word(text), " · "), page.to("state", { cancel: frame }, "waterfall")],
  end: (page, told) => ["", e("div.settled", page.to("timeline", { turn: told.turn }, turnHeading(page.trace, page.trace.turns[told.turn - 1])),
    word(told.error ?? ""), h("span", { class: told.stop_reason === "end_turn" ? "" : "odd" }, how(told, told.settled)))],
  log: (_, { lines }) => ["stderr", fold([word(shorten(lines[0], 200), "bdi.mono"), lines.length > 1 && aside(` ${number(lines.length)} lines`)],
    () => passage(lines.join("\n"), "mono"))],
  history: (page, { by, items, slices }, read) => ["History", fold([`${number(items)} items that were said before, sent again after `, page.frame(by)],
    () => new Slices(slices, read, (each) => item(page, each, read)).element)],
};

/** How a turn ended.
 * @param {any} turn
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
 * @param {any} part */
function content(part) {
  if (part.diff) return diff(part.diff);
  if (part.terminal === undefined) return passage(part.text, "mono box");
  return e("div.box.terminal",
    e("div.caption", word(part.command ? `$ ${part.command}` : "terminal", "bdi.mono"), aside(safe(part.exit))),
    part.output ? passage(part.output, "mono") : e("div.how", "no output"));
}

/** @param {any} told  see report/page/diff_lines.py */
function diff({ path, is_new, added, removed, hunks }) {
  /** @type {HTMLElement[]} */
  const lines = hunks.flatMap((/** @type {any} */ { before, after, lines }) => [
    before === undefined ? null : e("div.at", `@@ line ${before || after} @@`),
    ...lines.map((/** @type {string} */ line) => h("div", { class: line[0] === "+" ? "added" : line[0] === "-" ? "removed" : "" }, safeLines(line))),
  ]);
  const shown = h("div.lines.mono.text", { role: "group", "aria-label": "Diff" }, lines.slice(0, DIFF_LINES));
  const more = lines.length <= DIFF_LINES ? null : h("button.more", { onclick: () => fill(shown, lines) }, `Show all ${number(lines.length)} lines`);
  return e("div.box.diff",
    e("div.caption", word(path, "bdi.mono"), is_new ? " new file" : "",
      added === undefined ? null : aside(e("b.added", `+${number(added)}`), " ", e("b.removed", `−${number(removed)}`))),
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
