// What the page calls sessions and turns: S2, S2.0, as everywhere in acp-trace. In addresses stand these names;
// the views know sessions by their ids, and turns by their place among all of the trace, from 1.

import { h } from "./dom.js";
import { safe, shorten } from "./format.js";

/** @typedef {import("./trace.js").Trace} Trace */
/** @typedef {Record<string, any>} At */

/** How many colours sessions have; the ninth has that of the first. */
const COLOURS = 8;
const TURN = /^(?:(S[1-9]\d{0,8})\.)?(\d{1,9})$/i;
/** How much of an id is shown of a session without a name. */
const ID_END = 8;

/** The name of a session: `S2`; the end of its id if it has none.
 * @param {Trace} trace @param {string} id */
export function sessionName(trace, id) {
  return trace.sessions.get(id)?.name ?? (id.length > ID_END ? `…${safe(id.slice(-ID_END))}` : safe(id));
}

/** The name of its colour, also as a class: `session-2`; empty of the only session.
 * @param {Trace} trace @param {string} id */
export function sessionColour(trace, id) {
  const number = Number(trace.sessions.get(id)?.name.slice(1));
  return number && trace.sessions.size > 1 ? `session-${((number - 1) % COLOURS) + 1}` : "";
}

/** What is said of a session where its name stands: its title and its id.
 * @param {Trace} trace @param {string} id */
export function sessionWords(trace, id) {
  return safe([trace.sessions.get(id)?.title, id].filter(Boolean).join(" · "));
}

/** The name of a session in its colour, with all of it in the tooltip.
 * @param {Trace} trace @param {string} id */
export function sessionMark(trace, id) {
  return h("b", { class: `session ${sessionColour(trace, id)}`, title: sessionWords(trace, id) }, sessionName(trace, id));
}

/** A session in a choice: its name, and its title or its id.
 * @param {Trace} trace @param {string} id */
export function sessionOption(trace, id) {
  return `${sessionName(trace, id)} · ${safe(shorten(trace.sessions.get(id)?.title || id || "no session", 70))}`;
}

/** A turn where there is little room: `0`; of several sessions, `S2.0`.
 * @param {Trace} trace @param {import("./trace.js").Turn} turn */
export function turnName(trace, turn) {
  return trace.sessions.size > 1 ? turn.name : String(turn.turn);
}

/** A turn where it begins a line: `Turn 0`, `Turn S2.0`.
 * @param {Trace} trace @param {import("./trace.js").Turn} turn */
export function turnHeading(trace, turn) {
  return `Turn ${turnName(trace, turn)}`;
}

/** What stands in an address, of what the views know.
 * @param {Trace} trace @param {At} at @returns {At} */
export function named(trace, at) {
  const { session, turn, ...others } = at;
  const turned = trace.turns[Number(turn) - 1];
  return {
    ...others,
    ...(session && { session: trace.sessions.has(session) ? sessionName(trace, session) : session }),
    ...(turn && { turn }),
    ...(turned ? { turn: turned.name } : {}),
  };
}

/** What an address means, as the views know it; without what the trace does not have, and why that is missing.
 * @param {Trace} trace @param {Record<string, string>} at
 * @returns {{ at: Record<string, string>, why: string }} */
export function meant(trace, at) {
  const { session, turn, ...others } = at;
  const found = { ...others };
  const why = [];
  const ids = [...trace.sessions.keys()];
  const idOf = (/** @type {string} */ text) => trace.index.sessions.includes(text) ? text : ids.find((id) => trace.sessions.get(id)?.name === text.toUpperCase());
  if (session) {
    const id = idOf(session);
    if (id !== undefined) found.session = id;
    else why.push(noSession(trace, session));
  }
  if (turn) {
    const ordinal = ordinalOf(trace, turn, found.session, idOf);
    if (typeof ordinal === "number") found.turn = String(ordinal);
    else why.push(ordinal);
  }
  return { at: found, why: why.join("; ") };
}

/** The place of a turn among all, from 1; or why there is none.
 * @param {Trace} trace @param {string} text @param {string | undefined} session
 * @param {(text: string) => string | undefined} idOf
 * @returns {number | string} */
function ordinalOf(trace, text, session, idOf) {
  const match = TURN.exec(text);
  if (!match) return `${safe(shorten(text, 40))} is not a turn, such as 0 or S2.0`;
  const of = match[1] ? idOf(match[1]) : session;
  if (match[1] && of === undefined) return noSession(trace, match[1].toUpperCase());
  const turns = trace.turns.filter((turn) => of === undefined || turn.session_id === of);
  const matches = turns.filter((turn) => turn.turn === Number(match[2]));
  if (matches.length === 1) return trace.turns.indexOf(matches[0]) + 1;
  if (matches.length) return `${matches.length} sessions have a turn ${match[2]}: say which (${matches.slice(0, 5).map(({ name }) => name).join(", ")}${matches.length > 5 ? ", …" : ""})`;
  const last = Math.max(-1, ...turns.map((turn) => turn.turn));
  return `There is no turn ${safe(text)}${last < 0 ? "" : `: the last one is turn ${of && match[1] ? `${match[1].toUpperCase()}.` : ""}${last}`}`;
}

/** @param {Trace} trace @param {string} text */
function noSession(trace, text) {
  const names = [...trace.sessions.values()].map(({ name }) => name);
  const known = names.length > 1 ? `${names[0]} to ${names.at(-1)}` : names[0] ?? "none";
  return `There is no session ${safe(shorten(text, 40))}: this trace has ${known}`;
}
