import assert from "node:assert/strict";
import { test } from "node:test";

import { chooseLanguage } from "../strings.js";
import { words as english } from "../words/en.js";
import { words as chinese } from "../words/zh.js";

test("the browser's first language that is spoken is chosen", () => {
  assert.equal(chooseLanguage(["zh-CN", "en"]), "zh");
  assert.equal(chooseLanguage(["zh"]), "zh");
  assert.equal(chooseLanguage(["fr-FR", "de", "zh-Hant-TW", "en"]), "zh");
  assert.equal(chooseLanguage(["en-GB", "zh"]), "en");
});

test("English is spoken to whoever asks for neither", () => {
  assert.equal(chooseLanguage(["fr", "tlh"]), "en");
  assert.equal(chooseLanguage([]), "en");
});

test("both languages say the same things, with words in each", () => {
  assert.deepEqual(keysOf(chinese), keysOf(english));
  for (const [path, text] of leaves(chinese)) assert.notEqual(text, "", path);
});

test("what went wrong is told with what helps, in each language", () => {
  for (const { errors } of [english, chinese]) {
    for (const [code, { title, text }] of Object.entries(errors)) assert.ok(title && text, code);
  }
});

test("Chinese sentences have Chinese commas", () => {
  for (const [path, text] of leaves(chinese)) {
    assert.doesNotMatch(String(text), /[\w\u4e00-\u9fff][,;?!][\u4e00-\u9fff]/, path);
  }
});

/** @param {object} words */
const keysOf = (words) => leaves(words).map(([path]) => path);

/**
 * @param {object} words
 * @param {string} [above]
 * @returns {[string, unknown][]}
 */
function leaves(words, above = "") {
  return Object.entries(words)
    .flatMap(([key, value]) =>
      typeof value === "object" ? leaves(value, `${above}${key}.`) : [[`${above}${key}`, value]],
    )
    .sort();
}
