/** Whether a drawing and its corrections may be learned from: no, unless somebody says yes. */

import { getOwner, hasConsent, setConsent } from "../api.js";
import { el } from "../dom.js";
import { strings } from "../strings.js";
import { tick } from "./segments.js";

const words = strings.consent;

/**
 * Empty where the server does not learn at all.
 * @param {string} drawing its id
 * @returns {HTMLElement}
 */
export function consent(drawing) {
  const node = el("div", { class: "consent" });
  fill(node, drawing).catch((error) => console.warn("It is not known what may be learned.", error));
  return node;
}

/**
 * @param {HTMLElement} node
 * @param {string} drawing
 */
async function fill(node, drawing) {
  const { learning } = await getOwner();
  if (!learning) return;
  const said = el("p", { class: "small", role: "status" }, words.explain);
  const change = async (/** @type {boolean} */ isGiven) => {
    try {
      await setConsent(drawing, isGiven);
      said.textContent = isGiven ? words.given : words.taken;
    } catch {
      said.textContent = words.failed;
      node.replaceChildren(said);
    }
  };
  node.append(tick(words.label, await hasConsent(drawing), change), said);
}
