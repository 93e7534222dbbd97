// The timeline drawn on its canvases, because there may be ten thousand bars. Nothing here changes what is drawn.

import { e, h } from "../../dom.js";
import { axisStep, axisTime } from "../../format.js";
import { below } from "../../order.js";
import { sessionColour } from "../../sessions.js";
import { HEADING, TOP } from "./items.js";
import { NAMES } from "./sight.js";

/** @typedef {import("./items.js").Item} Item */
/** @typedef {import("./items.js").Place} Place */
/** @typedef {{ items: Item[], places: Place[], height: number, element: HTMLElement, trace: import("../../trace.js").Trace, sight: import("./sight.js").Sight, session: string, chosen: Item | null, hovered: Item | null, range: [number, number] | null }} Scene */
/** @typedef {{ paint: CanvasRenderingContext2D, ink: (colour: string) => void }} Brush */

const FONT = "12px system-ui, sans-serif";
const MAP = 30;
/** A label is drawn if there is room for all of it, or for so much (px). */
const LEAST_LABEL = 26;
/** How high the foot of a turn is (px): where its time went. */
const FOOT = 5;
/** @type {Record<string, [colour: string, sign: string]>} */
const LOOKS = {
  turn: ["raised", ""], tool: ["agent", ""], permission: ["warning", ""], request: ["client", ""], model: ["model", ""],
  silence: ["line", ""], subagent: ["agent", ""], notice: ["warning", "i"], compaction: ["faint", "≡"], plan: ["client", "☰"], message: ["agent", "“"], usage: ["faint", "Σ"],
  config: ["client", "◆"], metadata: ["good", "▲"], cancel: ["error", "✕"], finding: ["warning", "!"],
};
/** The colour of a part of a turn's time.
 * @param {string} name */
const part = (name) => `part-${name.replace(" ", "-")}`;

/** What the kinds of these items look like; the parts of turns only if there are some.
 * @param {Item[]} items */
export function legend(items) {
  const there = new Set(items.map(({ kind }) => kind));
  const parts = new Set(items.flatMap(({ shares }) => shares ?? []).map(([name]) => name));
  const kinds = [["permission", "waits for the client"], ["tool", "tool call"], ["model", "model call"], ["request", "request"], ["silence", "silent"]];
  const swatch = (/** @type {string} */ colour, /** @type {string} */ words) => e("li", h("span.swatch", { style: { background: `var(--${colour})` } }), words);
  return [
    ...kinds.filter(([kind]) => there.has(kind)).map(([kind, words]) => swatch(LOOKS[kind][0], words)),
    ...["config", "metadata", "notice", "compaction", "plan", "message", "usage", "cancel", "finding"].filter((kind) => there.has(kind)).map((kind) => e("li", h("span", { style: { color: `var(--${LOOKS[kind][0]})` } }, LOOKS[kind][1]), kind)),
    parts.size > 0 && e("li", "foot of a turn: "), ...[...parts].map((name) => swatch(part(name), name)),
  ];
}

/** All lanes, with the axis above them.
 * @param {HTMLCanvasElement} canvas @param {Scene} scene */
export function drawLanes(canvas, scene) {
  const { sight, height } = scene;
  const { paint, ink } = brush(canvas, scene, height);
  if (scene.range) {
    const [from, to] = scene.range.map((ns) => Math.max(sight.x(ns), NAMES));
    ink("mark");
    paint.fillRect(from, 0, Math.max(to - from, 1), height);
  }
  const step = axisStep((sight.to - sight.from) / Math.max(2, (sight.width - NAMES) / 110));
  for (let t = Math.ceil(sight.from / step) * step; t <= sight.to; t += step) {
    const x = Math.round(sight.x(t));
    ink("line");
    paint.fillRect(x, TOP - 6, 1, height);
    ink("faint");
    const words = axisTime(t, step, sight.to);
    paint.fillText(words, Math.min(x + 4, sight.width - paint.measureText(words).width), 9);
  }
  for (const place of scene.places) {
    const { y, row, heading, lane, isFolded } = place;
    if (heading) {
      ink("line");
      paint.fillRect(0, y, sight.width, 1);
      for (const item of (isFolded && place.turns) || []) if (sight.has(item)) drawBar({ paint, ink }, scene, item, y + HEADING - 9, FOOT + 2);
      ink("ink");
      paint.font = "600 12px system-ui, sans-serif";
      const colour = place.session && sessionColour(scene.trace, place.session);
      const name = colour ? heading.split(" ", 1)[0] : "";
      const fold = place.key ? (isFolded ? "▸ " : "▾ ") : "";
      const middle = y + HEADING / 2 - (isFolded ? 2 : -1);
      const words = `${fold}${heading}`;
      paint.fillText(cut(paint, words, sight.width - 12, paint.measureText(words).width), 6, middle);
      if (colour) {
        ink(colour);
        const left = 6 + paint.measureText(fold).width;
        paint.clearRect(left, y + 1, paint.measureText(name).width, HEADING - 4);
        paint.fillText(name, left, middle);
      }
      paint.font = FONT;
    } else if (lane) {
      /** @type {Record<string, number>} up to where (px) each row, or each kind of mark, is drawn */
      const until = {};
      for (const item of lane.items) {
        if (!sight.has(item)) continue;
        // Thousands may share a pixel: what would add none is not drawn, unless it is outlined.
        const track = LOOKS[item.kind][1] || String(item.row);
        const right = Math.max(sight.x(item.end), sight.x(item.start) + 2);
        if (right < until[track] + 1 && item !== scene.chosen && item !== scene.hovered && !isPaired(scene, item)) continue;
        until[track] = Math.max(until[track] ?? 0, right);
        paint.save();
        if (isFolded) drawBar({ paint, ink }, scene, item, y + 4, row);
        else drawItem({ paint, ink }, scene, item, y + item.row * row, row);
        paint.restore();
      }
      const tall = isFolded ? row + 8 : lane.rows * row;
      paint.clearRect(0, y, NAMES - 4, tall);
      ink("faint");
      paint.fillText(lane.name, 14, y + (isFolded ? tall : row) / 2);
    }
  }
}

