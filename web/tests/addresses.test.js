import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, readAddress } from "../addresses.js";
import { USUAL, USUAL_KEEPING } from "../wishes.js";

const read = (address) => readAddress(new URLSearchParams(address.split("?")[1]));

test("what is usual needs no word in the address", () => {
  assert.equal(addressOf("a-1", USUAL, USUAL_KEEPING), "/drawings/a-1");
  assert.deepEqual(read("/drawings/a-1"), { wish: USUAL, keeping: USUAL_KEEPING });
});

test("all that is wished comes back from its address", () => {
  const wish = {
    motion: "jumping-jacks",
    speed: 0.5,
    mirror: true,
    trim: /** @type {[number, number]} */ ([0.25, 2]),
    background: /** @type {const} */ ("colour"),
    colour: "#10ff0a",
    shadow: true,
    figures: { "figure-2": { motion: "own-a_B-c", mirror: false, start: 1.5 }, b: { mirror: true } },
  };
  const keeping = { side: 1024, fps: 15, plays: 3 };
  const address = addressOf("a", wish, keeping);
  assert.deepEqual(read(address), { wish, keeping });
  assert.match(address, /^\/drawings\/a\?motion=jumping-jacks&speed=0.5&mirror=1&trim=0.25-2&/);
});

test("what an address cannot mean is as usual", () => {
  const nonsense = [
    "speed=7",
    "mirror=yes",
    "trim=2-1",
    "trim=0.5",
    "trim=a-b",
    "behind=lava",
    "behind=colour&colour=red",
    "side=100000",
    "fps=1",
    "plays=-1",
    "figures=figure-1",
    "figures=a~~0~,~walk~1~,b~<b>~1~m,c~walk~soon~",
  ];
  for (const query of nonsense) {
    const { wish, keeping } = read(`/drawings/a?${query}`);
    const background = query.startsWith("behind=colour") ? "colour" : USUAL.background;
    assert.deepEqual(wish, { ...USUAL, background }, query);
    assert.deepEqual(keeping, USUAL_KEEPING, query);
  }
});
