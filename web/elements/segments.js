/** Small things to choose by: one button in parts, of which one part is down; and a tick. */

import { el } from "../dom.js";

let groups = 0;

/**
 * A row of radio buttons that look like one button in parts.
 * @template {string | number | boolean | null} Value
 * @param {string} name
 * @param {(readonly [Value, string])[]} options
 * @param {Value} chosen
 * @param {(value: Value) => void} onChoose
 */
export function segments(name, options, chosen, onChoose) {
  const group = `segments-${(groups += 1)}`;
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
export function tick(label, isOn, onChange) {
  const box = el("input", { type: "checkbox", checked: isOn, onchange: () => onChange(box.checked) });
  return el("label", { class: "check" }, box, el("span", {}, label));
}
