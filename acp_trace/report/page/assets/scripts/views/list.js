// The view of all traces: search and filters, one to open, two to compare. Rows are those of `ls --json`.

import { e, fill, h } from "../dom.js";
import { duration, number, safe } from "../format.js";
import { heads } from "../widgets/tables.js";
import { word } from "../widgets/words.js";
import { json } from "../source.js";

const COLUMNS = ["Compare", "Trace", "When", "Agent", "Client", "First prompt", "Turns", "Frames", "Took", "Findings"];
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
    const body = e("tbody");
    const empty = h("p", { hidden: true }, "There is no trace yet. To record one, start ", e("code", "acp-trace record -- AGENT"),
      " where your client starts AGENT; or try ", e("code", "acp-trace demo"), ". It appears here.");
    const element = e("div.list",
      h("form", { role: "search", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
        control("q", "Search", search), control("agent", "Agent", agent), control("show", "Show", show), compare, said),
      empty, e("table", heads(COLUMNS), body));

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
      said.textContent = `${number(passing.length)} of ${number(rows.length)} traces${passing.length > MOST ? `, the newest ${MOST} are shown` : ""}`;
      empty.hidden = rows.length > 0;
      fill(body, passing.slice(0, MOST).map((row) => e("tr",
        e("td", h("input", { type: "checkbox", "aria-label": `Compare ${safe(row.id)}`, value: row.number, checked: chosen.includes(row), onchange: () => choose(row) })),
        h("th", { scope: "row" }, h("a", { href: `${Number(row.number)}/` }, word(row.id)), ` ${STATES[row.state] ?? ""}`, e("small.faint", noted(row))),
        [row.started_at && new Date(row.started_at).toLocaleString("sv").slice(0, 16), agentOf(row), named(row.client, ""), row.first_prompt].map((text) => e("td", word(text ?? ""))),
        [row.turns, row.frames].map((count) => e("td.number", number(count))),
        e("td.number", duration(row.duration_ns)),
        e("td", Object.entries(row.findings).filter(([, count]) => count).map(([severity, count]) => `${count} ${severity}`).join(", ")))));
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

/** @param {any} row
 * @returns {string} */
function agentOf(row) {
  return named(row.agent, row.argv?.[0] ?? "?");
}

/**
 * @param {any} side
 * @param {string} otherwise
 */
function named({ name, version }, otherwise) {
  return `${name ?? otherwise} ${version ?? ""}`;
}
