/** The corrections of each drawing that was opened in this visit, joined to the server. */

import { changeFigure, deleteFigure, getAnnotation, putAnnotation } from "../api.js";
import { reportConnection } from "../connection.js";
import { Corrections } from "./corrections.js";
import { followJob } from "../events.js";
import { rememberAnnotation } from "../session.js";
import { shelfOf } from "./shelf.js";
import { strings } from "../strings.js";

/** @import { Change } from "./changes.js" */
/** @import { Server } from "./saving.js" */
/** @import { Annotation } from "../types.js" */

/** @type {Map<string, Corrections>} */
const opened = new Map();

/** It goes on saving when the page that mends is left. */
const forEver = new AbortController().signal;

/**
 * Take up where it was left, in this visit or before.
 * @param {string} id of the drawing
 * @param {Annotation} annotation as the server has it now
 * @returns {Corrections}
 */
export function openCorrections(id, annotation) {
  const known = opened.get(id);
  if (known) {
    known.refresh().catch(() => {});
    return known;
  }
  const corrections = new Corrections(annotation, serverOf(id), shelfOf(id), strings.edit.done);
  opened.set(id, corrections);
  return corrections;
}

/**
 * @param {string} id
 * @returns {Server}
 */
function serverOf(id) {
  /** @param {Promise<Annotation>} answer */
  const remember = async (answer) => {
    const annotation = await answer;
    reportConnection(true);
    rememberAnnotation(id, annotation);
    return annotation;
  };
  return {
    load: () => remember(getAnnotation(id)),
    send: (change, base) => remember(request(id, change, base)),
    follow: (job) => followJob(job, () => {}, forEver),
  };
}

/**
 * @param {string} id
 * @param {Change} change
 * @param {Annotation} base
 */
function request(id, change, base) {
  const { revision } = base;
  if (change.kind === "mend") return changeFigure(id, change.id, change.change, revision);
  if (change.kind === "remove") return deleteFigure(id, change.id, revision);
  return putAnnotation(id, { ...base, figures: [...change.figures] }, revision);
}
