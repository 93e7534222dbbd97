// Elements from words. Text becomes text nodes, never markup: nothing that a trace holds is parsed.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element, with classes behind its tag: `div.detail.mono`. Attributes named `on…` are listeners, `style` is an
 * object, true stands alone, false and null are left out.
 *
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  set(element, attributes);
  append(element, children);
  return element;
}

/**
 * An element without attributes.
 *
 * @param {string} name
 * @param {...(Child | Child[])} children
 */
export function e(name, ...children) {
  return h(name, {}, ...children);
}

/**
 * An element of SVG, likewise.
 *
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, attributes);
  append(element, children);
  return element;
}

/**
 * Puts children in place of what an element has.
 *
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * The same, but what is equal stays: with the focus, and where one has scrolled to. So does a listener of
 * what differs only in its words.
 *
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function renew(element, ...children) {
  const next = document.createElement(element.nodeName);
  append(next, children);
  become(element, next);
}

/**
 * @param {Element} element
 * @param {Element} next
 */
function become(element, next) {
  const [old, made] = [[...element.childNodes], [...next.childNodes]];
  made.forEach((node, at) => {
    const was = old[at];
    if (!was) element.append(node);
    else if (was.isEqualNode(node)) return;
    else if (was instanceof Element && node instanceof Element && was.nodeName === node.nodeName) {
      for (const name of was.getAttributeNames()) if (!node.hasAttribute(name)) was.removeAttribute(name);
      for (const name of node.getAttributeNames()) if (name !== "style") was.setAttribute(name, node.getAttribute(name) ?? "");
      // As an attribute, the page's policy forbids it.
      /** @type {any} */ (was).style.cssText = /** @type {any} */ (node).style.cssText;
      become(was, node);
    } else was.replaceWith(node);
  });
  for (const node of old.slice(made.length)) node.remove();
}

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes
 */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") {
      const style = /** @type {HTMLElement} */ (element).style;
      for (const [property, text] of Object.entries(value)) style.setProperty(property, String(text));
    } else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @param {Element} element
 * @param {(Child | Child[])[]} children
 */
function append(element, children) {
  for (const child of children.flat()) {
    if (child == null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}
