/** Figures for tests: four pixels square, and a little more certain than not. */

/** @import { FigureAnnotation } from "../types.js" */

export const MASK = { size: /** @type {[number, number]} */ ([4, 4]), counts: "04" };
export const SKELETON = { joints: [{ name: "root", parent: null, x: 1, y: 2, score: 1 }] };

/** @type {(id: string, rest?: Partial<FigureAnnotation>) => FigureAnnotation} */
export const figure = (id, rest) => ({
  id,
  box: [0, 0, 4, 4],
  score: 0.9,
  mask: MASK,
  skeleton: SKELETON,
  limbs: {},
  hidden: false,
  ...rest,
});
