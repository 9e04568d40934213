/** What this visit knows: kept while the page is open, so that nothing is asked for twice. */

/** @import { AnimationDocument, Annotation, DrawingDocument, MotionInfo } from "./types.js" */

/**
 * @typedef {object} DrawingState
 * @property {DrawingDocument} document
 * @property {File | null} file as it was chosen, when it was chosen in this visit
 * @property {string | null} preview address of that file, for showing at once
 * @property {Annotation | null} annotation
 * @property {Map<string, AnimationDocument>} animations finished ones, by what was asked for
 */

/** @type {Map<string, DrawingState>} */
const drawings = new Map();

/** @type {MotionInfo[] | null} */
let motions = null;

/**
 * @param {DrawingDocument} document
 * @param {File | null} [file]
 * @returns {DrawingState}
 */
export function rememberDrawing(document, file = null) {
  const known = drawings.get(document.id);
  const state = known ?? {
    document,
    file,
    preview: file && URL.createObjectURL(file),
    annotation: null,
    animations: new Map(),
  };
  state.document = document;
  drawings.set(document.id, state);
  return state;
}

/**
 * Animations of another revision show what has been corrected since: they are not shown again.
 * @param {string} id of a drawing that is known
 * @param {Annotation} annotation
 */
export function rememberAnnotation(id, annotation) {
  const state = drawings.get(id);
  if (!state) return;
  if (state.annotation?.revision !== annotation.revision) state.animations.clear();
  state.annotation = annotation;
}

/** @type {(id: string) => DrawingState | undefined} */
export const recallDrawing = (id) => drawings.get(id);

/** @param {string} id */
export function forgetDrawing(id) {
  const preview = drawings.get(id)?.preview;
  if (preview) URL.revokeObjectURL(preview);
  drawings.delete(id);
}

export function forgetDrawings() {
  for (const id of [...drawings.keys()]) forgetDrawing(id);
}

/** There are other motions now. */
export function forgetMotions() {
  motions = null;
}

/**
 * @param {() => Promise<MotionInfo[]>} load
 * @returns {Promise<MotionInfo[]>}
 */
export async function recallMotions(load) {
  motions ??= await load();
  return motions;
}
