/** What stands above the board: back to the dance, where the corrections are, undo and redo. */

import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";
import { toolIcon } from "../mending/tool-icons.js";
import { iconButton } from "./tool-button.js";

/** @import { Corrections } from "../mending/corrections.js" */

const words = strings.edit;

/** The tools, in the order in which they help. */
export const TOOLS = /** @type {const} */ (["figures", "outline", "joints", "order"]);

/** @typedef {typeof TOOLS[number]} ToolName */

/**
 * @param {{ onFinish: () => void, onUndo: () => void, onRedo: () => void }} events
 * @returns {{ node: HTMLElement, show: (corrections: Corrections) => void }}
 */
export function editTop({ onFinish, onUndo, onRedo }) {
  const finish = el(
    "button",
    { type: "button", class: "button edit-done", onclick: onFinish },
    drawIcon("check"),
    words.finish,
  );
  const state = el("p", { class: "edit-state", role: "status" });
  const undo = iconButton("undo", words.undo, onUndo);
  const redo = iconButton("redo", words.redo, onRedo);
  const node = el(
    "div",
    { class: "edit-top" },
    finish,
    el("h1", {}, words.heading),
    state,
    el("div", { class: "edit-steps" }, undo, redo),
  );
  /** @param {HTMLButtonElement} button @param {boolean} canBe */
  const enable = (button, canBe) => {
    // Not `disabled`: the focus would be lost with the last step.
    button.setAttribute("aria-disabled", String(!canBe));
  };
  const show = (/** @type {Corrections} */ { saving, history }) => {
    if (state.textContent !== words.saving[saving]) state.textContent = words.saving[saving];
    state.dataset.saving = saving;
    enable(undo, history.past.length > 0);
    enable(redo, history.future.length > 0);
  };
  return { node, show };
}

/**
 * @param {(tool: ToolName) => string} addressOf
 * @param {(tool: ToolName) => void} onChoose
 * @returns {{ node: HTMLElement, show: (chosen: ToolName) => void }}
 */
export function toolTabs(addressOf, onChoose) {
  const tabs = TOOLS.map((tool) => {
    const follow = (/** @type {MouseEvent} */ event) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      onChoose(tool);
    };
    const link = { href: addressOf(tool), class: "edit-tab", onclick: follow };
    return el("a", link, toolIcon(tool), el("span", {}, words.tools[tool]));
  });
  const show = (/** @type {ToolName} */ chosen) =>
    tabs.forEach((tab, i) => {
      if (TOOLS[i] === chosen) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
      tab.href = addressOf(TOOLS[i] ?? chosen);
    });
  return { node: el("nav", { class: "edit-tabs", "aria-label": words.toolsLabel }, ...tabs), show };
}

/**
 * Which figure is being mended, where there are several.
 * @param {(step: 1 | -1) => void} onStep
 * @returns {{ node: HTMLElement, show: (index: number, count: number) => void }}
 */
export function figureSwitch(onStep) {
  const name = el("span", { "aria-live": "polite" });
  const node = el(
    "div",
    { class: "figure-switch" },
    iconButton("back", words.before, () => onStep(-1)),
    name,
    iconButton("next", words.after, () => onStep(1)),
  );
  const show = (/** @type {number} */ index, /** @type {number} */ count) => {
    node.hidden = count < 2;
    const text = words.figureOf(index + 1, count);
    if (name.textContent !== text) name.textContent = text;
  };
  return { node, show };
}