/** The whole trace, and what of it is in sight.
 * @param {HTMLCanvasElement} canvas @param {Scene} scene */
export function drawMap(canvas, scene) {
  const { sight } = scene;
  const { paint, ink } = brush(canvas, scene, MAP);
  drawDensity({ paint, ink }, scene, sight.least, sight.most, NAMES, 0, MAP);
  ink("faint");
  paint.fillText("all", 14, MAP / 2);
  for (const item of scene.items) {
    if (item.kind !== "cancel" && item.kind !== "finding") continue;
    ink(LOOKS[item.kind][0]);
    paint.fillRect(sight.mapX(item.start), 0, 2, MAP);
  }
  const left = sight.mapX(sight.from);
  const wide = Math.max(sight.mapX(sight.to) - left, 3);
  ink("mark");
  paint.globalAlpha = 0.45;
  paint.fillRect(left, 0, wide, MAP);
  paint.globalAlpha = 1;
  ink("link");
  paint.strokeRect(left + 0.5, 0.5, wide - 1, MAP - 1);
}

/** Whether an item belongs to the one that is pointed at or chosen.
 * @param {Scene} scene @param {Item} item */
function isPaired({ chosen, hovered }, item) {
  const focus = hovered ?? chosen;
  return Boolean(focus?.pair && focus !== item && focus.pair === item.pair);
}

/** A thin bar without a label.
 * @param {Brush} brush @param {Scene} scene @param {Item} item @param {number} y @param {number} tall */
function drawBar({ paint, ink }, { sight }, item, y, tall) {
  const left = Math.max(sight.x(item.start), NAMES - 2);
  ink(item.kind === "turn" ? "faint" : LOOKS[item.kind][0]);
  paint.fillRect(left, y, Math.max(Math.min(sight.x(item.end), sight.width + 2) - left, 2), tall);
}

/** Leaves the brush changed.
 * @param {Brush} brush @param {Scene} scene @param {Item} item @param {number} y @param {number} row  px */
function drawItem({ paint, ink }, scene, item, y, row) {
  const { sight, chosen, hovered } = scene;
  const [colour, sign] = LOOKS[item.kind];
  const isTurn = item.kind === "turn";
  const left = Math.max(sight.x(item.start), NAMES - 2);
  const wide = Math.max(Math.min(sight.x(item.end), sight.width + 2) - left, 2);
  const hasFoot = isTurn && Boolean(item.shares?.length);
  ink(colour);
  if (sign) {
    if (wide > 3) paint.fillRect(left, y + row / 2 - 1, wide, 2);
  } else {
    paint.globalAlpha = isTurn ? 1 : 0.85;
    paint.fillRect(left, y + 2, wide, row - 5);
    paint.globalAlpha = 1;
    if (isTurn) {
      ink("faint");
      paint.strokeRect(Math.round(left) + 0.5, y + 2.5, Math.max(Math.round(wide) - 1, 1), row - 6);
      if (hasFoot) drawShares({ paint, ink }, item.shares, left, wide, y + row - 3 - FOOT);
    }
    if (item.is_open) paint.clearRect(left + wide - 4, y + 2, 2, row - 5);
  }
  const isPair = isPaired(scene, item);
  if (item === chosen || item === hovered || isPair) {
    ink("link");
    paint.lineWidth = 2;
    if (isPair) paint.setLineDash([4, 2]);
    paint.strokeRect(left - (sign ? 8 : 1), y + 1, sign ? 16 : wide + 2, row - 3);
  }
  const middle = y + row / 2 - (hasFoot ? FOOT / 2 : 0) - (sign ? 0 : 1);
  if (sign) {
    ink(colour);
    paint.font = "bold 14px system-ui, sans-serif";
    paint.textAlign = "center";
    paint.fillText(sign, left, y + row / 2);
    return;
  }
  // Beside a bar that is too short for its label, if nothing else stands there.
  const beside = Math.min(sight.x(item.next), sight.width) - (left + wide) - 10;
  const isBeside = wide - 10 < Math.min(widthOf(paint, item.face), 90) && beside > 1.5 * (wide - 10);
  const room = isBeside ? beside : wide - 10;
  if (room < Math.min(LEAST_LABEL, widthOf(paint, item.face))) return;
  ink(isBeside || isTurn ? "ink" : "paper");
  paint.fillText(cut(paint, item.face, room), left + 5 + (isBeside ? wide : 0), middle);
}

