/** From the grid on which an outline was mended to what changes of its figure. Pure. */

import { boundsOf, cutMask, joinAreas } from "./grid.js";
import { fromFigure, inFigure, toFigure } from "../spaces.js";

/** @import { Grid } from "./grid.js" */
/** @import { Box, FigureAnnotation, Joint } from "../types.js" */

/**
 * The box grows to hold what was painted beside it; the joints stay where they are in the drawing.
 * @param {Grid} grid
 * @param {FigureAnnotation} figure
 * @returns {Partial<FigureAnnotation> | null} null where nothing of the figure is left
 */
export function mendedBy(grid, figure) {
  const bounds = boundsOf(grid);
  if (!bounds) return null;
  const box = /** @type {Box} */ (joinAreas(figure.box, bounds));
  const mask = cutMask(grid, box);
  if (box.every((side, i) => side === figure.box[i])) return { mask };
  return { box, mask, skeleton: figure.skeleton && moveJoints(figure.skeleton, figure.box, box) };
}

/**
 * @param {{ joints: Joint[] }} skeleton in the space of the figure with one box
 * @param {Box} from
 * @param {Box} to
 * @returns {{ joints: Joint[] }} in the space of the figure with the other
 */
function moveJoints(skeleton, from, to) {
  const joints = skeleton.joints.map((joint) => {
    const { x, y } = toFigure(fromFigure(inFigure(joint.x, joint.y), from), to);
    return { ...joint, x, y };
  });
  return { ...skeleton, joints };
}
