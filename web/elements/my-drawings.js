/** One's own drawings: those on their way, and those that the server keeps, the newest first. */

import { listDrawings, pictureUrl } from "../api.js";
import { el } from "../dom.js";
import { listSendings, watchSendings } from "../sending.js";
import { strings } from "../strings.js";
import { drawingStrip } from "./drawing-strip.js";

/** @import { Sending } from "../sending.js" */
/** @import { DrawingDocument } from "../types.js" */
/** @import { Thumb } from "./drawing-strip.js" */

const DAY = 24 * 3600;

const words = strings.drawings;

/**
 * @param {AbortSignal} signal ends it
 * @returns {{ node: HTMLElement, ready: Promise<void> }} nothing is to be seen while there is none
 */
export function myDrawings(signal) {
  const strip = drawingStrip();
  /** @type {DrawingDocument[]} */
  const kept = [];
  const more = el(
    "button",
    { type: "button", class: "button is-text", hidden: true, onclick: () => load().catch(() => {}) },
    words.more,
  );
  const node = el(
    "section",
    { class: "my-drawings", hidden: true },
    el("h2", {}, words.mine),
    strip.node,
    more,
  );
  const show = () => {
    const onTheirWay = listSendings().filter(({ drawing }) => !isKept(kept, drawing));
    const thumbs = [...onTheirWay.map(thumbOfSending), ...kept.map(thumbOfKept)];
    // How the only one is getting on is told where it was handed in: nothing has to make room for it.
    node.hidden = thumbs.length === 0 || (kept.length === 0 && onTheirWay.length === 1);
    strip.show(thumbs);
  };
  const load = async () => {
    const { drawings, hasMore } = await listDrawings(kept.at(-1)?.id ?? null);
    kept.push(...drawings.filter((drawing) => !isKept(kept, drawing)));
    more.hidden = !hasMore;
    show();
  };
  watchSendings(show, signal);
  show();
  return { node, ready: load() };
}

/**
 * @param {readonly DrawingDocument[]} kept
 * @param {DrawingDocument | null} drawing
 */
const isKept = (kept, drawing) => kept.some(({ id }) => id === drawing?.id);

/**
 * @param {Sending} sending
 * @returns {Thumb}
 */
export function thumbOfSending({ drawing, file, preview, state, share }) {
  return {
    key: preview,
    href: drawing && `/drawings/${drawing.id}`,
    picture: preview,
    name: file.name,
    note: words.states[state],
    share: state === "sending" || state === "reading" ? share : null,
    isChosen: false,
  };
}

/**
 * @param {DrawingDocument} drawing
 * @returns {Thumb}
 */
function thumbOfKept({ id, name, expires }) {
  const days = expires === null ? null : Math.ceil((expires - Date.now() / 1000) / DAY);
  return {
    key: id,
    href: `/drawings/${id}`,
    picture: pictureUrl(id),
    name,
    note: days === null ? "" : words.days(Math.max(days, 1)),
    share: null,
    isChosen: false,
  };
}
