/** What was there before each step, and what was taken back; pure. */

/**
 * @template Thing
 * @typedef {object} Step
 * @property {Thing} thing as it was on the other side of the step
 * @property {string} what was done, for people
 */

/**
 * @template Thing
 * @typedef {object} History
 * @property {readonly Step<Thing>[]} past oldest first
 * @property {Thing} present
 * @property {readonly Step<Thing>[]} future what was taken back last comes last
 */

/** Steps that are kept. */
export const LONGEST = 200;

/**
 * @template Thing
 * @param {Thing} present
 * @returns {History<Thing>}
 */
export const begin = (present) => ({ past: [], present, future: [] });

/**
 * One more step; what had been taken back is gone.
 * @template Thing
 * @param {History<Thing>} history
 * @param {Thing} thing
 * @param {string} what
 * @returns {History<Thing>}
 */
export function step({ past, present }, thing, what) {
  return { past: [...past, { thing: present, what }].slice(-LONGEST), present: thing, future: [] };
}

/**
 * @template Thing
 * @param {History<Thing>} history
 * @returns {History<Thing>} the same where nothing is to be taken back
 */
export function undo(history) {
  const last = history.past.at(-1);
  if (!last) return history;
  const { present, future } = history;
  return {
    past: history.past.slice(0, -1),
    present: last.thing,
    future: [...future, { thing: present, what: last.what }],
  };
}

/**
 * @template Thing
 * @param {History<Thing>} history
 * @returns {History<Thing>} the same where nothing was taken back
 */
export function redo(history) {
  const next = history.future.at(-1);
  if (!next) return history;
  const { past, present } = history;
  return {
    past: [...past, { thing: present, what: next.what }],
    present: next.thing,
    future: history.future.slice(0, -1),
  };
}

/**
 * Learn something that holds for every moment; it is no step.
 * @template Thing
 * @param {History<Thing>} history
 * @param {(thing: Thing) => Thing} learn
 * @returns {History<Thing>}
 */
export function amend({ past, present, future }, learn) {
  const learned = (/** @type {Step<Thing>} */ { thing, what }) => ({ thing: learn(thing), what });
  return { past: past.map(learned), present: learn(present), future: future.map(learned) };
}
