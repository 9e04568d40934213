/** A skeleton as lines over the drawing: a colour for each side, and one for the body. */

import { svg } from "../dom.js";
import { limbsOf } from "../mending/skeletons.js";
import { fromFigure, inFigure } from "../spaces.js";

/** @import { Depth, FigureAnnotation, Joint } from "../types.js" */

/**
 * @param {FigureAnnotation} figure
 * @param {(limb: string | null) => string} lookOf class of the bones of a limb, by the joint at
 *   which it begins; null for those of the body
 * @returns {SVGElement[]} dark lines first, then the coloured ones over them
 */
export function drawBones({ skeleton, box }, lookOf) {
  if (!skeleton) return [];
  const places = new Map(skeleton.joints.map((joint) => [joint.name, joint]));
  const owners = new Map(
    limbsOf(skeleton).flatMap(({ name, joints }) => joints.map((joint) => [joint.name, name])),
  );
  const bones = skeleton.joints.flatMap((joint) => {
    const parent = joint.parent && places.get(joint.parent);
    if (!parent) return [];
    const owner = owners.get(joint.name) ?? null;
    // The bone that leads to a limb is the body's.
    const limb = owner === joint.name && owners.get(parent.name) !== owner ? null : owner;
    return [{ d: pathOf(parent, joint, box), look: lookOf(limb) }];
  });
  return [
    ...bones.map(({ d }) => svg("path", { class: "bone is-under", d })),
    ...bones.map(({ d, look }) => svg("path", { class: `bone ${look}`, d })),
  ];
}

/** @type {(limb: string | null) => string} */
export const sideLook = (limb) =>
  limb?.startsWith("left_") ? "is-left" : limb?.startsWith("right_") ? "is-right" : "is-trunk";

/** @type {(depth: Depth | undefined) => string} */
export const depthLook = (depth) => (depth ? `is-${depth}` : "is-free");

/**
 * @param {Joint} parent
 * @param {Joint} joint
 * @param {FigureAnnotation["box"]} box
 */
function pathOf(parent, joint, box) {
  const [from, to] = [parent, joint].map(({ x, y }) => fromFigure(inFigure(x, y), box));
  return `M${from?.x} ${from?.y}L${to?.x} ${to?.y}`;
}
