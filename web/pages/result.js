/** One drawing: what was found in it, then the figure moving, in the motion that is chosen. */

import {
  ApiError,
  createAnimation,
  createDrawing,
  deleteDrawing,
  fileUrl,
  getAnimation,
  getAnnotation,
  getDrawing,
  listAnimations,
  listMotions,
  pictureUrl,
} from "../api.js";
import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { confirmLoss } from "../elements/confirm.js";
import { motionCard } from "../elements/motion-card.js";
import { overlay } from "../elements/overlay.js";
import { player } from "../elements/player.js";
import { mayPass, problem } from "../elements/problem.js";
import { progress } from "../elements/progress.js";
import { stepBar } from "../elements/step-bar.js";
import { followJob } from "../events.js";
import { mountLost } from "./lost.js";
import { advance, SHOWN_STEPS, START } from "../progress.js";
import { navigate, rename } from "../router.js";
import { forgetDrawing, recallDrawing, recallMotions, rememberDrawing } from "../session.js";
import { strings } from "../strings.js";

/** @import { AnimationDocument, JobEvent, MotionInfo } from "../types.js" */

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
    /** @type {Map<string, Promise<AnimationDocument | null>>} */
    this.making = new Map();
    this.heading = el("h1", { "aria-live": "polite" }, words.workingHeading);
    this.intro = el("p", { class: "intro", role: "status" }, words.workingIntro);
    this.stage = el("div", { class: "stage" });
    this.side = el("div", { class: "side" });
    this.steps = stepBar();
    this.bar = progress(words.workingHeading);
    /** @type {Map<string, ReturnType<typeof motionCard>>} */
    this.cards = new Map();
    this.downloads = el("div", { class: "downloads" });
  }

  /** @param {string} motion the one to show first */
  async start(motion) {
    this.root.append(
      this.heading,
      el("div", { class: "result" }, el("div", { class: "easel" }, this.stage), this.side),
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

  /** @returns {import("../session.js").DrawingState} */
  get state() {
    const state = recallDrawing(this.id);
    if (!state) throw new Error(`drawing ${this.id} has not been loaded`);
    return state;
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
      await this.recallAnimations();
    }
    const isUnseen = this.stage.classList.contains("is-unseen");
    if (!known.preview || isUnseen) this.showPicture(pictureUrl(this.id));
    this.showFound();
  }

  /** Animations that were finished in an earlier visit need not be made again. */
  async recallAnimations() {
    for (const animation of await listAnimations(this.id)) {
      if (animation.files.length > 0)
        this.state.animations.set(animation.request.motion, animation);
    }
  }

  /**
   * @param {string} wanted
   * @returns {Promise<string>} the motion of that name, or the first there is
   */
  async findMotion(wanted) {
    const motions = await recallMotions(listMotions);
    for (const motion of motions) {
      this.cards.set(
        motion.name,
        motionCard(motion, (name) => this.change(name)),
      );
    }
    return this.cards.has(wanted) ? wanted : (motions[0]?.name ?? wanted);
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
    const known = this.state.animations.get(motion);
    if (known) {
      this.showAnimation(known);
      return;
    }
    this.showMaking();
    const making = this.making.get(motion) ?? this.make(motion);
    this.making.set(motion, making);
    try {
      const made = await making;
      if (made && motion === this.motion) this.showAnimation(made);
    } finally {
      this.making.delete(motion);
    }
  }

  /**
   * Have an animation made, to the end, whatever else is chosen meanwhile.
   * @param {string} motion
   * @returns {Promise<AnimationDocument | null>} null when the page was left
   */
  async make(motion) {
    const asked = await createAnimation(this.id, motion);
    const tell = (/** @type {JobEvent} */ event) => {
      if (motion === this.motion) this.tell(event, "animating");
    };
    await followJob(asked.job, tell, this.leaving.signal);
    if (this.leaving.signal.aborted) return null;
    const made = await getAnimation(asked.id);
    this.state.animations.set(motion, made);
    return made;
  }

  /**
   * @param {JobEvent} event
   * @param {"reading" | "animating"} part
   */
  tell(event, part) {
    this.walk = advance(this.walk, event, part);
    this.steps.show(this.walk.step);
    const step = SHOWN_STEPS[this.walk.step] ?? "waiting";
    const isFirst = this.state.animations.size === 0;
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
    const hide = () => this.stage.classList.add("is-unseen");
    const picture = el("img", {
      src: url,
      alt: words.pictureAlt(name),
      class: "picture",
      onerror: hide,
    });
    this.stage.classList.remove("is-unseen");
    this.stage.replaceChildren(picture);
  }

  showFound() {
    const { annotation } = this.state;
    const count = annotation?.figures.length ?? 0;
    if (!annotation || count === 0) throw new ApiError("no_figure_found", "");
    this.stage.append(overlay(annotation));
    this.intro.textContent = words.found(count);
  }

  /** Something is being made; what was there before stays to be seen. */
  showMaking() {
    if (this.state.animations.size === 0) return;
    this.walk = START;
    this.stage.classList.add("is-waiting");
    this.bar.show(0, words.learning(this.titleOf(this.motion)));
    this.stage.append(el("div", { class: "stage-note" }, this.bar.node));
    this.updateCards(this.motion);
  }

  /** @param {AnimationDocument} animation */
  showAnimation(animation) {
    const title = this.titleOf(this.motion);
    this.heading.textContent = words.doneHeading(strings.motions[this.motion] ?? "");
    document.title = `${this.heading.textContent} · ${strings.appName}`;
    this.walk = { step: SHOWN_STEPS.length - 1, share: 1 };
    this.stage.classList.remove("is-waiting", "is-unseen");
    this.stage.replaceChildren(player(animation, words.animationAlt(title)));
    this.showChoices(animation);
  }

  /** @param {AnimationDocument} animation */
  showChoices(animation) {
    this.downloads.replaceChildren(
      ...animation.files.map((file) => downloadLink(animation, file.format)),
    );
    this.updateCards("");
    if (this.side.querySelector(".motions")) return;
    this.side.replaceChildren(
      el(
        "section",
        { class: "motions" },
        el("h2", {}, words.motions),
        el("div", { class: "motion-cards" }, ...[...this.cards.values()].map((card) => card.node)),
      ),
      el("section", {}, el("h2", {}, words.download), this.downloads),
      el(
        "div",
        { class: "farewell" },
        anotherLink(),
        el(
          "button",
          { type: "button", class: "button is-text", onclick: () => this.remove() },
          drawIcon("bin"),
          words.remove,
        ),
      ),
    );
  }

  /** @param {string} busy name of the motion that is being made */
  updateCards(busy) {
    for (const [name, card] of this.cards) {
      card.show({ isChosen: name === this.motion, isBusy: name === busy });
    }
  }

  /** @param {string} motion */
  titleOf(motion) {
    return this.cards.get(motion)?.node.textContent ?? motion;
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
    this.updateCards("");
    const again = el(
      "button",
      { type: "button", class: "button is-quiet", onclick: () => this.again() },
      drawIcon("again"),
      strings.retry,
    );
    const note = problem(error, anotherLink(), ...(mayPass(error) ? [again] : []));
    this.heading.textContent = note.querySelector("h2")?.textContent ?? "";
    this.heading.className = "visually-hidden";
    this.stage.classList.remove("is-waiting");
    this.stage.querySelector(".stage-note")?.remove();
    if (!this.stage.querySelector("img, video")) this.stage.classList.add("is-unseen");
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

/**
 * @param {AnimationDocument} animation
 * @param {"gif" | "mp4"} format
 */
function downloadLink(animation, format) {
  const [title, hint] =
    format === "gif"
      ? [words.downloadGif, words.downloadGifHint]
      : [words.downloadMp4, words.downloadMp4Hint];
  return el(
    "a",
    { class: "button is-quiet", href: fileUrl(animation.id, format, true), download: true },
    drawIcon("save"),
    el("span", {}, title, el("small", {}, hint)),
  );
}

function anotherLink() {
  return el(
    "a",
    { class: "button", href: "/", "data-page": true },
    drawIcon("picture"),
    words.another,
  );
}
