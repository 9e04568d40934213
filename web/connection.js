/** Whether the server answers; says so on top of the page while it does not. */

import { getHealth } from "./api.js";
import { strings } from "./strings.js";

const LOOK_MS = 1500;
const GOOD_NEWS_MS = 2500;

let isLost = false;

/** Told when the server answers again. @type {(() => void)[]} */
let waiting = [];

/**
 * Tell what was just seen of the server.
 * @param {boolean} answers
 */
export function reportConnection(answers) {
  if (answers === !isLost) return;
  isLost = !answers;
  const banner = /** @type {HTMLElement} */ (document.getElementById("banner"));
  banner.textContent = isLost ? strings.server.lost : strings.server.back;
  banner.className = isLost ? "banner is-lost" : "banner";
  if (isLost) return lookAgain();
  setTimeout(() => !isLost && hide(banner), GOOD_NEWS_MS);
  for (const resolve of waiting) resolve();
  waiting = [];
}

/**
 * Until the server answers; at once where it does.
 * @returns {Promise<void>}
 */
export function untilBack() {
  return isLost ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
}

/** @param {HTMLElement} banner */
function hide(banner) {
  banner.className = "";
  banner.textContent = "";
}

function lookAgain() {
  setTimeout(async () => {
    if (!isLost) return;
    try {
      await getHealth();
      reportConnection(true);
    } catch {
      lookAgain();
    }
  }, LOOK_MS);
}
