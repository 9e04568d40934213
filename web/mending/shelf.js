/** What was mended and is not saved yet, in the browser's own store; one without it does without. */

/** @import { Shelf, Unsaved } from "./saving.js" */

const PREFIX = "unsaved ";

/**
 * @param {string} id of a drawing
 * @returns {Shelf}
 */
export function shelfOf(id) {
  const name = PREFIX + id;
  return {
    read() {
      try {
        return /** @type {Unsaved | null} */ (JSON.parse(localStorage.getItem(name) ?? "null"));
      } catch {
        return null;
      }
    },
    write(unsaved) {
      try {
        if (unsaved) localStorage.setItem(name, JSON.stringify(unsaved));
        else localStorage.removeItem(name);
      } catch {
        // It is full or forbidden: what is not saved lasts as long as the page.
      }
    },
  };
}

/** Nothing is kept of any drawing. */
export function clearShelves() {
  try {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(PREFIX)) localStorage.removeItem(name);
    }
  } catch {
    // Where it is forbidden, nothing is kept.
  }
}
