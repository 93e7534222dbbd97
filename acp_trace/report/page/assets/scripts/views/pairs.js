// Which members of two values belong together: by name, and in lists of named things by their names, not their places.

/** Members that name a thing in a list. */
const NAMES = ["id", "value", "toolCallId", "optionId", "configId", "modelId", "name", "path", "uri"];

/** @typedef {{ name: string, key: string | number, values: [any, any] }} Member  `key`: as in a pointer */

/** @param {any} value */
export function isOpen(value) {
  return value !== null && typeof value === "object";
}

/** The members of two values, each with both of its sides; undefined: there is none.
 * @param {any[]} values
 * @returns {Member[]} */
export function members(values) {
  const names = values.every(Array.isArray) && namesOf(values);
  if (names && isInOrder(names)) return named(values, names);
  return [...new Set(values.filter(isOpen).flatMap(Object.keys))].map((key) => ({
    name: key, key, values: /** @type {[any, any]} */ (values.map((value) => (isOpen(value) && Object.hasOwn(value, key) ? value[key] : undefined))),
  }));
}

/** What all things in lists are called, each by a name of its own: texts by themselves. Null if they have none.
 * @param {any[][]} lists
 * @returns {string[][] | null} */
function namesOf(lists) {
  if (!lists.flat().length) return null;
  for (const name of ["", ...NAMES]) {
    const all = lists.map((list) => list.map((one) => (name ? isOpen(one) && ["string", "number"].includes(typeof one[name]) ? String(one[name]) : "" : typeof one === "string" ? one : "")));
    if (all.every((each) => each.every(Boolean) && new Set(each).size === each.length)) return all;
  }
  return null;
}

/** Whether what both have comes in one order: else places say more than names.
 * @param {string[][]} names */
function isInOrder([was, now]) {
  const [before, after] = [new Set(was), new Set(now)];
  return was.filter((one) => after.has(one)).join("\0") === now.filter((one) => before.has(one)).join("\0");
}

/** @param {any[][]} lists
 * @param {string[][]} names
 * @returns {Member[]} */
function named([was, now], [wasNames, nowNames]) {
  const places = new Map(nowNames.map((name, at) => [name, at]));
  const before = new Set(wasNames);
  return [
    ...was.map((one, at) => /** @type {Member} */ ({ name: wasNames[at], key: at, values: [one, now[places.get(wasNames[at]) ?? -1]] })),
    ...now.flatMap((one, at) => (before.has(nowNames[at]) ? [] : [/** @type {Member} */ ({ name: nowNames[at], key: at, values: [undefined, one] })])),
  ];
}
