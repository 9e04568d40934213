/** One drawing: what was found in it, then the figure moving, in the motion that is chosen. */

import { addressOf, readAddress } from "../addresses.js";
import { Animations } from "../animations.js";
import { ApiError, deleteDrawing, isGone, listMotions, pictureUrl, putBackground } from "../api.js";
import { drawIcon } from "../art.js";
import { reportConnection, untilBack } from "../connection.js";
import { el, frames } from "../dom.js";
import { batchStrip } from "../elements/batch-strip.js";
import { exportMenu } from "../elements/exports.js";
import { anotherLink, farewell } from "../elements/farewell.js";
import { MotionChoice } from "../elements/motion-choice.js";
import { mendAction, mendLink } from "../elements/mend-link.js";
import { playbackBar } from "../elements/playback-bar.js";
import { mayPass, problem } from "../elements/problem.js";
import { Show } from "../elements/show.js";
import { stage } from "../elements/stage.js";
import { working } from "../elements/working.js";
import { Keeper } from "../keeper.js";
import { handInAgain, openDrawing, readDrawing } from "../reading.js";
import { navigate, rename } from "../router.js";
import { forgetSendings } from "../sending.js";
import { forgetDrawing, recallDrawing, recallMotions } from "../session.js";
import { strings } from "../strings.js";
import { mountLost } from "./lost.js";

/** @import { AnimationDocument, Annotation, JobEvent } from "../types.js" */
/** @import { Keeping, Wish } from "../wishes.js" */

const words = strings.result;

