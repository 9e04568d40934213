/** Address to page; one page is mounted at a time. */

/** @import { Mount, Params } from "./types.js" */

/** @type {{ pattern: RegExp, mount: Mount }[]} */
const routes = [];

/** @type {Mount} */
let mountLost = () => () => {};

let unmount = () => {};

/**
 * @param {RegExp} pattern with groups as `Params` names them
 * @param {Mount} mount
 */
export function addRoute(pattern, mount) {
  routes.push({ pattern, mount });
}

/**
 * Show what the address says, now and whenever it changes.
 * @param {Mount} lost the page for addresses that lead nowhere
 */
export function startRouter(lost) {
  mountLost = lost;
  window.addEventListener("popstate", show);
  document.addEventListener("click", followLink);
  show();
}

/**
 * Go to an address of the page.
 * @param {string} path
 */
export function navigate(path) {
  history.pushState(null, "", path);
  show();
  window.scrollTo(0, 0);
  document.getElementById("main")?.focus({ preventScroll: true });
}

/**
 * Change the address without leaving the page.
 * @param {string} path
 * @param {{ isStep?: boolean }} [how] whether going back leads to what was there before
 */
export function rename(path, { isStep = true } = {}) {
  if (location.pathname + location.search === path) return;
  if (isStep) history.pushState(null, "", path);
  else history.replaceState(null, "", path);
}

function show() {
  unmount();
  const root = /** @type {HTMLElement} */ (document.getElementById("main"));
  root.replaceChildren();
  const { mount, params } = find(location.pathname, new URLSearchParams(location.search));
  unmount = mount(root, params);
}

/**
 * @param {string} path
 * @param {URLSearchParams} query
 * @returns {{ mount: Mount, params: Params }}
 */
function find(path, query) {
  for (const { pattern, mount } of routes) {
    const match = pattern.exec(path);
    if (match) return { mount, params: { ...match.groups, query } };
  }
  return { mount: mountLost, params: { query } };
}

/** @param {MouseEvent} event */
function followLink(event) {
  const target = /** @type {Element} */ (event.target);
  const link = /** @type {HTMLAnchorElement | null} */ (target.closest("a[data-page]"));
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  navigate(link.pathname + link.search);
}
