// The timeline drawn on its canvases, because there may be ten thousand bars. Nothing here changes what is drawn.

import { e, h } from "../../dom.js";
import { axisStep, axisTime } from "../../format.js";
import { below } from "../../order.js";
import { DENSITY, HEADING, ROW, TOP } from "./items.js";
import { NAMES } from "./sight.js";

/** @typedef {import("./items.js").Item} Item */
/** @typedef {import("./items.js").Items & { element: HTMLElement, trace: import("../../trace.js").Trace, sight: import("./sight.js").Sight, chosen: Item | null, hovered: Item | null }} Scene */
/** @typedef {{ paint: CanvasRenderingContext2D, ink: (colour: string) => void }} Brush */

const MAP = 30;
/** @type {Record<string, [colour: string, sign: string]>} */
const LOOKS = {
  turn: ["raised", ""], tool: ["agent", ""], permission: ["warning", ""], request: ["client", ""], model: ["model", ""],
  config: ["client", "◆"], metadata: ["good", "▲"], cancel: ["error", "✕"], finding: ["warning", "!"],
};
/** @type {Record<string, string>} where a turn's time went */
const SHARE_LOOKS = { model: "model", tools: "agent", client: "warning", own: "faint", unknown: "line" };

export function legend() {
  const kinds = [["permission", "waits for the client"], ["tool", "tool call"], ["model", "model call"], ["request", "request"]];
  const swatch = (/** @type {string} */ colour, /** @type {string} */ words) => e("li", h("span.swatch", { style: { background: `var(--${colour})` } }), words);
  return h("ul.legend", { "aria-label": "Legend" },
    kinds.map(([kind, words]) => swatch(LOOKS[kind][0], words)),
    ["config", "metadata", "cancel", "finding"].map((kind) => e("li", h("span", { style: { color: `var(--${LOOKS[kind][0]})` } }, LOOKS[kind][1]), kind)),
    e("li", "foot of a turn: "), Object.entries(SHARE_LOOKS).map(([name, colour]) => swatch(colour, name)));
}

/** All lanes, with the axis above them.
 * @param {HTMLCanvasElement} canvas @param {Scene} scene */
export function drawLanes(canvas, scene) {
  const { sight, height } = scene;
  const { paint, ink } = brush(canvas, scene, height);
  const step = axisStep((sight.to - sight.from) / Math.max(2, sight.width / 110));
  for (let t = Math.ceil(sight.from / step) * step; t <= sight.to; t += step) {
    const x = Math.round(sight.x(t));
    ink("line");
    paint.fillRect(x, TOP - 6, 1, height);
    ink("faint");
    const words = axisTime(t, step, sight.to);
    paint.fillText(words, Math.min(x + 4, sight.width - paint.measureText(words).width), 9);
  }
  drawDensity({ paint, ink }, scene, sight.from, sight.to, NAMES, TOP, DENSITY);
  for (const { y, heading, lane } of scene.places) {
    if (heading) {
      ink("line");
      paint.fillRect(0, y, sight.width, 1);
      ink("ink");
      paint.fillText(heading, 6, y + HEADING / 2 + 1);
    } else if (lane) {
      for (const item of lane.items) {
        if (!sight.has(item)) continue;
        paint.save();
        drawItem({ paint, ink }, scene, item, y + item.row * ROW);
        paint.restore();
      }
      paint.clearRect(0, y, NAMES - 4, lane.rows * ROW);
      ink("faint");
      paint.fillText(lane.name, 6, y + ROW / 2);
    }
  }
}

/** The whole trace, and what of it is in sight.
 * @param {HTMLCanvasElement} canvas @param {Scene} scene */
export function drawMap(canvas, scene) {
  const { sight } = scene;
  const { paint, ink } = brush(canvas, scene, MAP);
  drawDensity({ paint, ink }, scene, sight.least, sight.most, 0, 0, MAP);
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

/** Leaves the brush changed.
 * @param {Brush} brush @param {Scene} scene @param {Item} item @param {number} y */
function drawItem({ paint, ink }, { sight, chosen, hovered }, item, y) {
  const [colour, sign] = LOOKS[item.kind];
  const isTurn = item.kind === "turn";
  const left = Math.max(sight.x(item.start), NAMES - 2);
  const wide = Math.max(Math.min(sight.x(item.end), sight.width + 2) - left, 2);
  ink(colour);
  if (sign) {
    if (wide > 3) paint.fillRect(left, y + ROW / 2 - 1, wide, 2);
  } else {
    paint.globalAlpha = isTurn ? 1 : 0.85;
    paint.fillRect(left, y + 2, wide, ROW - 5);
    paint.globalAlpha = 1;
    if (isTurn) {
      ink("faint");
      paint.strokeRect(Math.round(left) + 0.5, y + 2.5, Math.max(Math.round(wide) - 1, 1), ROW - 6);
      drawShares({ paint, ink }, item.shares ?? [], left, wide, y + ROW - 8);
    }
    if (item.is_open) paint.clearRect(left + wide - 4, y + 2, 2, ROW - 5);
  }
  const focus = hovered ?? chosen;
  const isPair = focus?.pair && focus !== item && focus.pair === item.pair;
  if (item === chosen || item === hovered || isPair) {
    ink("link");
    paint.lineWidth = 2;
    if (isPair) paint.setLineDash([4, 2]);
    paint.strokeRect(left - (sign ? 8 : 1), y + 1, sign ? 16 : wide + 2, ROW - 3);
  }
  if (sign) {
    ink(colour);
    paint.font = "bold 14px system-ui, sans-serif";
    paint.textAlign = "center";
    paint.fillText(sign, left, y + ROW / 2);
  } else if (wide > 30) {
    paint.beginPath();
    paint.rect(left, y, wide - 3, ROW);
    paint.clip();
    ink(isTurn ? "ink" : "paper");
    paint.fillText(item.label, left + 5, y + ROW / 2 - (item.shares?.length ? 2 : 0));
  }
}

/** Where a turn's time went, in proportion, at its foot.
 * @param {Brush} brush @param {[string, number][]} shares @param {number} left @param {number} wide @param {number} y */
function drawShares({ paint, ink }, shares, left, wide, y) {
  const all = shares.reduce((sum, [, ns]) => sum + ns, 0);
  for (const [name, ns] of shares) {
    const part = (wide * ns) / Math.max(all, 1);
    ink(SHARE_LOOKS[name]);
    paint.fillRect(left, y, part, 4);
    left += part;
  }
}

/** How many frames each side sent: the client upwards from the middle, the agent downwards.
 * @param {Brush} brush @param {Scene} scene @param {number} from  ns @param {number} to @param {number} left @param {number} top @param {number} height */
function drawDensity({ paint, ink }, { trace, sight }, from, to, left, top, height) {
  const columns = Math.ceil((sight.width - left) / 2);
  const counts = [0, 1].map(() => new Uint32Array(columns + 1));
  const { t } = trace;
  for (let at = below(t.length, (at) => t[at] < from); at < t.length && t[at] <= to; at++) counts[trace.columns.kind[at] & 1][Math.max(0, Math.floor((t[at] - from) / (to - from) * columns))]++;
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

/** An empty canvas in the pixels of the screen, and the page's colours as a canvas takes them, for all that follows.
 * @param {HTMLCanvasElement} canvas @param {Scene} scene @param {number} height @returns {Brush} */
function brush(canvas, { element, sight }, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = sight.width * scale;
  canvas.height = height * scale;
  canvas.style.height = `${height}px`;
  const paint = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  paint.scale(scale, scale);
  paint.font = "12px system-ui, sans-serif";
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
