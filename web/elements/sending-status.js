/** How a drawing is getting on that is being sent, in the place where it was handed in. */

import { ApiError } from "../api.js";
import { el } from "../dom.js";
import { forgetSendings, sendAgain } from "../sending.js";
import { strings } from "../strings.js";
import { mayPass, problem } from "./problem.js";
import { progress } from "./progress.js";

/** @import { Sending } from "../sending.js" */

const words = strings.upload;

/**
 * @typedef {object} SendingStatus
 * @property {HTMLElement} node empty while there is nothing to tell
 * @property {(sending: Sending) => void} show
 */

/** @returns {SendingStatus} */
export function sendingStatus() {
  const node = el("div", { class: "upload-status" });
  const bar = progress(words.sending);
  let shown = "";
  const put = (/** @type {string} */ what, /** @type {() => Node} */ make) => {
    if (shown === what) return;
    shown = what;
    node.replaceChildren(make());
  };
  const dismiss = (/** @type {Sending} */ sending) => {
    shown = "";
    node.replaceChildren();
    forgetSendings((one) => one === sending);
  };
  return {
    node,
    show(sending) {
      if (sending.state === "failed") {
        put("problem", () => problem(sending.error, ...actionsFor(sending, dismiss)));
        return;
      }
      put("bar", () => sendingCard(sending, bar.node));
      bar.show(sending.share, sentenceFor(sending.error));
    },
  };
}

/** @param {unknown} error why it has to wait, if it has to */
function sentenceFor(error) {
  if (!(error instanceof ApiError)) return words.sending;
  return error.code === "offline" ? words.waiting : words.busy;
}

/**
 * @param {Sending} sending
 * @param {Node} bar
 */
function sendingCard({ preview, file }, bar) {
  const photo = el("div", { class: "sending-photo" });
  const picture = el("img", { src: preview, alt: strings.result.pictureAlt(file.name) });
  picture.addEventListener("load", () => photo.append(picture)); // not every file can be shown
  return el("div", { class: "sending" }, photo, bar);
}

/**
 * @param {Sending} sending
 * @param {(sending: Sending) => void} dismiss
 */
function actionsFor(sending, dismiss) {
  /** @type {(text: string, kind: string, onclick: () => void) => HTMLElement} */
  const button = (text, kind, onclick) =>
    el("button", { type: "button", class: `button ${kind}`, onclick }, text);
  const other = button(words.another, "is-quiet", () => dismiss(sending));
  const again = button(strings.retry, "", () => sendAgain(sending));
  return mayPass(sending.error) ? [again, other] : [other];
}
