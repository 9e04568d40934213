/** Make elements without markup in strings, so that no text can ever become code. */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [props] attributes; `on…` adds a listener; false leaves one out
 * @param {...(Node | string | null | false)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") {
      node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (value !== false && value !== null && value !== undefined) {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  node.append(...children.filter((child) => child !== null && child !== false));
  return node;
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...Node} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/**
 * Put something in place of all that a node holds; the focus stays within.
 * @param {HTMLElement} node
 * @param {HTMLElement} shown
 * @param {HTMLElement} [focused] what gets the focus, where it was within
 */
export function refill(node, shown, focused = shown) {
  const hadFocus = node.contains(document.activeElement);
  node.replaceChildren(shown);
  if (hadFocus) focused.focus({ preventScroll: true });
}

/**
 * Until the browser has painted so many frames; while the page is hidden, it paints none.
 * @param {number} count
 */
export async function frames(count) {
  for (let i = 0; i < count; i += 1) {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
}
