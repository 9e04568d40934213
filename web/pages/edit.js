/** Mending a drawing: every mistake, by hand, and the figure dances beside it as it is mended. */

import { isGone, pictureUrl } from "../api.js";
import { el } from "../dom.js";
import { openCorrections } from "../mending/editing.js";
import { DrawingBoard } from "../elements/drawing-board.js";
import { TOOLS } from "../elements/edit-top.js";
import { anotherLink } from "../elements/farewell.js";
import { problem } from "../elements/problem.js";
import { Workbench } from "../elements/workbench.js";
import { working } from "../elements/working.js";
import { openDrawing, readDrawing } from "../reading.js";
import { recallDrawing } from "../session.js";
import { strings } from "../strings.js";
import { mountLost } from "./lost.js";

/** @import { JobEvent } from "../types.js" */

const words = strings.edit;

/** Styles that only this page needs. */
const STYLES = ["/styles/board.css", "/styles/edit.css", "/styles/outline.css"];

/** @type {import("../types.js").Mount} */
export function mountEdit(root, { id = "", tool, query }) {
  const leaving = new AbortController();
  /** @type {Workbench | null} */
  let bench = null;
  document.title = `${words.heading} · ${strings.appName}`;
  const reading = working();
  const tell = (/** @type {JobEvent} */ event) => {
    if (!reading.node.parentNode) root.append(heading(), reading.node);
    reading.tell(event, "reading");
  };
  open(id, query, tell, leaving.signal).then(
    (opened) => {
      if (!opened || leaving.signal.aborted) return opened?.leave();
      bench = opened;
      root.replaceChildren(bench.node);
      bench.use(TOOLS.find((name) => name === tool) ?? "figures", false);
    },
    (error) => {
      if (leaving.signal.aborted) return;
      root.replaceChildren();
      if (isGone(error)) mountLost(root, { query });
      else root.append(heading(), problem(error, anotherLink()));
    },
  );
  return () => {
    leaving.abort();
    bench?.leave();
  };
}

/** For whoever goes by headings, while there is no other. */
const heading = () => el("h1", { class: "visually-hidden" }, words.heading);

/**
 * @param {string} id of the drawing
 * @param {URLSearchParams} query which figure, and the dance to come back to
 * @param {(event: JobEvent) => void} tell how the drawing is read, where it still is
 * @param {AbortSignal} signal
 * @returns {Promise<Workbench | null>} null when nobody waits any more
 */
async function open(id, query, tell, signal) {
  const [known] = await Promise.all([openDrawing(id), ...STYLES.map(loadStyle)]);
  const isRead = await readDrawing(known, tell, signal);
  const annotation = recallDrawing(id)?.annotation;
  if (!isRead || !annotation) return null;
  const board = new DrawingBoard({
    picture: pictureUrl(id),
    label: words.board,
    size: annotation,
  });
  return new Workbench(id, board, openCorrections(id, annotation), query);
}

/**
 * The page is not shown before it is there.
 * @param {string} href
 * @returns {Promise<unknown>}
 */
function loadStyle(href) {
  if (document.head.querySelector(`link[href="${href}"]`)) return Promise.resolve();
  const link = el("link", { rel: "stylesheet", href });
  const loaded = new Promise((resolve) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", resolve);
  });
  document.head.append(link);
  return loaded;
}
