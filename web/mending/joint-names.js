/** What joints and limbs are called, made of the words for their parts; pure but for the words. */

import { strings } from "../strings.js";

const words = strings.edit;

/** Side, part, number of the pair, and which end of the animal. */
const NAME = /^(?:(left|right)_)?([a-z_]+?)(\d*)(?:_([bf]))?$/;

/**
 * @param {string} joint such as "left_elbow" or "right_shoulder2"
 * @returns {string} as it is called, or its own name where no word is known
 */
export const jointName = (joint) => nameOf(joint, words.parts);

/**
 * @param {string} joint the one at which a limb begins, such as "left_shoulder"
 * @returns {string} what the limb is called: "left arm"
 */
export const limbName = (joint) => nameOf(joint, words.limbs);

/**
 * @param {string} joint
 * @param {Record<string, string>} parts
 */
function nameOf(joint, parts) {
  const [, side, part = "", number = "", end] = NAME.exec(joint) ?? [];
  const known = parts[part];
  if (!known) return joint.replaceAll("_", " ");
  const sideWord = side === "left" ? words.sides.left : side === "right" ? words.sides.right : "";
  const endWord = end === "b" ? words.ends.back : end === "f" ? words.ends.front : "";
  return words.named(sideWord, endWord, known, number);
}
