/** A button of a tool: a picture with a word under it, large enough for a thumb. */

import { el } from "../dom.js";
import { toolIcon } from "../mending/tool-icons.js";

/**
 * @param {Parameters<typeof toolIcon>[0]} icon
 * @param {string} label
 * @param {(event: MouseEvent) => void} onPress
 * @returns {HTMLButtonElement}
 */
export function toolButton(icon, label, onPress) {
  return el(
    "button",
    { type: "button", class: "tool-button", onclick: onPress },
    toolIcon(icon),
    el("span", {}, label),
  );
}

/**
 * @param {Parameters<typeof toolIcon>[0]} icon
 * @param {string} label said, not seen
 * @param {(event: MouseEvent) => void} onPress
 * @returns {HTMLButtonElement}
 */
export function iconButton(icon, label, onPress) {
  const about = { type: "button", class: "icon-button", "aria-label": label, title: label };
  return el("button", { ...about, onclick: onPress }, toolIcon(icon));
}

/**
 * Give a button another picture and word; the same leave it alone.
 * @param {HTMLButtonElement} button
 * @param {Parameters<typeof toolIcon>[0]} icon
 * @param {string} label
 */
export function relabel(button, icon, label) {
  if (button.textContent !== label) button.replaceChildren(toolIcon(icon), el("span", {}, label));
}
