/** Skeletons as people mend them: joints moved, limbs taken off and put on, sides swapped; pure. */

import { distance } from "../geometry.js";

/** @import { FigurePoint } from "../spaces.js" */
/** @import { Joint, Skeleton, SkeletonTemplate } from "../types.js" */

/** Joints of the body itself; what hangs on one of them and is not here begins a limb. */
const TRUNK = new Set(["root", "hip", "torso"]);

/** Joints that are nearer than this are one to people, pixels. */
const TOGETHER = 1;

/** @typedef {{ x: number, y: number, width: number, height: number }} Bounds in figure space */

/**
 * A limb: its joints, the first is the one at which it begins.
 * @typedef {{ name: string, joints: Joint[] }} Limb
 */

/**
 * The joints that lie in one place, and are moved as one; the last of each is the outermost.
 * @param {Skeleton} skeleton
 * @returns {[Joint, ...Joint[]][]}
 */
export function knotsOf({ joints }) {
  /** @type {[Joint, ...Joint[]][]} */
  const knots = [];
  for (const joint of joints) {
    const near = knots.find(
      ([first, ...rest]) =>
        distance(first, joint) < TOGETHER &&
        [first, ...rest].some(({ name }) => name === joint.parent),
    );
    if (near) near.push(joint);
    else knots.push([joint]);
  }
  return knots;
}

/**
 * @param {Skeleton} skeleton
 * @param {ReadonlySet<string>} names of the joints that go there
 * @param {FigurePoint} to
 * @returns {Skeleton}
 */
export function moveJoints({ joints }, names, { x, y }) {
  const moved = (/** @type {Joint} */ joint) =>
    names.has(joint.name) ? { ...joint, x, y, score: 1 } : joint;
  return { joints: joints.map(moved) };
}

/**
 * What was the left is the right: every joint stays where it is, under the other name.
 * @param {Skeleton} skeleton
 * @returns {Skeleton} in the order of before
 */
export function swapSides({ joints }) {
  const swapped = joints.map((joint) => ({
    ...joint,
    name: otherSide(joint.name),
    parent: joint.parent && otherSide(joint.parent),
    score: 1,
  }));
  const places = new Map(joints.map(({ name }, i) => [name, i]));
  const placeOf = (/** @type {Joint} */ { name }) => places.get(name) ?? places.size;
  const ordered = [...swapped].sort((a, b) => placeOf(a) - placeOf(b));
  return { joints: isTree(ordered) ? ordered : swapped };
}

/** @type {(name: string) => string} */
export const otherSide = (name) =>
  name.replace(/^(left|right)(?=_)/, (side) => (side === "left" ? "right" : "left"));

/** @param {readonly Joint[]} joints */
function isTree(joints) {
  const seen = new Set();
  return joints.every(({ name, parent }) => {
    const isWell = parent === null || seen.has(parent);
    seen.add(name);
    return isWell;
  });
}

/**
 * Arms, legs, tails, the head: in the order of the skeleton.
 * @param {Skeleton} skeleton
 * @returns {Limb[]}
 */
export function limbsOf({ joints }) {
  /** @type {Map<string, Limb>} */
  const limbs = new Map();
  /** @type {Map<string, Limb>} */
  const owners = new Map();
  for (const joint of joints) {
    if (joint.parent === null || TRUNK.has(joint.name)) continue;
    const limb = owners.get(joint.parent) ?? { name: joint.name, joints: [] };
    limb.joints.push(joint);
    limbs.set(limb.name, limb);
    owners.set(joint.name, limb);
  }
  return [...limbs.values()];
}

/**
 * @param {Skeleton} skeleton
 * @param {string} joint
 * @returns {Limb | undefined} none for the joints of the body
 */
export const limbOf = (skeleton, joint) =>
  limbsOf(skeleton).find(({ joints }) => joints.some(({ name }) => name === joint));

/**
 * @param {Skeleton} skeleton
 * @param {readonly Limb[]} limbs
 * @returns {Skeleton}
 */
export function removeLimbs({ joints }, limbs) {
  const gone = new Set(limbs.flatMap((limb) => limb.joints.map(({ name }) => name)));
  return { joints: joints.filter(({ name }) => !gone.has(name)) };
}

/** @type {(limb: Limb) => boolean} */
export const isArm = ({ name }) => /(^|_)shoulder\d*$/.test(name);

/**
 * Limbs of the templates that a skeleton has not got and that it could hang on what it has.
 * @param {Skeleton} skeleton
 * @param {readonly SkeletonTemplate[]} templates
 * @param {Bounds} bounds of the figure's paint
 * @returns {Limb[]} each once, where its template has it
 */
export function limbsToAdd({ joints }, templates, bounds) {
  const known = new Set(joints.map(({ name }) => name));
  /** @type {Map<string, Limb>} */
  const found = new Map();
  for (const template of templates) {
    for (const limb of limbsOf(layTemplate(template, bounds))) {
      const [first] = limb.joints;
      const isNew = !found.has(limb.name) && limb.joints.every(({ name }) => !known.has(name));
      if (isNew && first?.parent && known.has(first.parent)) found.set(limb.name, limb);
    }
  }
  return [...found.values()];
}

/**
 * @param {Skeleton} skeleton
 * @param {Limb} limb
 * @returns {Skeleton}
 */
export const addLimb = ({ joints }, limb) => ({ joints: [...joints, ...limb.joints] });

/**
 * @param {SkeletonTemplate} template
 * @param {Bounds} bounds of the figure's paint
 * @returns {Skeleton}
 */
export function layTemplate({ joints }, { x, y, width, height }) {
  return {
    joints: joints.map(({ name, parent, ...share }) => ({
      name,
      parent,
      x: x + share.x * width,
      y: y + share.y * height,
      score: 1,
    })),
  };
}

/**
 * The draw order of limbs that are still there; left and right exchanged where they were.
 * @template Value
 * @param {Record<string, Value>} limbs
 * @param {Skeleton} skeleton
 * @param {(name: string) => string} [rename]
 * @returns {Record<string, Value>}
 */
export function orderFor(limbs, skeleton, rename = (name) => name) {
  const known = new Set(skeleton.joints.map(({ name }) => name));
  const renamed = Object.entries(limbs).map(([name, value]) => /** @type {const} */ ([rename(name), value]));
  return Object.fromEntries(renamed.filter(([name]) => known.has(name)));
}
