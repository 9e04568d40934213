/** Which motions a word or a tag finds; pure. */

/** @import { MotionInfo } from "./types.js" */

/** Tags that are chips: each motion of the library has at least one of them. */
export const KINDS = ["going", "dance", "sport", "greeting", "feeling"];

/** The tag of motions that people handed in. */
export const OWN = "own";

/**
 * @typedef {object} Dictionary of one language
 * @property {Record<string, string>} titles by the name of the motion
 * @property {Record<string, string>} tags by the tag
 */

/**
 * What a motion is called in the language of the page.
 * @param {MotionInfo} motion
 * @param {Dictionary} words
 */
export const titleOf = ({ name, title }, words) => words.titles[name] ?? title;

/**
 * Names of the motions that have the tag and all of the words, in the language of the page or in
 * English, in any case; a word may be the beginning or the middle of another.
 * @param {readonly MotionInfo[]} motions
 * @param {Dictionary} words
 * @param {string} query
 * @param {string | null} kind a tag; null for all
 * @returns {Set<string>}
 */
export function findMotions(motions, words, query, kind) {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = motions.filter((motion) => {
    const told = textOf(motion, words);
    const isKind = kind === null || motion.tags.includes(kind);
    return isKind && wanted.every((word) => told.includes(word));
  });
  return new Set(found.map(({ name }) => name));
}

/**
 * @param {MotionInfo} motion
 * @param {Dictionary} words
 */
function textOf(motion, words) {
  const { name, title, tags } = motion;
  const translated = tags.map((tag) => words.tags[tag] ?? "");
  return [name, title, titleOf(motion, words), ...tags, ...translated].join(" ").toLowerCase();
}