/** @type {import("../types.js").Mount} */
export function mountResult(root, { id = "", query }) {
  const page = new ResultPage(root, id, readAddress(query));
  page.start();
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
   * @param {{ wish: Wish, keeping: Keeping }} first what to show
   */
  constructor(root, id, { wish, keeping }) {
    this.root = root;
    this.id = id;
    this.wish = wish;
    this.keeping = keeping;
    this.loops = true;
    this.leaving = new AbortController();
    this.animations = new Animations(id, this.leaving.signal);
    this.heading = el(
      "h1",
      { class: "result-heading", "aria-live": "polite" },
      words.workingHeading,
    );
    this.stage = stage();
    this.show = new Show(this.stage);
    this.working = working();
    this.talk = el("div", { class: "talk" }, this.working.node);
    this.side = el("div", { class: "side" });
    this.playback = playbackBar(
      { ...wish, loops: true },
      (change) => this.adjust(change),
      (picture) => this.hang(picture),
    );
    this.exports = exportMenu(new Keeper(this.animations, this.show, this), {
      drawing: id,
      keeping,
      onKeeping: (change) => this.keepAs(change),
      onTrim: (trim) => this.adjust({ trim }),
    });
    this.below = el("div", { class: "below is-coming" }, this.playback.node, mendLink(id));
    this.below.inert = true;
    /** @type {MotionChoice | null} */
    this.choice = null;
  }

  async start() {
    this.root.append(
      ...[batchStrip(this.id, this.leaving.signal)].filter((strip) => strip !== null),
      this.heading,
      el("div", { class: "result" }, this.stage.node, this.below, this.talk, this.side),
    );
    document.title = `${words.workingHeading} · ${strings.appName}`;
    if (!this.show.canPlay) this.playback.hideLoop();
    const listed = recallMotions(listMotions); // while the drawing is being read
    listed.catch(() => {});
    try {
      if (!(await this.read())) return;
      const motions = await listed;
      const known = { motions, figures: this.movable, wish: this.wish };
      this.choice = new MotionChoice(known, (change) => this.change(change), this.leaving.signal);
      const isKnown = this.choice.has(this.wish.motion);
      await this.choose(isKnown ? {} : { motion: motions[0]?.name ?? this.wish.motion });
    } catch (error) {
      this.fail(error);
    }
  }

  stop() {
    this.leaving.abort();
    this.exports.stop();
    this.choice?.stop();
    this.stage.leave();
  }

  /** Load the drawing, wait until its figures are known, and show them. */
  async read() {
    const known = await openDrawing(this.id);
    const isNew = !known.document.picture;
    if (known.preview) this.showPicture(known.preview);
    else if (known.document.picture) this.showPicture(pictureUrl(this.id));
    const tell = (/** @type {JobEvent} */ event) => {
      this.working.tell(event, "reading");
      this.showFound(event.found);
    };
    if (!(await readDrawing(known, tell, this.leaving.signal))) return false;
    const { annotation } = known;
    // The preview is the photo as it was taken, perhaps sideways; the server's picture is upright.
    if (!known.preview || annotation?.rotation || this.stage.isUnseen()) {
      this.showPicture(pictureUrl(this.id));
    }
    if (!annotation?.figures.length) throw new ApiError("no_figure_found", "", "box");
    this.stage.showFigures(annotation);
    this.working.say(words.found(annotation.figures.length));
    // Nothing was made of a drawing that has only just been read.
    if (!isNew) await this.animations.recall();
    return !this.leaving.signal.aborted;
  }

  /**
   * What is known so far, over the photo as it was taken: nothing where that lies on its side.
   * @param {Annotation | null} found
   */
  showFound(found) {
    if (!found?.figures.length || found.rotation) return;
    this.stage.showFigures(found);
    this.working.say(words.found(found.figures.length));
  }

  /** @param {Partial<Wish>} change */
  change(change) {
    rename(addressOf(this.id, { ...this.wish, ...change }, this.keeping));
    return this.adjust(change);
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

  /** @param {File} picture to lie behind the figures */
  async hang(picture) {
    try {
      await putBackground(this.id, picture);
      this.animations.forgetPictures();
      await this.choose({ background: "picture" });
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
    rename(addressOf(this.id, wish, this.keeping), { isStep: false });
    const { wish: needed, formats } = this.show.needs(wish);
    if (!this.animations.find(needed, formats[0])) this.showMaking();
    const made = await this.animations.make(needed, formats, (event) => {
      if (wish === this.wish) this.working.tell(event, "animating");
    });
    if (made && wish === this.wish) await this.showAnimation(made);
  }

  /** @param {Partial<Keeping>} change what files are to be like */
  keepAs(change) {
    this.keeping = { ...this.keeping, ...change };
    rename(addressOf(this.id, this.wish, this.keeping), { isStep: false });
    this.refreshExports();
  }

  refreshExports() {
    const { motion, trim } = this.wish;
    this.exports.refresh(this.choice?.durationOf(motion) ?? 0, trim);
  }

  /** @param {string} url */
  showPicture(url) {
    const name = recallDrawing(this.id)?.document.name ?? "";
    this.stage.showPicture(url, words.pictureAlt(name));
  }

  /** Something is being made; what was there before stays to be seen. */
  showMaking() {
    if (!this.show.animation) return;
    this.working.begin(words.learning(this.titleOf(this.wish.motion)));
    this.stage.wait(this.working.bar);
    this.choice?.mark(this.wish, true);
  }

  /** @param {AnimationDocument} animation */
  async showAnimation(animation) {
    const { wish, loops } = this;
    const isWanted = () => wish === this.wish && !this.leaving.signal.aborted;
    const label = words.animationAlt(this.titleOf(wish.motion));
    const isSeamless = this.choice?.isSeamless(wish) ?? false;
    const looks = { ...wish, loops };
    const isShown = await this.show.show(animation, { label, isSeamless }, looks, isWanted);
    if (!isWanted()) return;
    if (!isShown) {
      this.playback.hideLoop();
      await this.choose({});
      return;
    }
    this.stage.stopWaiting();
    this.heading.textContent = words.doneHeading(strings.motions[wish.motion] ?? "");
    document.title = `${this.heading.textContent} · ${strings.appName}`;
    // To lay out all there is to choose takes longer than a frame: first the figure moves.
    if (!this.choice?.node.parentNode) await frames(3);
    if (isWanted()) this.showChoices();
  }

  showChoices() {
    if (!this.choice) return;
    const { node } = this.choice;
    if (!node.parentNode) {
      this.talk.replaceChildren();
      this.below.classList.remove("is-coming");
      this.below.inert = false;
      const end = farewell(this.id, () => this.remove());
      this.side.replaceChildren(node, this.exports.node, end);
      if (this.show.canPlay) this.choice.rehearse(this.animations);
    }
    this.refreshExports();
    this.choice.mark(this.wish);
  }

  /** Ids of the figures that are moved, from left to right. */
  get movable() {
    const figures = recallDrawing(this.id)?.annotation?.figures ?? [];
    const moved = figures.filter(({ hidden }) => !hidden);
    return moved.sort(({ box: [one] }, { box: [other] }) => one - other).map(({ id }) => id);
  }

  /** @param {string} motion */
  titleOf(motion) {
    return this.choice?.titleOf(motion) ?? motion;
  }

  async remove() {
    try {
      await deleteDrawing(this.id);
      forgetDrawing(this.id);
      forgetSendings(({ drawing }) => drawing?.id === this.id);
      navigate("/");
    } catch (error) {
      this.fail(error);
    }
  }

  /** @param {unknown} error */
  fail(error) {
    if (this.leaving.signal.aborted) return;
    if (isGone(error)) {
      this.root.replaceChildren();
      mountLost(this.root, { query: new URLSearchParams() });
      return;
    }
    this.choice?.mark(this.wish);
    const again = el(
      "button",
      { type: "button", class: "button", onclick: () => this.again() },
      drawIcon("again"),
      strings.retry,
    );
    const first = mayPass(error) ? again : mendAction(this.id, error);
    const another = anotherLink();
    another.classList.toggle("is-quiet", first !== null);
    const actions = [first, another];
    const note = problem(error, ...actions.filter((action) => action !== null));
    const which = this.movable.findIndex((figure) => error instanceof ApiError && error.about.includes(figure));
    if (which >= 0 && this.movable.length > 1) {
      note.querySelector("h2")?.after(el("p", {}, strings.whichFigure(which + 1)));
    }
    this.heading.textContent = note.querySelector("h2")?.textContent ?? "";
    this.heading.classList.add("is-said-below");
    this.stage.stopWaiting();
    this.below.classList.add("is-coming");
    this.below.inert = true;
    this.side.replaceChildren();
    this.talk.replaceChildren(note);
    if (error instanceof ApiError && error.code === "offline") this.goOnWhenBack(note);
  }

  /**
   * Nobody need press a button once the server answers again.
   * @param {HTMLElement} note what was said of it
   */
  async goOnWhenBack(note) {
    reportConnection(false);
    await untilBack();
    if (note.isConnected && !this.leaving.signal.aborted) await this.again();
  }

  /** Go on from where it failed. */
  async again() {
    try {
      navigate(addressOf(await handInAgain(this.id), this.wish, this.keeping));
    } catch (error) {
      this.fail(error);
    }
  }
}
