/** One drawing: what was found in it, then the figure moving, in the motion that is chosen. */

import { Animations } from "../animations.js";
import {
  ApiError,
  createDrawing,
  deleteDrawing,
  fileUrl,
  getAnnotation,
  getDrawing,
  getFile,
  listMotions,
  pictureUrl,
} from "../api.js";
import { drawIcon } from "../art.js";
import { el } from "../dom.js";
import { anotherLink, choices } from "../elements/choices.js";
import { confirmLoss } from "../elements/confirm.js";
import { exportMenu } from "../elements/exports.js";
import { playbackBar } from "../elements/playback-bar.js";
import { player } from "../elements/player.js";
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
import { formatsForPlayer, USUAL, wishForPlayer } from "../wishes.js";

/** @import { AnimationDocument, AnimationFormat, JobEvent } from "../types.js" */
/** @import { Wish } from "../wishes.js" */

const words = strings.result;
const DEFAULT_MOTION = "dance";

/**
 * What is shown where tracks cannot be played: the second where the first does not play either.
 * @type {[AnimationFormat, AnimationFormat]}
 */
const FILMS = ["mp4", "gif"];

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
    /** @type {Wish} */
    this.wish = { motion: "", ...USUAL };
    this.loops = true;
    this.canPlay = typeof DecompressionStream === "function" && "WebGL2RenderingContext" in window;
    /** @type {import("../elements/live-player.js").LivePlayer | null} */
    this.live = null;
    /** @type {AnimationDocument | null} */
    this.shown = null;
    this.leaving = new AbortController();
    this.animations = new Animations(id, this.leaving.signal);
    this.heading = el("h1", { "aria-live": "polite" }, words.workingHeading);
    this.intro = el("p", { class: "intro", role: "status" }, words.workingIntro);
    this.stage = stage();
    this.easel = el("div", { class: "easel" }, this.stage.node);
    this.side = el("div", { class: "side" });
    this.steps = stepBar();
    this.playback = playbackBar({ ...USUAL, loops: true }, (change) => this.adjust(change));
    this.exports = exportMenu({
      find: (format) => this.findFile(format),
      make: (format, tell, signal) => this.makeFile(format, tell, signal),
    });
    this.bar = progress(words.workingHeading);
    /** @type {import("../elements/choices.js").Choices | null} */
    this.choices = null;
  }

  /** @param {string} motion the one to show first */
  async start(motion) {
    this.root.append(
      this.heading,
      el("div", { class: "result" }, this.easel, this.side),
    );
    document.title = `${words.workingHeading} · ${strings.appName}`;
    if (!this.canPlay) this.playback.hideLoop();
    this.showWorking();
    try {
      if (this.canPlay) loadPlayer().catch(() => {}); // asked for again when it is needed
      await this.readDrawing();
      await this.choose({ motion: await this.findMotion(motion) });
    } catch (error) {
      this.fail(error);
    }
  }

  stop() {
    this.leaving.abort();
    this.exports.stop();
    this.stage.leave();
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
  change(motion) {
    rename(addressOf(this.id, motion));
    return this.adjust({ motion });
  }

  /** @param {Partial<Wish & { loops: boolean }>} change */
  async adjust({ loops = this.loops, ...change }) {
    this.loops = loops;
    try {
      await this.choose(change);
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * Show the figure as wished: at once when that is known, or else as soon as it is made.
   * @param {Partial<Wish>} change
   */
  async choose(change) {
    if (this.leaving.signal.aborted) return;
    const wish = { ...this.wish, ...change };
    this.wish = wish;
    const needed = this.canPlay ? wishForPlayer(wish) : wish;
    const formats = this.canPlay ? formatsForPlayer(needed) : FILMS;
    if (!this.animations.find(needed, formats[0])) this.showMaking();
    const made = await this.animations.make(needed, formats, (event) => {
      if (wish === this.wish) this.tell(event, "animating");
    });
    if (made && wish === this.wish) await this.showAnimation(made);
  }

  /**
   * @param {JobEvent} event
   * @param {"reading" | "animating"} part
   */
  tell(event, part) {
    this.walk = advance(this.walk, event, part);
    this.steps.show(this.walk.step);
    const step = SHOWN_STEPS[this.walk.step] ?? "waiting";
    const isFirst = !this.shown;
    this.bar.show(
      this.walk.share,
      isFirst ? strings.steps[step] : words.learning(this.titleOf(this.wish.motion)),
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
    if (!this.shown) return;
    this.walk = START;
    this.bar.show(0, words.learning(this.titleOf(this.wish.motion)));
    this.stage.wait(this.bar.node);
    this.choices?.mark(this.wish.motion, this.wish.motion);
  }

  /** @param {AnimationDocument} animation */
  async showAnimation(animation) {
    const { wish } = this;
    const label = words.animationAlt(this.titleOf(wish.motion));
    if (!this.canPlay) this.stage.showPlayer(player(animation, label));
    else if (animation !== this.shown) await this.showLive(animation, label);
    if (wish !== this.wish || this.leaving.signal.aborted) return;
    this.live?.change(this.looks);
    this.shown = animation;
    this.stage.stopWaiting();
    this.heading.textContent = words.doneHeading(strings.motions[wish.motion] ?? "");
    document.title = `${this.heading.textContent} · ${strings.appName}`;
    this.walk = { step: SHOWN_STEPS.length - 1, share: 1 };
    this.showChoices();
  }

  /**
   * Play the vertex track; where that cannot be done after all, have a film made instead.
   * @param {AnimationDocument} animation
   * @param {string} label
   */
  async showLive(animation, label) {
    const { wish } = this;
    try {
      const [data, { readTrack, livePlayer }] = await Promise.all([
        getFile(animation.id, "track"),
        loadPlayer(),
      ]);
      const isSeamless = this.choices?.isSeamless(wish.motion) ?? false;
      const paper = wish.background === "paper" ? fileUrl(animation.id, "backdrop") : null;
      const about = { label, isSeamless, paper };
      const live = await livePlayer(await readTrack(data), about, this.looks);
      if (wish !== this.wish || this.leaving.signal.aborted) return live.stop();
      this.live = live;
      this.stage.showPlayer(live.node, () => live.stop());
    } catch (error) {
      if (error instanceof ApiError) throw error;
      console.warn("The track cannot be played; a film is asked for.", error);
      this.canPlay = false;
      this.live = null;
      this.playback.hideLoop();
      await this.choose({});
    }
  }

  get looks() {
    const { background, speed } = this.wish;
    return { background, speed, loops: this.loops };
  }

  showChoices() {
    if (!this.choices) return;
    const { motions, farewell } = this.choices;
    if (!motions.parentNode) {
      this.easel.append(this.playback.node);
      this.side.replaceChildren(motions, this.exports.node, farewell);
    }
    this.exports.refresh();
    this.choices.mark(this.wish.motion);
  }

  /** @param {AnimationFormat} format */
  findFile(format) {
    const isKept = this.shown && format !== "png"; // a still is of another moment each time
    return isKept ? this.animations.find(this.wish, format) : undefined;
  }

  /**
   * @param {AnimationFormat} format
   * @param {(event: JobEvent) => void} tell
   * @param {AbortSignal} signal
   */
  makeFile(format, tell, signal) {
    if (format !== "png") return this.animations.make(this.wish, [format], tell, { signal });
    // Stills are counted in frames of the track, whose speed is as it was made.
    const how = { signal, still: this.live?.shownFrame ?? 0 };
    return this.animations.make({ ...this.wish, speed: 1 }, [format], tell, how);
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
    this.choices?.mark(this.wish.motion);
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
      navigate(addressOf(id, this.wish.motion));
    } catch (error) {
      this.fail(error);
    }
  }
}

/** Comes when it is needed: the first page does without. */
async function loadPlayer() {
  const [{ readTrack }, { livePlayer }] = await Promise.all([
    import("../track.js"),
    import("../elements/live-player.js"),
  ]);
  return { readTrack, livePlayer };
}

/**
 * @param {string} id
 * @param {string} motion may be empty
 */
function addressOf(id, motion) {
  return `/drawings/${id}${motion ? `?motion=${encodeURIComponent(motion)}` : ""}`;
}
