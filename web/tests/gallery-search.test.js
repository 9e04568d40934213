import assert from "node:assert/strict";
import { test } from "node:test";

import { findMotions, KINDS, titleOf } from "../gallery-search.js";

const motion = (name, title, ...tags) => ({ name, title, tags, duration: 1, fps: 30, loop: true });
const MOTIONS = [
  motion("walk", "Walk", "going", "everyday"),
  motion("hop", "Hop", "going", "joy", "one leg"),
  motion("jumping-jacks", "Jumping jacks", "sport", "exercise"),
  motion("own-1", "Our cat", "own"),
];
const WORDS = {
  titles: { walk: "走路", hop: "单脚跳" },
  tags: { going: "行走", joy: "开心", sport: "运动" },
};
const find = (query, kind = null) => [...findMotions(MOTIONS, WORDS, query, kind)];

test("nothing asked for finds all", () => {
  assert.deepEqual(find("  "), ["walk", "hop", "jumping-jacks", "own-1"]);
});

test("a part of a title or of a tag finds, in either language and any case", () => {
  assert.deepEqual(find("JACK"), ["jumping-jacks"]);
  assert.deepEqual(find("走"), ["walk", "hop"]);
  assert.deepEqual(find("开心"), ["hop"]);
  assert.deepEqual(find("every"), ["walk"]);
  assert.deepEqual(find("cat"), ["own-1"]);
  assert.deepEqual(find("submarine"), []);
});

test("several words must all be found, and the tag with them", () => {
  assert.deepEqual(find("leg joy"), ["hop"]);
  assert.deepEqual(find("leg exercise"), []);
  assert.deepEqual(find("", "going"), ["walk", "hop"]);
  assert.deepEqual(find("joy", "sport"), []);
});

test("a motion without words of its own keeps the title that the server tells", () => {
  assert.equal(titleOf(MOTIONS[0], WORDS), "走路");
  assert.equal(titleOf(MOTIONS[3], WORDS), "Our cat");
});

test("kinds are five, each of them a tag", () => {
  assert.equal(new Set(KINDS).size, 5);
});
