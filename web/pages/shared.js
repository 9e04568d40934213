/** What somebody shares: the figure moving, for anybody who has the link. */

import { readAddress } from "../addresses.js";
import { ApiError, getBytes, getShared, isGone } from "../api.js";
import { dayOf } from "../dates.js";
import { el } from "../dom.js";
import { mayPass, problem } from "../elements/problem.js";
import { stage } from "../elements/stage.js";
import { strings } from "../strings.js";

/** @import { SharedAnimation } from "../types.js" */

const words = strings.shared;

/** @type {import("../types.js").Mount} */
export function mountShared(root, { id = "", query }) {
  const leaving = new AbortController();
  const room = stage();
  show(root, id, query, room, leaving.signal).catch((error) => {
    if (!leaving.signal.aborted) root.replaceChildren(sorry(error));
  });
  return () => {
    leaving.abort();
    room.leave();
  };
}

/**
 * @param {HTMLElement} root
 * @param {string} id
 * @param {URLSearchParams} query how it is played
 * @param {import("../elements/stage.js").Stage} room
 * @param {AbortSignal} signal
 */
async function show(root, id, query, room, signal) {
  const shared = await getShared(id);
  if (signal.aborted) return;
  const motion = strings.motions[shared.motion] ?? "";
  const heading = words.heading(motion);
  document.title = `${heading} · ${strings.appName}`;
  const until = dayOf(shared.expires);
  root.append(
    el(
      "div",
      { class: "shared" },
      el("h1", { class: "result-heading" }, heading),
      el("p", { class: "intro" }, words.intro),
      room.node,
      el("a", { href: "/", "data-page": true, class: "button" }, words.own),
      el("p", { class: "small" }, words.until(until)),
    ),
  );
  await play(shared, query, heading, room, signal);
}

/**
 * @param {SharedAnimation} shared
 * @param {URLSearchParams} query
 * @param {string} label
 * @param {import("../elements/stage.js").Stage} room
 * @param {AbortSignal} signal
 */
async function play({ files }, query, label, room, signal) {
  const { wish } = readAddress(query);
  const url = (/** @type {string} */ format) => files.find((file) => file.format === format)?.url;
  const track = url("track");
  const film = url("gif");
  if (!track) {
    if (!film) throw new ApiError("not_found", "");
    room.showPlayer(el("div", { class: "player" }, el("img", { src: film, alt: label })));
    return;
  }
  const [data, { readTrack }, { livePlayer }] = await Promise.all([
    getBytes(track),
    import("../track.js"),
    import("../elements/live-player.js"),
  ]);
  const about = { label, isSeamless: false, paper: url("backdrop") ?? null };
  const player = await livePlayer(await readTrack(data), about, { ...wish, loops: true });
  if (signal.aborted) player.stop();
  else room.showPlayer(player.node, () => player.stop());
}

/** @param {unknown} error */
function sorry(error) {
  if (!isGone(error)) {
    const again = el(
      "button",
      { type: "button", class: "button", onclick: () => location.reload() },
      strings.retry,
    );
    return problem(error, ...(mayPass(error) ? [again] : []));
  }
  document.title = `${words.goneHeading} · ${strings.appName}`;
  return el(
    "div",
    { class: "lost" },
    el("h1", {}, words.goneHeading),
    el("p", {}, words.gone),
    el("p", {}, el("a", { href: "/", "data-page": true, class: "button" }, words.own)),
  );
}
