// Where the parts of the page come from: the file itself, or the server that sent it. See report/page/parts.py.

/** A part that is not there.  */
export class MissingPart extends Error {}
/** Nobody answers any more, or another server does. */
export class NoServer extends Error {}

/** @typedef {{ live: boolean, bytes: (name: string) => Promise<Uint8Array<ArrayBuffer>> }} Source */

/** The source of this page. @returns {Source} */
export function source() {
  return document.body.dataset.source === "served" ? { live: true, bytes: served } : { live: false, bytes: embedded };
}

/** A part as text.
 * @param {Source} from
 * @param {string} name */
export async function text(from, name) {
  return new TextDecoder().decode(await from.bytes(name));
}

/** A part as JSON.
 * @param {Source} from
 * @param {string} name
 * @returns {Promise<any>} */
export async function json(from, name) {
  return JSON.parse(await text(from, name));
}

/** The numbered parts of something, in their order.
 * @param {Source} from
 * @param {string} name
 * @param {number} count */
export function blocks(from, name, count) {
  return Promise.all(Array.from({ length: count }, (_, at) => from.bytes(`${name}/${at}`)));
}

/** Gives the server something, and returns what it answers. No other page can send this header.
 * @param {string} path
 * @param {BodyInit} body
 * @returns {Promise<string>} */
export async function posted(path, body) {
  const response = await fetch(path, { method: "POST", body, cache: "no-store", headers: { "Content-Type": "application/octet-stream", "X-Acp-Trace": "1" } })
    .catch(() => { throw new NoServer("The server has ended, or the file is too large"); });
  const said = (await response.text()).trim();
  if (!response.ok) throw new Error(said);
  return said;
}

/** @param {string} name */
async function embedded(name) {
  const element = await arrived(`part:${name}`);
  if (!element) throw new MissingPart(name);
  return unpacked(decoded(element.textContent ?? ""));
}

/** @param {string} name */
async function served(name) {
  const gone = () => {
    throw new NoServer("The server has ended");
  };
  const response = await fetch(`part/${name.split("/").map(encodeURIComponent).join("/")}`, { cache: "no-store" }).catch(gone);
  if (response.status === 404) throw new MissingPart(name);
  if (!response.ok) throw new Error(await response.text());
  return response.arrayBuffer().then((packed) => unpacked(new Uint8Array(packed))).catch(gone);
}

/**
 * An element of this file. While the file is still being read, it waits for it.
 *
 * @param {string} id
 * @returns {Promise<Element | null>}
 */
function arrived(id) {
  return new Promise((resolve) => {
    const look = () => {
      const element = document.getElementById(id);
      const isOver = document.readyState !== "loading";
      if (element?.nextSibling || isOver) resolve(element);
      else setTimeout(look, 10);
    };
    look();
  });
}

/** The bytes of a text in base64; slowly where a browser has no way of its own.
 * @param {string} encoded
 * @returns {Uint8Array<ArrayBuffer>} */
function decoded(encoded) {
  const { fromBase64 } = /** @type {any} */ (Uint8Array);
  if (fromBase64) return fromBase64.call(Uint8Array, encoded);
  const bytes = atob(encoded);
  return Uint8Array.from({ length: bytes.length }, (_, at) => bytes.charCodeAt(at));
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
