import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { clearShelves, shelfOf } from "../mending/shelf.js";

/** @import { Annotation } from "../types.js" */

/** @type {{ base: Annotation, figures: [] }} */
const UNSAVED = {
  base: { width: 9, height: 9, figures: [], rotation: 0, revision: 3, job: null },
  figures: [],
};

/** A store of a browser: what is written are its own properties, as there. */
class Store {
  /** @param {string} name */
  getItem(name) {
    return Object.hasOwn(this, name) ? Reflect.get(this, name) : null;
  }

  /** @param {string} name @param {string} value */
  setItem(name, value) {
    Reflect.set(this, name, value);
  }

  /** @param {string} name */
  removeItem(name) {
    Reflect.deleteProperty(this, name);
  }
}

/** @param {object} store */
function give(store) {
  Object.defineProperty(globalThis, "localStorage", { value: store, configurable: true });
}

afterEach(() => give(new Store()));

test("what is put on a shelf is there for that drawing alone, until it is taken off", () => {
  give(new Store());
  shelfOf("one").write(UNSAVED);
  assert.deepEqual(shelfOf("one").read(), UNSAVED);
  assert.equal(shelfOf("two").read(), null);
  shelfOf("one").write(null);
  assert.equal(shelfOf("one").read(), null);
});

test("all shelves are cleared, and nothing else", () => {
  const store = new Store();
  give(store);
  shelfOf("one").write(UNSAVED);
  shelfOf("two").write(UNSAVED);
  store.setItem("other", "stays");
  clearShelves();
  assert.deepEqual(Object.keys(store), ["other"]);
});

test("what cannot be read or written does no harm", () => {
  const store = new Store();
  give(store);
  store.setItem("unsaved one", "{broken");
  assert.equal(shelfOf("one").read(), null);
  const forbidden = () => {
    throw new Error("SecurityError");
  };
  give({ getItem: forbidden, setItem: forbidden, removeItem: forbidden });
  assert.equal(shelfOf("one").read(), null);
  shelfOf("one").write(UNSAVED);
});
