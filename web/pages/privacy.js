/** What happens to drawings, in plain words; and how to have all of them forgotten. */

import { deleteOwner, getOwner } from "../api.js";
import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { confirmLoss } from "../elements/confirm.js";
import { problem } from "../elements/problem.js";
import { forgetSendings } from "../sending.js";
import { forgetDrawings } from "../session.js";
import { clearShelves } from "../mending/shelf.js";
import { strings } from "../strings.js";

/** @import { Owner } from "../types.js" */

const words = strings.privacy;

/** @type {import("../types.js").Mount} */
export function mountPrivacy(root) {
  document.title = `${words.heading} · ${strings.appName}`;
  let isLeft = false;
  getOwner().then(
    (owner) => {
      if (!isLeft) root.append(page(owner));
    },
    (error) => {
      if (!isLeft) root.append(problem(error));
    },
  );
  return () => {
    isLeft = true;
  };
}

/** @param {Owner} owner */
function page({ has_drawings: hasDrawings, keep_days: days, learning }) {
  const parts = [
    ...words.parts(days),
    ...(learning ? [words.learning] : [words.noLearning]),
  ].map(([title, text]) => el("section", {}, el("h2", {}, title), el("p", {}, text)));
  return el(
    "article",
    { class: "privacy" },
    el("h1", {}, words.heading),
    el("p", { class: "intro" }, words.intro),
    ...parts,
    forgetting(hasDrawings),
  );
}

/** @param {boolean} hasDrawings */
function forgetting(hasDrawings) {
  const said = el("p", { role: "status" }, hasDrawings ? words.deleteText : words.nothing);
  const forget = async () => {
    const { deleteQuestion: question, deleteHint: hint, deleteYes: yes, deleteNo: no } = words;
    if (!(await confirmLoss({ question, hint, yes, no }))) return;
    try {
      await deleteOwner();
      forgetDrawings();
      forgetSendings(() => true);
      clearShelves();
      button.remove();
      said.textContent = words.deleted;
      said.tabIndex = -1;
      said.focus();
    } catch (error) {
      node.append(problem(error));
    }
  };
  const button = el(
    "button",
    { type: "button", class: "button is-danger", hidden: !hasDrawings, onclick: forget },
    drawIcon("bin"),
    words.deleteAll,
  );
  const node = el("section", {}, el("h2", {}, words.deleteHeading), said, button);
  return node;
}
