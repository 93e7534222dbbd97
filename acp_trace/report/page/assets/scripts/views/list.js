// The view of all traces: search and filters, one to open, two to compare. Rows are those of `ls --json`.

import { e, fill, h } from "../dom.js";
import { counted, duration, number, safe } from "../format.js";
import { word } from "../widgets/words.js";
import { json, posted } from "../source.js";

/** @typedef {[name: string, heading: string, value: ((row: any) => string | number) | null]} Column  `value`: what sorts it */

/** @type {Column[]} */
const COLUMNS = [
  ["compare", "", null], ["id", "Trace", (row) => row.id], ["when", "When", whenOf], ["agent", "Agent", agentOf],
  ["client", "Client", clientOf], ["prompt", "First prompt", (row) => row.first_prompt ?? ""],
  ["labels", "Labels", (row) => Object.keys(row.labels ?? {}).map((name) => `${name}=${row.labels[name]}`).join(" ")],
  ["model", "Model", (row) => (row.models ?? []).join(", ")], ["turns", "Turns", (row) => row.turns], ["frames", "Frames", (row) => row.frames],
  ["took", "Took", (row) => row.duration_ns ?? -1], ["findings", "Findings", ({ findings }) => findings.error * 1e12 + findings.warning * 1e6 + findings.note],
];
/** The columns that begin with their least value when one sorts by them. */
const UPWARDS = ["id", "agent", "client", "prompt", "labels", "model"];
/** The server is asked every so many seconds. */
const EVERY = 3;
const MOST = 500;
/** @type {Record<string, string>} */
const STATES = { live: "● live", incomplete: "! incomplete", complete: "" };

/** What explains a row without turns, or an agent that did not end by itself: see report/statements/phrases.py.
 * @param {any} row */
const noted = ({ frames, origin, state, end }) =>
  !frames && state !== "live" && origin !== "imported" ? " nothing was recorded" : end?.by_client ? " ended by its client" : "";

/** What acp-trace itself makes from recordings: shown only if asked for. */
const RUNS = ["replay", "mock"];

