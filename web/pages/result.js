/** One drawing: what was found in it, then the figure moving, in the motion that is chosen. */

import { Animations } from "../animations.js";
import {
  ApiError,
  createDrawing,
  deleteDrawing,
  getAnnotation,
  getDrawing,
  listMotions,
  pictureUrl,
} from "../api.js";
import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { anotherLink, choices } from "../elements/choices.js";
import { confirmLoss } from "../elements/confirm.js";
import { mayPass, problem } from "../elements/problem.js";
import { progress } from "../elements/progress.js";
import { stage } from "../elements/stage.js";
import { stepBar } from "../elements/step-bar.js";
import { followJob } from "../events.js";
import { mountLost } from "./lost.js";
import { advance, SHOWN_STEPS, START } from "../progress.js";
import { navigate, rename } from "../router.js";
import { forgetDrawing, recallDrawing, recallMotions, rememberDrawing } from "../session.js";
import { strings } from "../strings.js";

/** @import { AnimationDocument, JobEvent } from "../types.js" */

const words = strings.result;
const DEFAULT_MOTION = "dance";

/** @type {import("../types.js").Mount} */
export function mountResult(root, { id = "", motion }) {
  const page = new ResultPage(root, id);
  page.start(motion ?? DEFAULT_MOTION);
  return () => page.stop();
}

/**
 * Walks through reading the drawing and making one animation after another; what is on the page
 * at any time is the newest thing known: the picture, what was found in it, or the animation.
 */
class ResultPage {
  /**
   * @param {HTMLElement} root
   * @param {string} id of the drawing
   */
  constructor(root, id) {
    this.root = root;
    this.id = id;
    this.walk = START;
    this.motion = "";
    this.leaving = new AbortController();
    this.animations = new Animations(id, this.leaving.signal);
    this.heading = el("h1", { "aria-live": "polite" }, words.workingHeading);
    this.intro = el("p", { class: "intro", role: "status" }, words.workingIntro);
    this.stage = stage();
    this.side = el("div", { class: "side" });
    this.steps = stepBar();
    this.bar = progress(words.workingHeading);
    /** @type {import("../elements/choices.js").Choices | null} */
    this.choices = null;
  }

  /** @param {string} motion the one to show first */
  async start(motion) {
    this.root.append(
      this.heading,
      el("div", { class: "result" }, el("div", { class: "easel" }, this.stage.node), this.side),
    );
    document.title = `${words.workingHeading} · ${strings.appName}`;
    this.showWorking();
    try {
      await this.readDrawing();
      await this.choose(await this.findMotion(motion));
    } catch (error) {
      this.fail(error);
    }
  }

  stop() {
    this.leaving.abort();
  }

  /** Load the drawing, wait until its figures are known, and show them. */
  async readDrawing() {
    const known = recallDrawing(this.id) ?? rememberDrawing(await getDrawing(this.id));
    if (known.preview) this.showPicture(known.preview);
    else if (known.document.picture) this.showPicture(pictureUrl(this.id));
    if (!known.annotation) {
      await followJob(
        known.document.job,
        (event) => this.tell(event, "reading"),
        this.leaving.signal,
      );
      if (this.leaving.signal.aborted) return;
      const [document, annotation] = await Promise.all([
        getDrawing(this.id),
        getAnnotation(this.id),
      ]);
      rememberDrawing(document).annotation = annotation;
      await this.animations.recall();
    }
    // The preview is the photo as it was taken, perhaps sideways; the server's picture is upright.
    if (!known.preview || known.annotation?.rotation || this.stage.isUnseen()) {
      this.showPicture(pictureUrl(this.id));
    }
    this.showFound();
  }

  /**
   * @param {string} wanted
   * @returns {Promise<string>} the motion of that name, or the first there is
   */
  async findMotion(wanted) {
    const motions = await recallMotions(listMotions);
    this.choices = choices(
      motions,
      (motion) => this.change(motion),
      () => this.remove(),
    );
    return this.choices.has(wanted) ? wanted : (motions[0]?.name ?? wanted);
  }

