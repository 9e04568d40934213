/** The drawings that were handed in together, one tap away from each other. */

import { listSendings, watchSendings } from "../sending.js";
import { strings } from "../strings.js";
import { drawingStrip } from "./drawing-strip.js";
import { thumbOfSending } from "./my-drawings.js";

/**
 * @param {string} id of the drawing that is shown
 * @param {AbortSignal} signal ends it
 * @returns {HTMLElement | null} null where there was one alone
 */
export function batchStrip(id, signal) {
  const isOfBatch = listSendings().some(({ drawing }) => drawing?.id === id);
  if (!isOfBatch || listSendings().length < 2) return null;
  const strip = drawingStrip("is-small batch");
  strip.node.setAttribute("aria-label", strings.drawings.others);
  const show = () =>
    strip.show(
      listSendings().map((one) => ({ ...thumbOfSending(one), isChosen: one.drawing?.id === id })),
    );
  watchSendings(show, signal);
  show();
  return strip.node;
}