/** @type {import("../page.js").View} */
export const list = {
  name: "traces",
  title: "All traces",
  key: "a",
  isAvailable: (page) => page.document.kind === "list",
  create(page) {
    /** @type {any[]} */
    let rows = [];
    let known = "";
    let looks = 0;
    let filters = /** @type {Record<string, string>} */ ({});
    /** @type {any[]} at most two */
    let chosen = [];
    const control = (/** @type {string} */ name, /** @type {string} */ words, /** @type {HTMLElement} */ input) => {
      input.addEventListener("input", () => page.go({ at: { ...filters, [name]: /** @type {any} */ (input).value } }, { isStep: false }));
      return e("label", words, " ", input);
    };
    const search = h("input", { type: "search", placeholder: "id, prompt, title, label" });
    const agent = e("select");
    const show = e("select", [["", "recorded"], ["runs", "with runs"], ["live", "live"], ["findings", "with findings"]].map(([value, words]) => h("option", { value }, words)));
    const compare = h("button", { disabled: true, onclick: () => {
      const [expected, actual] = chosen.toSorted((one, other) => (one.started_at < other.started_at ? -1 : 1));
      location.href = `${Number(expected.number)}-${Number(actual.number)}/`;
    } }, "Compare two");
    const said = e("output", "Reading …");
    const refused = h("p.refused", { role: "alert", hidden: true });
    const file = /** @type {HTMLInputElement} */ (h("input.unseen", { type: "file", tabindex: -1, "aria-label": "A trace or a log", onchange: () => open(file.files?.[0]) }));
    const button = h("button", { type: "button", title: "A trace, or a log of another tool. You can also drop it here.", onclick: () => file.click() }, "Open a file …");
    const headings = COLUMNS.map(([name, words, value]) => h("th", { scope: "col", class: `of-${name}` },
      value ? h("button.sort", { onclick: () => page.go({ at: { ...filters, sort: sortAfter(filters.sort ?? "", name) } }, { isStep: false }) }, words) : words));
    const body = e("tbody");
    const empty = h("p", { hidden: true }, "There is no trace yet. To record one, start ", e("code", "acp-trace record -- AGENT"),
      " where your client starts AGENT; or try ", e("code", "acp-trace demo"), ". It appears here.");
    const element = e("div.list",
      h("form", { role: "search", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
        control("q", "Search", search), control("agent", "Agent", agent), control("show", "Show", show), compare, button, file, said),
      refused, empty, e("div.wide", e("table", e("thead", e("tr", headings)), body)));

    element.addEventListener("dragover", (event) => {
      event.preventDefault();
      element.classList.add("dropping");
    });
    element.addEventListener("dragleave", (event) => {
      if (!element.contains(/** @type {Node | null} */ (event.relatedTarget))) element.classList.remove("dropping");
    });
    element.addEventListener("drop", (event) => {
      event.preventDefault();
      element.classList.remove("dropping");
      open(event.dataTransfer?.files[0]);
    });

    /** Gives the server a file, and goes to the trace that it finds there.
     * @param {File | undefined} file */
    async function open(file) {
      if (!file) return;
      refused.hidden = true;
      said.textContent = `Reading ${safe(file.name)} …`;
      try {
        location.href = `${Number(await posted("open", file))}/`;
      } catch (error) {
        refused.hidden = false;
        refused.textContent = `${safe(file.name)}: ${safe(/** @type {Error} */ (error).message)}`;
        draw();
      }
    }

    async function read() {
      const read = await json(page.source, "list.json");
      const text = JSON.stringify(read);
      if (text === known) return;
      [known, rows] = [text, read];
      chosen = chosen.map((one) => rows.find((row) => row.number === one.number)).filter(Boolean);
      fill(agent, h("option", { value: "" }, "all"), [...new Set(rows.map(agentOf))].sort().map((name) => h("option", { value: name }, safe(name))));
      draw();
    }

    function draw() {
      for (const [name, input] of Object.entries({ q: search, agent, show })) /** @type {any} */ (input).value = filters[name] ?? "";
      const words = (filters.q ?? "").toLowerCase().split(/\s+/);
      const passing = rows.filter((row) => {
        const text = JSON.stringify(row).toLowerCase();
        const isShown = filters.show === "live" ? row.state === "live" : filters.show === "runs" || !RUNS.includes(row.origin);
        return isShown && (filters.show !== "findings" || row.findings.error + row.findings.warning > 0)
          && (!filters.agent || agentOf(row) === filters.agent) && words.every((word) => text.includes(word));
      });
      const [by, isDown] = [COLUMNS.find(([name]) => name === filters.sort?.replace("-", ""))?.[2], filters.sort?.startsWith("-")];
      if (by) passing.sort((one, other) => (isDown ? -1 : 1) * (by(one) < by(other) ? -1 : by(one) > by(other) ? 1 : 0));
      headings.forEach((heading, at) => COLUMNS[at][2] && heading.setAttribute("aria-sort", filters.sort === COLUMNS[at][0] ? "ascending" : filters.sort === `-${COLUMNS[at][0]}` ? "descending" : "none"));
      said.textContent = `${number(passing.length)} of ${number(rows.length)} traces${passing.length > MOST ? `, the newest ${MOST} are shown` : ""}`;
      empty.hidden = rows.length > 0;
      fill(body, passing.slice(0, MOST).map((row) => e("tr",
        e("td", h("input", { type: "checkbox", "aria-label": `Compare ${safe(row.id)}`, value: row.number, checked: chosen.includes(row), onchange: () => choose(row) })),
        h("th", { scope: "row" }, h("a", { href: `${Number(row.number)}/` }, word(row.id)), STATES[row.state] && h("span", { class: `badge ${row.state}` }, ` ${STATES[row.state]}`), e("small.faint", noted(row))),
        e("td.of-when", whenOf(row) && new Date(whenOf(row)).toLocaleString("sv").slice(0, 16)),
        e("td.of-agent", word(agentOf(row))), e("td.of-client", word(clientOf(row))), h("td.of-prompt", { title: safe(row.first_prompt ?? "") }, word(row.first_prompt ?? "", "bdi.cut")),
        e("td.of-labels", Object.entries(row.labels ?? {}).map(([name, value]) => h("span.label", { title: safe(`${name}=${value}`) }, word(`${name}=${value}`)))),
        e("td.of-model", word((row.models ?? []).join(", "))),
        [row.turns, row.frames].map((count) => e("td.number", number(count))),
        e("td.number", duration(row.duration_ns)),
        e("td.of-findings", Object.entries(row.findings).filter(([, count]) => count).map(([severity, count]) => counted(Number(count), severity).replace(" ", "\u00a0")).join(", ")))));
      compare.toggleAttribute("disabled", chosen.length !== 2);
    }

    /** @param {any} row */
    function choose(row) {
      chosen = chosen.includes(row) ? chosen.filter((one) => one !== row) : [...chosen.slice(-1), row];
      for (const input of body.querySelectorAll("input")) input.checked = chosen.some(({ number }) => String(number) === input.value);
      compare.toggleAttribute("disabled", chosen.length !== 2);
    }

    read();
    return {
      element,
      show(at) {
        filters = at;
        if (known) draw();
      },
      keys: [["/", "Search", () => search.focus()]],
      grown: () => (++looks % EVERY ? undefined : read()),
    };
  },
};

/** When a trace began, or else the date of its log, or when it was imported.
 * @param {any} row
 * @returns {string} */
function whenOf({ started_at, loaded_at }) {
  return started_at ?? loaded_at ?? "";
}

/** The order after a click on a heading: that of the column, the other way about, then the newest first again.
 * @param {string} sort
 * @param {string} name */
function sortAfter(sort, name) {
  const [first, second] = UPWARDS.includes(name) ? [name, `-${name}`] : [`-${name}`, name];
  return sort === first ? second : sort === second ? "" : first;
}

/** @param {any} row
 * @returns {string} */
function agentOf({ agent_shown, agent }) {
  return `${agent_shown} ${agent.version ?? ""}`;
}

/** @param {any} row
 * @returns {string} */
function clientOf({ client_shown, client }) {
  return `${client_shown} ${client.version ?? ""}`;
}