  /** @param {string} motion */
  async change(motion) {
    rename(addressOf(this.id, motion));
    try {
      await this.choose(motion);
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * Show the figure in a motion: at once when it is known, or else as soon as it is made.
   * @param {string} motion
   */
  async choose(motion) {
    if (this.leaving.signal.aborted) return;
    this.motion = motion;
    const known = this.animations.finished.get(motion);
    if (known) {
      this.showAnimation(known);
      return;
    }
    this.showMaking();
    const made = await this.animations.make(motion, (event) => {
      if (motion === this.motion) this.tell(event, "animating");
    });
    if (made && motion === this.motion) this.showAnimation(made);
  }

  /**
   * @param {JobEvent} event
   * @param {"reading" | "animating"} part
   */
  tell(event, part) {
    this.walk = advance(this.walk, event, part);
    this.steps.show(this.walk.step);
    const step = SHOWN_STEPS[this.walk.step] ?? "waiting";
    const isFirst = this.animations.finished.size === 0;
    this.bar.show(
      this.walk.share,
      isFirst ? strings.steps[step] : words.learning(this.titleOf(this.motion)),
    );
  }

  showWorking() {
    this.side.replaceChildren(this.intro, this.bar.node, this.steps.node);
    this.bar.show(0, strings.steps.waiting);
  }

  /** @param {string} url */
  showPicture(url) {
    const name = recallDrawing(this.id)?.document.name ?? "";
    this.stage.showPicture(url, words.pictureAlt(name));
  }

  showFound() {
    const annotation = recallDrawing(this.id)?.annotation;
    const count = annotation?.figures.length ?? 0;
    if (!annotation || count === 0) throw new ApiError("no_figure_found", "");
    this.stage.showFigures(annotation);
    this.intro.textContent = words.found(count);
  }

  /** Something is being made; what was there before stays to be seen. */
  showMaking() {
    if (this.animations.finished.size === 0) return;
    this.walk = START;
    this.bar.show(0, words.learning(this.titleOf(this.motion)));
    this.stage.wait(this.bar.node);
    this.choices?.mark(this.motion, this.motion);
  }

  /** @param {AnimationDocument} animation */
  showAnimation(animation) {
    const title = this.titleOf(this.motion);
    this.heading.textContent = words.doneHeading(strings.motions[this.motion] ?? "");
    document.title = `${this.heading.textContent} · ${strings.appName}`;
    this.walk = { step: SHOWN_STEPS.length - 1, share: 1 };
    this.stage.showAnimation(animation, words.animationAlt(title));
    this.showChoices(animation);
  }

  /** @param {AnimationDocument} animation */
  showChoices(animation) {
    if (!this.choices) return;
    this.choices.offer(animation);
    const [first] = this.choices.nodes;
    if (first?.parentNode !== this.side) this.side.replaceChildren(...this.choices.nodes);
    this.choices.mark(this.motion);
  }

  /** @param {string} motion */
  titleOf(motion) {
    return this.choices?.titleOf(motion) ?? motion;
  }

  async remove() {
    const isSure = await confirmLoss({
      question: words.removeQuestion,
      hint: words.removeHint,
      yes: words.removeYes,
      no: words.removeNo,
    });
    if (!isSure) return;
    try {
      await deleteDrawing(this.id);
      forgetDrawing(this.id);
      navigate("/");
    } catch (error) {
      this.fail(error);
    }
  }

  /** @param {unknown} error */
  fail(error) {
    if (this.leaving.signal.aborted) return;
    if (error instanceof ApiError && error.code === "not_found") {
      this.root.replaceChildren();
      mountLost(this.root, {});
      return;
    }
    this.choices?.mark(this.motion);
    const again = el(
      "button",
      { type: "button", class: "button is-quiet", onclick: () => this.again() },
      drawIcon("again"),
      strings.retry,
    );
    const note = problem(error, anotherLink(), ...(mayPass(error) ? [again] : []));
    this.heading.textContent = note.querySelector("h2")?.textContent ?? "";
    this.heading.className = "visually-hidden";
    this.stage.stopWaiting();
    this.side.replaceChildren(note);
  }

  /** Go on from where it failed; a drawing that was not read is handed in once more. */
  async again() {
    const { file, annotation } = recallDrawing(this.id) ?? { file: null, annotation: null };
    let { id } = this;
    try {
      if (file && !annotation) {
        const drawing = await createDrawing(file, file.name, () => {});
        rememberDrawing(drawing, file);
        ({ id } = drawing);
      }
      navigate(addressOf(id, this.motion));
    } catch (error) {
      this.fail(error);
    }
  }
}

/**
 * @param {string} id
 * @param {string} motion may be empty
 */
function addressOf(id, motion) {
  return `/drawings/${id}${motion ? `?motion=${encodeURIComponent(motion)}` : ""}`;
}
