/** What was found, drawn over the picture: box, outline and skeleton of each figure. */

import { el, svg } from "../dom.js";
import { isEdge, maskPixels } from "../masks/run-lengths.js";

/** @import { Annotation, FigureAnnotation, RunLengths } from "../types.js" */

/** Blue, green, red. */
const OUTLINE = 0x2b48d9;

/**
 * @param {Annotation} annotation
 * @returns {HTMLElement} lies exactly over the picture
 */
export function overlay(annotation) {
  const { width, height, figures } = annotation;
  const lines = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "overlay-lines" });
  const unit = Math.max(width, height) / 100;
  lines.append(...figures.map((figure) => drawFigure(figure, unit)));
  const outlines = figures.flatMap((figure) => drawOutline(figure, width, height));
  return el("div", { class: "overlay", "aria-hidden": "true" }, ...outlines, lines);
}

/**
 * @param {FigureAnnotation} figure
 * @param {number} unit a hundredth of the picture's longer side, pixels
 */
function drawFigure({ box: [x1, y1, x2, y2], skeleton }, unit) {
  const group = svg("g", {});
  const size = { x: x1, y: y1, width: x2 - x1, height: y2 - y1 };
  group.append(svg("rect", { class: "overlay-box", rx: unit, ...size }));
  const joints = skeleton?.joints ?? [];
  const places = new Map(joints.map((joint) => [joint.name, joint]));
  for (const joint of joints) {
    const parent = joint.parent && places.get(joint.parent);
    if (!parent) continue;
    const [from, to] = [`${x1 + parent.x} ${y1 + parent.y}`, `${x1 + joint.x} ${y1 + joint.y}`];
    group.append(svg("path", { class: "overlay-bone", d: `M${from}L${to}`, pathLength: 1 }));
  }
  for (const { x, y } of joints) {
    group.append(svg("circle", { class: "overlay-joint", cx: x1 + x, cy: y1 + y, r: unit * 0.9 }));
  }
  return group;
}

/**
 * @param {FigureAnnotation} figure
 * @param {number} width of the drawing, pixels
 * @param {number} height of the drawing, pixels
 * @returns {HTMLElement[]}
 */
function drawOutline({ box: [x1, y1, x2, y2], mask }, width, height) {
  if (!mask) return [];
  const canvas = el("canvas", { class: "overlay-mask" });
  paintMask(canvas, mask, Math.max(1, Math.round(Math.max(width, height) / 250)));
  canvas.style.left = `${(100 * x1) / width}%`;
  canvas.style.top = `${(100 * y1) / height}%`;
  canvas.style.width = `${(100 * (x2 - x1)) / width}%`;
  canvas.style.height = `${(100 * (y2 - y1)) / height}%`;
  return [canvas];
}

/**
 * Paint an outline and, faintly, what is inside; the canvas gets the mask's size.
 * @param {HTMLCanvasElement} canvas
 * @param {RunLengths} mask
 * @param {number} line width of the outline, pixels
 * @param {number} [inside] opacity of what is inside, 0 to 255
 */
export function paintMask(canvas, mask, line, inside = 46) {
  const [height, width] = mask.size;
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return;
  const pixels = maskPixels(mask);
  const image = context.createImageData(width, height);
  // A pixel as one number, red in its lowest byte.
  const colours = new Uint32Array(image.data.buffer);
  const [edge, fill] = [(235 << 24) | OUTLINE, (inside << 24) | OUTLINE];
  for (let i = 0; i < pixels.length; i += 1) {
    if (!pixels[i]) continue;
    colours[i] = isEdge(pixels, width, i, line) ? edge : fill;
  }
  context.putImageData(image, 0, 0);
}
