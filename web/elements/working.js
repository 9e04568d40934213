/** What is being done with the drawing just now: a sentence, a bar, and the steps of the walk. */

import { el } from "../dom.js";
import { advance, SHOWN_STEPS, START } from "../progress.js";
import { strings } from "../strings.js";
import { progress } from "./progress.js";
import { stepBar } from "./step-bar.js";

/** @import { JobEvent } from "../types.js" */

const words = strings.result;

/**
 * @typedef {object} Working
 * @property {HTMLElement} node
 * @property {HTMLElement} bar alone, for where there is no room
 * @property {(sentence: string) => void} say
 * @property {(sentence: string) => void} begin a walk anew, of which the bar says this
 * @property {(event: JobEvent, part: "reading" | "animating") => void} tell
 */

/** @returns {Working} */
export function working() {
  let walk = START;
  let label = "";
  const intro = el("p", { class: "intro", role: "status" }, words.workingIntro);
  const bar = progress(words.workingHeading);
  const steps = stepBar();
  bar.show(0, strings.steps.waiting);
  return {
    node: el("div", { class: "working" }, intro, bar.node, steps.node),
    bar: bar.node,
    say(sentence) {
      intro.textContent = sentence;
    },
    begin(sentence) {
      walk = START;
      label = sentence;
      bar.show(0, label);
    },
    tell(event, part) {
      walk = advance(walk, event, part);
      steps.show(walk.step);
      bar.show(walk.share, label || strings.steps[SHOWN_STEPS[walk.step] ?? "waiting"]);
    },
  };
}
