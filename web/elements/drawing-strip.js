/** A row of small pictures of drawings, each leading to its page, and how far each is. */

import { el } from "../dom.js";
import { strings } from "../strings.js";

/**
 * @typedef {object} Thumb
 * @property {string} key the same for the same drawing
 * @property {string | null} href its page, once it has one
 * @property {string} picture address of its picture
 * @property {string} name of the file
 * @property {string} note a word or two under it
 * @property {number | null} share of the work on it that is done, 0 to 1; null when there is none
 * @property {boolean} isChosen whether it is the one that is shown
 */

const words = strings.drawings;

/**
 * @param {string} [kind] class of its own
 * @returns {{ node: HTMLElement, show: (thumbs: readonly Thumb[]) => void }}
 */
export function drawingStrip(kind = "") {
  const node = el("ul", { class: `strip ${kind}` });
  /** @type {Map<string, ReturnType<typeof card>>} */
  let cards = new Map();
  return {
    node,
    show(thumbs) {
      cards = new Map(thumbs.map((thumb) => [thumb.key, cards.get(thumb.key) ?? card(thumb)]));
      for (const thumb of thumbs) cards.get(thumb.key)?.show(thumb);
      const nodes = [...cards.values()].map((one) => one.node);
      if (nodes.some((one, i) => node.children[i] !== one)) node.replaceChildren(...nodes);
      while (node.children.length > nodes.length) node.lastChild?.remove();
    },
  };
}

/** @param {Thumb} first */
function card({ picture }) {
  const image = el("img", {
    src: picture,
    alt: "",
    width: 96,
    height: 96,
    loading: "lazy",
    onerror: () => image.classList.add("is-unseen"),
  });
  const fill = el("span", { class: "strip-fill" });
  const bar = el("span", { class: "strip-bar" }, fill);
  const label = el("span", { class: "visually-hidden" });
  const note = el("span", { class: "strip-note", "aria-hidden": "true" });
  const frame = el("a", { class: "strip-card", "data-page": true }, image, bar, label, note);
  const node = el("li", {}, frame);
  const show = (/** @type {Thumb} */ { href, name, note: text, share, isChosen }) => {
    if (href) frame.setAttribute("href", href);
    else frame.removeAttribute("href");
    label.textContent = words.open(name, text);
    if (isChosen) frame.setAttribute("aria-current", "page");
    else frame.removeAttribute("aria-current");
    bar.hidden = share === null;
    fill.style.width = `${Math.round(100 * (share ?? 1))}%`;
    note.textContent = text;
  };
  return { node, show };
}
