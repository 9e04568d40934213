/** Who of several figures is directed: all of them, or one, which can begin later and face the other way. */

import { el } from "../dom.js";
import { LATEST } from "../parts.js";
import { strings } from "../strings.js";
import { tick } from "./segments.js";

/** @import { FigureWish } from "../types.js" */

const words = strings.gallery;

/**
 * @typedef {object} Cast
 * @property {HTMLElement} node
 * @property {(id: string, texture: ImageBitmap) => void} paint what a figure looks like
 */

/**
 * @param {string[]} figures their ids
 * @param {(figure: string | null) => void} onPick one of them, or null for all
 * @param {(figure: string, change: FigureWish) => void} onDirect
 * @param {(figure: string) => FigureWish} partOf what is so of a figure
 * @returns {Cast}
 */
export function cast(figures, onPick, onDirect, partOf) {
  const group = "cast";
  const directions = el("div", { class: "cast-directions" });
  /** @type {Map<string, HTMLCanvasElement>} */
  const canvases = new Map();
  const pick = (/** @type {string | null} */ figure) => {
    directions.replaceChildren(...(figure ? directing(figure, partOf(figure), onDirect) : []));
    onPick(figure);
  };
  const options = [null, ...figures].map((figure, i) => {
    const canvas = figure && el("canvas", { width: 0, height: 0, "aria-hidden": "true" });
    if (figure && canvas) canvases.set(figure, canvas);
    return el(
      "label",
      { class: "cast-one" },
      el("input", {
        type: "radio",
        name: group,
        class: "visually-hidden",
        checked: figure === null,
        "aria-label": figure ? words.figure(i) : words.everybody,
        onchange: () => pick(figure),
      }),
      el("span", {}, canvas, figure ? String(i) : words.everybody),
    );
  });
  const node = el(
    "fieldset",
    { class: "cast" },
    el("legend", {}, words.who),
    el("div", { class: "cast-all" }, ...options),
    directions,
  );
  return { node, paint: (id, texture) => paint(canvases.get(id), texture) };
}

/**
 * @param {string} figure
 * @param {FigureWish} part
 * @param {(figure: string, change: FigureWish) => void} onDirect
 * @returns {Node[]}
 */
function directing(figure, { start = 0, mirror }, onDirect) {
  const told = el("output", {}, words.later(start));
  const slider = el("input", {
    type: "range",
    min: 0,
    max: LATEST,
    step: 0.1,
    value: start,
    oninput: () => {
      told.textContent = words.later(Number(slider.value));
    },
    onchange: () => onDirect(figure, { start: Number(slider.value) }),
  });
  return [
    el("label", { class: "cast-start" }, el("span", {}, words.start), slider, told),
    tick(words.turned, mirror === true, (isOn) => onDirect(figure, { mirror: isOn })),
  ];
}

/**
 * @param {HTMLCanvasElement | undefined} canvas
 * @param {ImageBitmap} texture
 */
function paint(canvas, texture) {
  const sheet = canvas?.getContext("2d");
  if (!canvas || !sheet) return;
  const scale = 72 / Math.max(texture.width, texture.height);
  canvas.width = Math.max(1, Math.round(texture.width * scale));
  canvas.height = Math.max(1, Math.round(texture.height * scale));
  sheet.drawImage(texture, 0, 0, canvas.width, canvas.height);
}
