/** What the figures of a drawing could do, asked of the server when the first of it is to be seen. */

import { getFile } from "./api.js";
import { readPreviews } from "./previews.js";

/** @import { Animations } from "./animations.js" */
/** @import { PreviewFigure } from "./previews.js" */
/** @import { AnimationRequest } from "./types.js" */

/** Longer side of a card, in pixels of a fine screen. */
const SIDE = 224;

/**
 * @param {Animations} animations
 * @param {string} motion one of people's own, which is then the only one; or any of the library
 * @returns {Promise<PreviewFigure[]>} none when nobody waits any more
 */
export async function rehearse(animations, motion) {
  /** @type {AnimationRequest} */
  const request = { motion, formats: ["previews"], side: SIDE };
  const made = animations.made(request) ?? (await animations.begin(request, () => {}));
  return made ? readPreviews(await getFile(made.id, "previews")) : [];
}
