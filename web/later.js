/** Pages that are loaded when they are needed, so that the first page is light. */

import { ApiError } from "./api.js";
import { reportConnection } from "./connection.js";
import { el } from "./dom.js";
import { problem } from "./elements/problem.js";
import { strings } from "./strings.js";

/** @import { Mount } from "./types.js" */

/** What anybody does who is about to hand in a drawing. */
const SIGNS = ["pointerdown", "keydown", "dragover", "paste"];

/**
 * A page whose code begins to come at the first sign of use, and at the latest when it is mounted.
 * @param {() => Promise<Mount>} load
 * @returns {Mount}
 */
export function later(load) {
  for (const sign of SIGNS) {
    document.addEventListener(sign, () => load().catch(() => {}), { once: true });
  }
  return (root, params) => {
    let unmount = () => {};
    let isLeft = false;
    load().then(
      (mount) => {
        if (!isLeft) unmount = mount(root, params);
      },
      () => {
        if (!isLeft) tellThatItDidNotCome(root);
      },
    );
    return () => {
      isLeft = true;
      unmount();
    };
  };
}

/** @param {HTMLElement} root */
function tellThatItDidNotCome(root) {
  reportConnection(false);
  const again = el(
    "button",
    { type: "button", class: "button", onclick: () => location.reload() },
    strings.retry,
  );
  root.replaceChildren(problem(new ApiError("offline", ""), again));
}
