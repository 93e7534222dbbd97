// A page that is open: reads what it is, opens its traces, and shows the view that the address names.

import { e, fill, h, renew } from "./dom.js";
import { Keys } from "./keys.js";
import { watch } from "./live.js";
import { Page } from "./page.js";
import { safe } from "./format.js";
import { within } from "./session_filter.js";
import { json, source } from "./source.js";
import { Trace } from "./trace.js";
import { headline } from "./views/overview.js";
import { wrongIn } from "./wrong.js";

const root = /** @type {HTMLElement} */ (document.getElementById("page"));

/** Opens the page, with those of these views that it has something for.
 * @param {import("./page.js").View[]} all */
export function start(all) {
  addEventListener("error", ({ error, message }) => told(error?.message ?? message));
  addEventListener("unhandledrejection", ({ reason }) => told(reason?.message ?? String(reason)));
  opened(all).catch((error) => {
    fill(root, h("p.problem", { role: "alert" }, `This page cannot be shown: ${error.message}`));
    throw error;
  });
}

/** Says above everything else what has gone wrong on the page; of many faults, the first.
 * @param {string} why */
function told(why) {
  if (document.querySelector("p.problem")) return;
  root.prepend(h("p.problem", { role: "alert" }, `Something on this page does not work: ${safe(why)}`));
}

/** @param {import("./page.js").View[]} all */
async function opened(all) {
  const from = source();
  const page = new Page(from, await json(from, "page.json"));
  const keys = new Keys();
  const main = h("main", { id: "view", tabindex: "0", "aria-label": "View" });
  const tabs = h("nav.tabs", { "aria-label": "Views" });
  const line = e("p.headline");
  const traces = h("nav.traces", { "aria-label": "Traces" });
  const status = h("output", { hidden: true }, "● live");
  const wrong = h("p.wrong", { role: "alert", hidden: true });
  page.warn = (words) => {
    wrong.hidden = !words;
    if (wrong.textContent !== words) wrong.textContent = words;
  };
  fill(root, h("a.skip", { href: "#view", onclick: skip }, "Skip to the view"), e("header.head", line, tabs, e("div.about", status, page.sessions.element, traces, h("button", { onclick: () => keys.show() }, "? keys"))), wrong, main, keys.help);
  for (const { key } of page.document.traces) page.traces.set(key, await new Trace(from, key).open());

  document.title = safe(page.document.title);
  /** @type {import("./page.js").View[]} */
  let views = [];
  /** @type {Map<string, import("./page.js").Shown>} by trace and view */
  const made = new Map();
  /** Where one was in a view, by the same names: its tab leads back there.
   * @type {Map<string, Record<string, string>>} */
  const last = new Map();
  /** What has not yet taken in that its trace has grown.
   * @type {Set<string>} */
  const late = new Set();
  let isBack = false;
  /** The views that there is something for. A live trace may get more. */
  const offer = () => {
    const now = all.filter(({ isAvailable }) => isAvailable?.(page) ?? page.traces.size > 0);
    if (now.length === views.length) return;
    views = now;
    fill(tabs, views.map((view) => h("a", { id: `tab-${view.name}`, onclick: (/** @type {any} */ { target }) => (isBack = target.href !== location.href) }, view.title ?? "")));
    keys.set("Page", [
      ["?", "List the keys", () => keys.show()],
      ...[...page.traces.values()].some(({ sessions }) => sessions.size > 1) ? [/** @type {import("./keys.js").Key} */ (["S", "The next session alone; after the last one, all", () => page.sessions.next()])] : [],
      ...views.map((view) => /** @type {import("./keys.js").Key} */ ([view.key, view.title ?? "", () => document.getElementById(`tab-${view.name}`)?.click()])),
    ]);
  };
  const tell = () => {
    const of = page.place.view === "compare" && page.comparison;
    if (of) renew(line, .../** @type {const} */ (["expected", "actual"]).map((side) => e("span.whose", e("b", side), headline(page.traces.get(of[side])))));
    else if (page.traces.size) renew(line, headline(page.trace));
    for (const view of views) {
      const tab = /** @type {HTMLAnchorElement} */ (tabs.querySelector(`#tab-${view.name}`));
      tab.toggleAttribute("aria-current", view.name === page.place.view);
      if (view.name === page.place.view) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
      const at = last.get(`${page.place.trace}/${view.name}`) ?? {};
      tab.href = page.fragment({ view: view.name, at: page.traces.size ? within(page.trace, at, page.place.at.session ?? "") : at });
    }
  };
  const show = () => {
    const { place, why } = page.read(location.hash, { trace: page.document.traces[0]?.key ?? "", view: views[0]?.name ?? "", at: {} });
    page.place = place;
    const { at, trace } = place;
    const view = views.find(({ name }) => name === page.place.view) ?? views[0];
    if (!view) return;
    page.warn(wrongIn(page, place, views, view.title ?? "") || why);
    page.place.view = view.name;
    if (page.traces.size) page.sessions.offer();
    const key = `${trace}/${view.name}`;
    const shown = made.get(key) ?? view.create(page);
    made.set(key, shown);
    last.set(key, at);
    if (main.firstChild !== shown.element) fill(main, shown.element);
    tell();
    fill(traces, page.document.list && h("a", { href: "../" }, "All traces"), page.traces.size > 1 && view.name !== "compare" && page.document.traces.map((other) => {
      const link = page.link({ view: view.name, trace: other.key }, other.label);
      link.toggleAttribute("aria-current", other.key === trace);
      return link;
    }));
    keys.set(view.title ?? "", shown.keys ?? []);
    const how = isBack;
    isBack = false;
    const go = () => { if (shown.element.isConnected) shown.show?.(at, how); };
    if (late.delete(key)) Promise.resolve(shown.grown?.()).then(go);
    else go();
  };
  offer();
  root.addEventListener("click", follow);
  addEventListener("hashchange", show);
  show();
  document.body.dataset.ready = "true";
  if (from.live) watch(page, status, async (trace) => {
    offer();
    tell();
    page.sessions.offer();
    for (const [key, shown] of made) {
      if (!key.startsWith(`${trace}/`)) continue;
      if (shown.element.isConnected) await shown.grown?.();
      else late.add(key);
    }
  });

  /** Links to places on this page, but not what opens another tab of the browser.
   * @param {MouseEvent} event */
  function follow(event) {
    const link = /** @type {Element} */ (event.target).closest("a");
    const fragment = link?.getAttribute("href");
    if (!fragment?.startsWith("#") || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    page.followLink(fragment);
  }

  /** @param {Event} event */
  function skip(event) {
    event.preventDefault();
    main.focus();
  }
}
