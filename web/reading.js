/** Waiting until it is known what a drawing shows. */

import { createDrawing, getAnnotation, getDrawing, isGone } from "./api.js";
import { followJob } from "./events.js";
import { recallDrawing, rememberAnnotation, rememberDrawing } from "./session.js";

/** @import { DrawingState } from "./session.js" */
/** @import { Annotation, JobEvent } from "./types.js" */

/**
 * The drawing as far as this visit knows it.
 * @param {string} id
 * @returns {Promise<DrawingState>}
 */
export async function openDrawing(id) {
  return recallDrawing(id) ?? rememberDrawing(await getDrawing(id));
}

/**
 * Wait until all figures of a drawing are known, also those that were just corrected.
 * @param {DrawingState} known
 * @param {(event: JobEvent) => void} tell
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} false when nobody waits any more
 */
export async function readDrawing(known, tell, signal) {
  const { id, job } = known.document;
  let annotation = await findAnnotation(known);
  const pending = annotation ? annotation.job : job;
  if (pending) {
    await followJob(pending, tell, signal);
    if (signal.aborted) return false;
  }
  const see = async () => rememberDrawing(await getDrawing(id));
  [annotation] = await Promise.all([
    pending ? getAnnotation(id) : annotation,
    known.document.picture ? null : see(),
  ]);
  if (!annotation) return false;
  rememberAnnotation(id, annotation);
  return !signal.aborted;
}

/**
 * Asked for anew at each look, since it may have been corrected elsewhere.
 * @param {DrawingState} known
 * @returns {Promise<Annotation | null>} null where the drawing has not been read
 */
async function findAnnotation({ document, annotation }) {
  if (!document.picture && !annotation) return null;
  try {
    return await getAnnotation(document.id);
  } catch (error) {
    if (!annotation && isGone(error)) return null;
    throw error;
  }
}

/**
 * A drawing that was not read is handed in once more, when its file is at hand.
 * @param {string} id
 * @returns {Promise<string>} id of the drawing to go on with
 */
export async function handInAgain(id) {
  const { file, annotation } = recallDrawing(id) ?? { file: null, annotation: null };
  if (!file || annotation) return id;
  const drawing = await createDrawing(file, file.name, () => {});
  rememberDrawing(drawing, file);
  return drawing.id;
}
