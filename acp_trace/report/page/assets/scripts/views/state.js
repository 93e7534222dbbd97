// The view State: metadata and configuration at a cursor that one drags; and each cancel. See report/page/state.py.

import { e, fill, h, renew, s } from "../dom.js";
import { counted, duration, number, safe, shorten, sinceStart } from "../format.js";
import { sessionIn } from "../session_filter.js";
import { json } from "../source.js";
import { fillRows, heads, wideTable } from "../widgets/tables.js";
import { moves, word } from "../widgets/words.js";

/** @typedef {import("../page.js").Page} Page */
/** @typedef {import("../dom.js").Child} Child */

const MOST = 500;

/** @type {import("../page.js").View} */
export const state = {
  name: "state",
  key: "e",
  create(page) {
    const trace = page.trace;
    const slider = /** @type {HTMLInputElement} */ (h("input", {
      type: "range", min: 0, step: "any", "aria-label": "Time", oninput: () => move(lastBefore(slider.valueAsNumber), slider.valueAsNumber),
      onchange: () => go({ session, t: Math.round(slider.valueAsNumber) }),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        event.preventDefault();
        step(event.key === "ArrowRight" ? 1 : -1);
      },
    }));
    const field = /** @type {HTMLInputElement} */ (h("input", { type: "number", min: 0, step: "any", "aria-label": "Time (s)",
      onchange: () => go({ session, t: Math.round(field.valueAsNumber * 1e9) || 0 }) }));
    const ticks = s("svg", { viewBox: "0 0 1000 8", preserveAspectRatio: "none", "aria-hidden": "true" });
    const where = h("p.where", { role: "status" });
    const axis = e("div.axis", slider, ticks);
    const typed = e("span", field, " s");
    const values = e("tbody");
    const changes = e("tbody");
    const cancels = e("section.cancels");
    const element = e("div.state",
      e("div.cursor", axis,
        e("div", typed, " ", h("button", { onclick: () => step(-1) }, "← change before"), " ", h("button", { onclick: () => step(1) }, "next change →")), where),
      e("section", e("h2", "Values"), wideTable("Values", ["Name", "Value", "Since", "How"], values)),
      cancels,
      e("section", e("h2", "Changes"), wideTable("Changes", ["Time", "Frame", "Name", "Before → after", "How"], changes, [0])));
    /** @type {import("../documents.js").StateDocument} */
    let told = /** @type {any} */ (null);
    /** @type {import("../documents.js").SessionStep[]} */
    let steps = [];
    let session = "";
    let at = -1;
    /** @type {number | undefined} where the cursor is, if not at a change */
    let cursor;
    /** Whether the cursor goes on to the last change. */
    let isLast = true;

    async function open() {
      told = await json(trace.source, `${trace.key}/state.json`);
      slider.max = String(trace.report.trace.duration_ns);
    }

    /** @param {string} wanted
     * @param {typeof fill} put  how rows are put in place of others */
    function choose(wanted, put = fill) {
      const chosen = sessionIn(told.sessions, wanted);
      page.sessions.tell("state", chosen?.session_id ?? "");
      if (session && chosen?.session_id === session) return;
      session = chosen?.session_id ?? "";
      steps = chosen?.steps ?? [];
      at = steps.length - 1;
      const span = Number(slider.max) || 1;
      fill(ticks, s("path", { d: steps.map(({ t_ns }) => `M${((t_ns ?? 0) / span * 1000).toFixed(2)} 0v8`).join(""), "vector-effect": "non-scaling-stroke" }));
      fillRows(changes, steps, MOST, 5, rows, mark, put);
      const all = told.cancels.filter(({ session_id }) => session_id === null || session_id === session);
      put(cancels, all.length > 0 && e("h2", "Cancels"), all.map((each) => cancel(page, each)));
    }

    /** @param {import("../documents.js").SessionStep} step
     * @param {number} index */
    function rows(step, index) {
      const { asked } = step;
      const told = step.changes.length ? step.changes : [{ name: asked?.name ?? "nothing changed", before: null, after: asked?.value ?? null, isAsked: Boolean(asked) }];
      return told.map((/** @type {any} */ change, /** @type {number} */ line) => h("tr", { "data-step": index },
        e("td.number", line ? "" : h("button.plain", { title: "Move the cursor here", onclick: () => go({ session, frame: step.frame }) }, sinceStart(step.t_ns))),
        e("td", line ? "" : page.frame(step.frame)), e("td", word(change.name)),
        e("td.mono", ...change.isAsked ? ["asked for "] : step.changes.length && change.is_known ? [valueOrNone(change.before), " → "] : [],
          step.changes.length || change.isAsked ? valueOrNone(change.after) : ""),
        e("td", line ? "" : [h("span", { class: step.style }, step.how), asked?.frame && [" · asked in ", page.frame(asked.frame)]].flat())));
    }

    /** Shows the values after a step.
     * @param {number} index
     * @param {number} [t] */
    function move(index, t) {
      at = index;
      cursor = t;
      const current = steps[index];
      const time = t ?? current?.t_ns ?? 0;
      const isTimed = trace.report.trace.has_times;
      axis.hidden = typed.hidden = !isTimed;
      slider.value = String(time);
      field.value = sinceStart(time);
      slider.setAttribute("aria-valuetext", `${sinceStart(time)} s`);
      /** @type {Map<string, [string | null, any]>} */
      const now = new Map();
      for (const step of steps.slice(0, index + 1)) {
        for (const { name, after, is_value } of step.changes) if (is_value) now.set(name, [after, step]);
      }
      renew(where, isTimed && `At ${sinceStart(time)} s, `, current ? [`after change ${number(index + 1)} of ${number(steps.length)}: `, page.frame(current.frame), ` ${current.how}`]
        : steps.length ? "before the first change" : "no metadata or configuration was reported");
      renew(values, [...now].filter(([, [after]]) => after !== null).map(([name, [after, step]]) => h("tr", { class: step === current ? "here" : "" },
        h("th", { scope: "row" }, word(name)), e("td.mono", value(after ?? "")),
        e("td", page.frame(step.frame)), h("td", { class: step.style }, step.how))));
      mark();
    }

    function mark() {
      for (const row of /** @type {any} */ (changes.children)) row.classList.toggle("here", row.dataset.step === String(at));
    }

    /** @param {1 | -1} by */
    const step = (by) => { if (steps.length) go({ session, frame: steps[Math.min(steps.length - 1, Math.max(0, at + by))].frame }); };
    /** @param {Record<string, string | number>} to */
    const go = ({ session: of, ...to }) => page.stay("state", page.place.at.session || of !== told.sessions[0]?.session_id ? { session: of, ...to } : to);
    /** @param {number} t */
    const lastBefore = (t) => steps.findLastIndex((each) => (each.t_ns ?? 0) <= t);
    let opened = open();
    return {
      element,
      async show(to) {
        await opened;
        isLast = !(to.frame || to.t);
        const frame = Number(to.frame ?? to.cancel);
        choose(to.session || (frame >= 1 && frame <= trace.frames && trace.row(frame).session) || session);
        if (to.frame) move(steps.findLastIndex((each) => each.frame <= frame));
        else if (to.t && Number(to.t) >= 0) move(lastBefore(Number(to.t)), Number(to.t));
        else if (to.cancel && frame) move(lastBefore(trace.t[frame - 1]), trace.t[frame - 1]);
        else move(at);
        for (const each of /** @type {any} */ (cancels.children)) {
          const isMeant = each.id === `cancel-${to.cancel}`;
          each.classList.toggle("meant", isMeant);
          if (!isMeant) continue;
          each.focus({ preventScroll: true });
          each.scrollIntoView({ block: "center" });
        }
      },
      async grown() {
        opened = open();
        await opened;
        const [kept, wanted] = [at, session];
        session = "";
        choose(wanted, wanted ? renew : fill);
        move(isLast ? steps.length - 1 : kept, cursor);
      },
      keys: moves("change", step, ["ArrowRight"], ["ArrowLeft"]),
    };
  },
};

