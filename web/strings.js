/** Every word that the page says, in the language of the browser. */

/** Languages that the page speaks; the first where the browser asks for none of them. */
const LANGUAGES = /** @type {const} */ (["en", "zh"]);

/** @typedef {typeof LANGUAGES[number]} Language */
/** @typedef {typeof import("./words/en.js").words} Words */

/**
 * The first language of the browser's that the page speaks; Chinese is simplified, whoever asks.
 * @param {readonly string[]} wanted such as ["zh-CN", "en"]
 * @returns {Language}
 */
export function chooseLanguage(wanted) {
  const spoken = wanted.map((tag) => tag.toLowerCase().split("-")[0]);
  return LANGUAGES.find((language) => language === spoken.find(isSpoken)) ?? LANGUAGES[0];
}

/** @param {string} language */
function isSpoken(language) {
  return /** @type {readonly string[]} */ (LANGUAGES).includes(language);
}

export const language = chooseLanguage(globalThis.navigator?.languages ?? []);

/** @type {Words} */
export const strings = (await load(language)).words;

/**
 * Only what is spoken is loaded.
 * @param {Language} which
 * @returns {Promise<{ words: Words }>}
 */
function load(which) {
  return which === "zh" ? import("./words/zh.js") : import("./words/en.js");
}
