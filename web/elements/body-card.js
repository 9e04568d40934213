/** A body to lay into a figure: its skeleton, drawn small, and what it is called. */

import { el, svg } from "../dom.js";
import { strings } from "../strings.js";

/** @import { SkeletonTemplate } from "../types.js" */

/**
 * @param {SkeletonTemplate} template
 * @param {(title: string) => void} onChoose
 * @returns {HTMLButtonElement}
 */
export function bodyCard(template, onChoose) {
  const title = strings.edit.bodies[template.name] ?? template.title;
  const about = { type: "button", class: "body-card", onclick: () => onChoose(title) };
  return el("button", about, drawTemplate(template), el("span", {}, title));
}

/** @param {SkeletonTemplate} template */
function drawTemplate({ joints }) {
  const places = new Map(joints.map((joint) => [joint.name, joint]));
  const of = (/** @type {{ x: number, y: number }} */ { x, y }) => `${6 + 36 * x} ${4 + 44 * y}`;
  const d = joints.flatMap((joint) => {
    const parent = joint.parent && places.get(joint.parent);
    return parent ? [`M${of(parent)}L${of(joint)}`] : [];
  });
  const neck = places.get("neck");
  const head = neck ? [svg("circle", { cx: 6 + 36 * neck.x, cy: 4 + 44 * neck.y - 3, r: 4.5 })] : [];
  const picture = { viewBox: "0 0 48 52", class: "body-picture", "aria-hidden": "true" };
  return svg("svg", picture, svg("path", { d: d.join("") }), ...head);
}
