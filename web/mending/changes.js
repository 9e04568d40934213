/** How the figures of a drawing differ from what the server has, and how to tell it; pure. */

/** @import { FigureAnnotation } from "../types.js" */

/** @typedef {readonly FigureAnnotation[]} Figures */

/** What of a figure people can change. */
const MENDABLE = /** @type {const} */ (["box", "mask", "skeleton", "limbs", "hidden"]);

/** @typedef {Partial<Pick<FigureAnnotation, typeof MENDABLE[number]>>} FigureChange */

/**
 * The smallest request that makes one of the other; null where they are alike.
 * @typedef {{ kind: "mend", id: string, change: FigureChange }
 *   | { kind: "remove", id: string }
 *   | { kind: "replace", figures: Figures }} Change
 */

/**
 * @param {Figures} before
 * @param {Figures} after
 * @returns {Change | null}
 */
export function changeBetween(before, after) {
  const ids = (/** @type {Figures} */ figures) => figures.map(({ id }) => id).join(" ");
  if (ids(before) === ids(after)) return mendingOf(before, after);
  const gone = before.filter(({ id }) => !after.some((figure) => figure.id === id));
  const [first] = gone;
  const rest = before.filter((figure) => figure !== first);
  const isRemoval = first && ids(rest) === ids(after) && !mendingOf(rest, after);
  return isRemoval ? { kind: "remove", id: first.id } : { kind: "replace", figures: after };
}

/**
 * @param {Figures} before
 * @param {Figures} after with the same ids
 * @returns {Change | null}
 */
function mendingOf(before, after) {
  const changed = after.flatMap((figure, i) => {
    const old = before[i];
    return old && !isAlike(old, figure) ? [{ old, figure }] : [];
  });
  const [first, second] = changed;
  if (!first) return null;
  const change = differences(first.old, first.figure);
  const isEnough = !second && isAlike(mended(first.old, change), first.figure);
  return isEnough
    ? { kind: "mend", id: first.figure.id, change }
    : { kind: "replace", figures: after };
}

/**
 * What the server makes of a change: in another box, what the detector was sure of is for nothing.
 * @param {FigureAnnotation} figure
 * @param {FigureChange} change
 * @returns {FigureAnnotation}
 */
const mended = (figure, change) => ({ ...figure, ...(change.box && { score: 1 }), ...change });

/**
 * @param {FigureAnnotation} before
 * @param {FigureAnnotation} after
 * @returns {FigureChange}
 */
function differences(before, after) {
  const names = MENDABLE.filter((name) => !isAlike(before[name], after[name]));
  // Another box drops what does not come with it.
  if (names.includes("box")) names.push("mask", "skeleton");
  return Object.fromEntries(names.map((name) => [name, after[name]]));
}

/**
 * Another box: what is in it is found anew.
 * @param {FigureAnnotation} figure
 * @param {FigureAnnotation["box"]} box
 * @returns {FigureAnnotation}
 */
export const reframe = (figure, box) => ({ ...figure, box, score: 1, mask: null, skeleton: null });

/** @param {FigureAnnotation} figure */
export const isPending = ({ hidden, mask, skeleton }) => !hidden && !(mask && skeleton);

/**
 * Take over what was found of figures that lacked it, and nothing else.
 * @param {Figures} figures
 * @param {Figures} found
 * @returns {Figures} the same where there is nothing to take over
 */
export function complete(figures, found) {
  const completed = figures.map((figure) => {
    const other = found.find(({ id }) => id === figure.id);
    if (!other || !isAlike(figure.box, other.box)) return figure;
    const mask = figure.mask ?? other.mask;
    const isOurs = isAlike(mask, other.mask);
    const skeleton = figure.skeleton ?? (isOurs ? other.skeleton : null);
    const isFull = mask === figure.mask && skeleton === figure.skeleton;
    return isFull ? figure : { ...figure, mask, skeleton };
  });
  return completed.every((figure, i) => figure === figures[i]) ? figures : completed;
}

/**
 * Whether nobody but the server itself changed anything, when it found what figures lacked.
 * @param {Figures} before
 * @param {Figures} after
 */
export const isCompletion = (before, after) =>
  changeBetween(complete(before, after), after) === null;

/**
 * @param {unknown} one
 * @param {unknown} other
 * @returns {boolean} whether both say the same, in whatever order of names
 */
export function isAlike(one, other) {
  if (one === other) return true;
  if (!isTree(one) || !isTree(other)) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return names.length === others.length && names.every((name) => isAlike(one[name], other[name]));
}

/** @type {(thing: unknown) => thing is Record<string, unknown>} */
const isTree = (thing) => typeof thing === "object" && thing !== null;
