/** How the figure is played: speed, mirrored or not, over and over, and what lies behind it. */

import { el } from "../dom.js";
import { strings } from "../strings.js";
import { BACKDROPS, SPEEDS } from "../wishes.js";

/** @import { Backdrop } from "../wishes.js" */

/**
 * @typedef {object} PlaybackState
 * @property {number} speed
 * @property {boolean} mirror
 * @property {Backdrop} background
 * @property {boolean} loops
 */

const words = strings.playback;

/**
 * @param {PlaybackState} state at first
 * @param {(change: Partial<PlaybackState>) => void} onChange
 * @returns {{ node: HTMLElement, hideLoop: () => void }}
 */
export function playbackBar(state, onChange) {
  const speeds = SPEEDS.map((speed, i) => /** @type {const} */ ([speed, words.speeds[i] ?? ""]));
  const backdrops = BACKDROPS.map((kind) => /** @type {const} */ ([kind, words.backdrops[kind]]));
  const loop = toggle(words.loop, state.loops, (loops) => onChange({ loops }));
  const node = el(
    "div",
    { class: "playback" },
    choice(words.speed, speeds, state.speed, (speed) => onChange({ speed })),
    el(
      "div",
      { class: "playback-toggles" },
      toggle(words.mirror, state.mirror, (mirror) => onChange({ mirror })),
      loop,
    ),
    choice(words.background, backdrops, state.background, (background) => onChange({ background })),
  );
  return { node, hideLoop: () => loop.remove() };
}

/**
 * A row of radio buttons that look like one button in parts.
 * @template {string | number} Value
 * @param {string} name
 * @param {(readonly [Value, string])[]} options
 * @param {Value} chosen
 * @param {(value: Value) => void} onChoose
 */
function choice(name, options, chosen, onChoose) {
  const group = `playback-${name}`;
  const parts = options.map(([value, label]) =>
    el(
      "label",
      {},
      el("input", {
        type: "radio",
        name: group,
        class: "visually-hidden",
        checked: value === chosen,
        onchange: () => onChoose(value),
      }),
      el("span", {}, label),
    ),
  );
  return el(
    "fieldset",
    { class: "segments" },
    el("legend", {}, name),
    el("div", { class: "segments-parts" }, ...parts),
  );
}

/**
 * @param {string} label
 * @param {boolean} isOn
 * @param {(isOn: boolean) => void} onChange
 */
function toggle(label, isOn, onChange) {
  const box = el("input", { type: "checkbox", checked: isOn, onchange: () => onChange(box.checked) });
  return el("label", { class: "check" }, box, el("span", {}, label));
}
