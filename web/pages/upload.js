/** The first page: hand in drawings, or go on with one of one's own. */

import { drawDoodle } from "../art.js";
import { reportConnection } from "../connection.js";
import { el } from "../dom.js";
import { dropZone } from "../elements/drop-zone.js";
import { myDrawings } from "../elements/my-drawings.js";
import { samples, tips } from "../elements/samples.js";
import { sendingStatus } from "../elements/sending-status.js";
import { navigate } from "../router.js";
import { listSendings, sendFiles, sendLeftovers, watchSendings } from "../sending.js";
import { strings } from "../strings.js";

/** @import { Sending } from "../sending.js" */

const words = strings.upload;

/** Milliseconds that one's own drawings may take before the rest of the page is shown without. */
const PATIENCE = 1000;

/** @type {import("../types.js").Mount} */
export function mountUpload(root) {
  document.title = `${strings.title} · ${strings.appName}`;
  const leaving = new AbortController();
  const { signal } = leaving;
  const status = sendingStatus();
  const send = (/** @type {File[]} */ files) => follow(sendFiles(files)[0], status, signal);
  const place = el("div", { class: "hero-drop" }, dropZone(send, signal), status.node);
  const below = el("div", { class: "below" });
  root.append(
    el(
      "div",
      { class: "hero" },
      el(
        "div",
        { class: "hero-words" },
        el("h1", {}, words.heading),
        el("p", { class: "intro" }, words.intro),
      ),
      drawDoodle(),
      place,
    ),
    below,
  );
  fill(below, send, signal);
  resume().then((first) => follow(first, status, signal));
  return () => leaving.abort();
}

/** What was on its way already, in this visit or before. */
async function resume() {
  const pending = listSendings().find(({ drawing }) => !drawing);
  return pending ?? (await sendLeftovers())[0];
}

/**
 * Tell how the first of several is getting on, and open it when it is there.
 * @param {Sending | undefined} sending
 * @param {import("../elements/sending-status.js").SendingStatus} status
 * @param {AbortSignal} signal
 */
function follow(sending, status, signal) {
  if (!sending || signal.aborted) return;
  const look = () => {
    if (!listSendings().includes(sending)) return;
    if (sending.drawing) navigate(`/drawings/${sending.drawing.id}`);
    else status.show(sending);
  };
  watchSendings(look, signal);
  look();
}

/**
 * Below come one's own drawings and the samples. They are put there at once, so that nothing moves
 * afterwards; drawings that take too long to be told of come last.
 * @param {HTMLElement} below
 * @param {(files: File[]) => void} send
 * @param {AbortSignal} signal
 */
async function fill(below, send, signal) {
  const mine = myDrawings(signal);
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, true));
  const told = mine.ready.catch(() => {}).then(() => false);
  const isLate = await Promise.race([told, late]);
  const borrowed = samples(send, () => reportConnection(false));
  below.append(...(isLate ? [borrowed, tips(), mine.node] : [mine.node, borrowed, tips()]));
}