/** @type {Map<string, number>} how wide labels are (px), in the one font of labels */
const widths = new Map();

/** @param {CanvasRenderingContext2D} paint @param {string} text */
function widthOf(paint, text) {
  let width = widths.get(text);
  if (width === undefined) widths.set(text, (width = paint.measureText(text).width));
  return width;
}

/** A text that fits, with … where something was cut.
 * @param {CanvasRenderingContext2D} paint @param {string} text @param {number} room  px @param {number} width  px, of the text */
function cut(paint, text, room, width = widthOf(paint, text)) {
  if (width <= room) return text;
  const most = Math.floor((text.length * (room - 10)) / width);
  let words = text.slice(0, Math.max(most, 0)).trimEnd();
  while (words && paint.measureText(`${words}…`).width > room) words = words.slice(0, -1);
  return words && `${words}…`;
}

/** Where a turn's time went, in proportion, at its foot.
 * @param {Brush} brush @param {[string, number][]} shares @param {number} left @param {number} wide @param {number} y */
function drawShares({ paint, ink }, shares, left, wide, y) {
  const all = shares.reduce((sum, [, ns]) => sum + ns, 0);
  for (const [name, ns] of shares) {
    const share = (wide * ns) / Math.max(all, 1);
    ink(part(name));
    paint.fillRect(left, y, share, FOOT);
    left += share;
  }
}

/** How many frames each side sent: the client upwards from the middle, the agent downwards.
 * @param {Brush} brush @param {Scene} scene @param {number} from  ns @param {number} to @param {number} left @param {number} top @param {number} height */
function drawDensity({ paint, ink }, { trace, sight, session }, from, to, left, top, height) {
  const columns = Math.ceil((sight.width - left) / 2);
  const counts = densityOf(trace, session, from, to, columns);
  const most = Math.log1p(Math.max(1, ...counts[0], ...counts[1]));
  const middle = top + height / 2;
  counts.forEach((side, isAgent) => {
    ink(isAgent ? "agent" : "client");
    side.forEach((count, x) => {
      if (!count) return;
      const tall = Math.max(2, (Math.log1p(count) / most) * (height / 2 - 2));
      paint.fillRect(left + x * 2, isAgent ? middle : middle - tall, 2, tall);
    });
  });
}

/** What was counted last, of a trace as far as it had grown: going through a million frames takes longer than a picture may.
 * @type {WeakMap<Float64Array, { key: string, counts: Uint32Array[] }>} */
const counted = new WeakMap();

/** How many frames the client and the agent sent in each column.
 * @param {import("../../trace.js").Trace} trace @param {string} session @param {number} from  ns @param {number} to @param {number} columns */
function densityOf({ t, index, columns: { kind, session: of } }, session, from, to, columns) {
  const key = [session, from, to, columns].join();
  const before = counted.get(t);
  if (before?.key === key) return before.counts;
  const counts = [0, 1].map(() => new Uint32Array(columns + 1));
  const wanted = index.sessions.indexOf(session) + 1;
  for (let at = below(t.length, (at) => t[at] < from); at < t.length && t[at] <= to; at++) {
    if (!session || of[at] === wanted) counts[kind[at] & 1][Math.max(0, Math.floor((t[at] - from) / (to - from) * columns))]++;
  }
  counted.set(t, { key, counts });
  return counts;
}

/** An empty canvas in the pixels of the screen, and the page's colours as a canvas takes them, for all that follows.
 * @param {HTMLCanvasElement} canvas @param {Scene} scene @param {number} height @returns {Brush} */
function brush(canvas, { element, sight }, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = sight.width * scale;
  canvas.height = height * scale;
  canvas.style.height = `${height}px`;
  const paint = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  paint.scale(scale, scale);
  paint.font = FONT;
  paint.textBaseline = "middle";
  /** @type {Record<string, string>} */
  const known = {};
  const probe = h("i", { hidden: true });
  const ink = (/** @type {string} */ name) => {
    if (!known[name]) {
      element.append(probe);
      probe.style.color = `var(--${name})`;
      known[name] = getComputedStyle(probe).color;
      probe.remove();
    }
    paint.fillStyle = paint.strokeStyle = known[name];
  };
  return { paint, ink };
}
