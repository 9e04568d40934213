/**
 * Files that have not reached the server yet, kept in the browser so that closing the page loses
 * nothing. Where the browser keeps nothing, they last as long as the page.
 */

const STORE = "outbox";

/** Milliseconds after which a file that could not be sent is of no use any more. */
const TOO_OLD = 24 * 3600 * 1000;

/** @typedef {{ file: File, since: number }} Entry */

/**
 * @param {File} file
 * @returns {Promise<number | null>} the key to take it out by
 */
export async function putIntoOutbox(file) {
  const entry = { file, since: Date.now() };
  const key = await ask("readwrite", (store) => store.add(entry));
  return typeof key === "number" ? key : null;
}

/** @param {number | null} key */
export async function takeOutOfOutbox(key) {
  if (key !== null) await ask("readwrite", (store) => store.delete(key));
}

/** @returns {Promise<{ key: number, file: File }[]>} what is left from before, eldest first */
export async function readOutbox() {
  const keys = /** @type {number[]} */ ((await ask("readonly", (s) => s.getAllKeys())) ?? []);
  const entries = /** @type {Entry[]} */ ((await ask("readonly", (s) => s.getAll())) ?? []);
  const left = [];
  for (const [i, { file, since }] of entries.entries()) {
    const key = keys[i] ?? null;
    if (key === null) continue;
    if (Date.now() - since > TOO_OLD) await takeOutOfOutbox(key);
    else left.push({ key, file });
  }
  return left;
}

/**
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest} request
 * @returns {Promise<unknown>} undefined where the browser keeps nothing
 */
async function ask(mode, request) {
  try {
    const database = await open();
    const answer = await settle(request(database.transaction(STORE, mode).objectStore(STORE)));
    database.close();
    return answer;
  } catch (error) {
    console.warn("The browser keeps no files.", error);
    return undefined;
  }
}

/** @returns {Promise<IDBDatabase>} */
function open() {
  const request = indexedDB.open("animator", 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { autoIncrement: true });
  return settle(request);
}

/**
 * @template Result
 * @param {IDBRequest<Result>} request
 * @returns {Promise<Result>}
 */
function settle(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
