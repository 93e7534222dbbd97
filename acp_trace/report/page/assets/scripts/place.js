// Where one is on the page, as the fragment of its address says: `#a/messages?frame=12`. Anything can be linked.

/**
 * @typedef {object} Place
 * @property {string} trace  the key of a trace
 * @property {string} view
 * @property {Record<string, string>} at  what in the view: `frame`, `finding`, `divergence`, `t` …
 */
/** @typedef {{ trace?: string, view?: string, at?: Record<string, string | number> }} Target  where one can go */

/** The place that a fragment names; what is missing is as in `otherwise`.
 * @param {string} fragment
 * @param {Place} otherwise
 * @returns {Place} */
export function placeOf(fragment, otherwise) {
  const [path, query] = fragment.replace(/^#/, "").split("?", 2);
  const parts = path.split("/").filter(Boolean).map(unescaped);
  const view = parts.pop();
  return {
    trace: parts[0] ?? otherwise.trace,
    view: view ?? otherwise.view,
    at: Object.fromEntries(new URLSearchParams(query ?? "")),
  };
}

/** The fragment of a place.
 * @param {Required<Target>} place */
export function fragmentOf(place) {
  const query = new URLSearchParams(/** @type {Record<string, string>} */ (place.at)).toString();
  return `#${encodeURIComponent(place.trace)}/${encodeURIComponent(place.view)}${query && `?${query}`}`;
}

/** @param {string} text */
function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