/** @param {string | null} text */
const valueOrNone = (text) => (text === null ? "∅" : value(text));

/** A value as JSON; of a text, the text.
 * @param {string} text */
function value(text) {
  const short = shorten(text, 2000);
  return h("bdi", { title: text.length > 300 ? `${number(text.length)} characters` : null }, safe(short));
}

/** A cancel as its own little waterfall.
 * @param {Page} page
 * @param {import("../documents.js").DrawnCancel} told */
function cancel(page, { frame, t_ns, kind, outcome, mood, of, bars, late, late_updates }) {
  const said = (/** @type {import("../documents.js").Words} */ words) => words.map((each) => (typeof each === "string" ? word(each) : typeof each === "number" ? page.frame(each) : page.to(each[0], each[1], each[2])));
  const last = late.at(-1);
  const longest = Math.max(1, last?.after_ns ?? 0, ...bars.map(([, ns]) => ns ?? 0));
  const share = (/** @type {number} */ ns) => `${ns / longest * 100}%`;
  return h("article", { id: `cancel-${frame}`, tabindex: -1 },
    e("h3", e("span.number", sinceStart(t_ns)), " ", page.frame(frame), ` ${kind}: `, h("span", { class: mood }, outcome), ...said(of)),
    e("table", heads(["What", "Time after the cancel", "Duration", "Outcome"], [], "thead.unseen"),
      e("tbody", bars.map(([what, ns, how, kind]) => e("tr", h("th", { scope: "row" }, said(what)),
        e("td.bars", h("div", { class: `bar ${kind}`, style: { width: ns === null ? "100%" : share(Math.max(longest / 250, ns)) } })),
        e("td.number", duration(ns)), e("td", how))),
        last && e("tr.late", h("th", { scope: "row" }, "late, after it had settled: ", page.frame(late[0].frame), last !== late[0] && [" to ", page.frame(last.frame)]),
          e("td.bars", late.map(({ frame, after_ns }) => h("i", { title: `#${frame}, after ${duration(after_ns)}`, "aria-hidden": "true", style: { left: share(after_ns) } }, "▲"))),
          e("td.number", duration(last.after_ns)), e("td", counted(late_updates, "update"))))));
}
