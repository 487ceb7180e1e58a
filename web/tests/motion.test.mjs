// Motion: what is let go swings; it is paused, goes on by single steps, is recorded and gone through.

import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, withStudio } from "./studio.mjs";

let desk;

withStudio("control-unit", {}, async (opened) => {
  ({ desk } = opened);
  await desk.ask(() => {
    window.unitAt = () => {
      const { app } = window.flexline;
      const { anchor } = app.scene.things.find((one) => one.name === "unit");
      return [...app.frame.anchors.slice(anchor * 8, anchor * 8 + 3)];
    };
    window.away = (from) => Math.hypot(...window.unitAt().map((x, k) => x - from[k]));
  });
});

const unit = () => desk.ask(() => window.unitAt());
const time = () => desk.ask(() => window.flexline.app.frame.trailer.time);
let rest;

async function scrubTo(share) {
  const box = await desk.page.locator("#scrub").boundingBox();
  return [box.x + share * box.width, box.y + box.height / 2];
}

test("what is pulled aside in motion swings when it is let go, and is recorded", async () => {
  rest = await unit();
  await desk.page.click("#mode-dynamics");
  await desk.until(() => window.flexline.app.frame.trailer.time > 0.05, "motion");
  await desk.page.click("#record");
  const from = await desk.thing("unit");
  await desk.pull(from, { x: from.x - 130, y: from.y - 90 });
  await desk.until((was) => window.away(was) > 0.05, "the unit that is pulled aside", rest);
  await desk.shot("swing-pulled");
  await desk.letGo();
  const pulled = await unit();
  const begun = await time();
  await desk.until((was) => window.away(was) < 0.03, "the unit on its way back", rest);
  // It passes its rest and goes on to the other side: a pendulum, not a spring that creeps back.
  const side = pulled.map((x, k) => x - rest[k]);
  await desk.until(
    ([was, out]) => window.unitAt().reduce((sum, x, k) => sum + (x - was[k]) * out[k], 0) < 0, "the other side", [rest, side],
  );
  assert.ok((await time()) > begun, "time goes on");
  assert.equal((await desk.scene()).undo, 0, "nothing of it changes the scene");
  await desk.shot("swing");
});

test("a pause stops time, one step is one step", async () => {
  await desk.page.click("#record");
  await desk.page.click("#play");
  await desk.until(() => !window.flexline.app.scene.playing, "the pause");
  const before = await time();
  const still = await unit();
  const { number } = await desk.ask(() => ({ number: window.flexline.app.frame.number }));
  await desk.page.keyboard.press(".");
  await desk.until((was) => window.flexline.app.frame.trailer.time > was, "the step", before);
  const after = await time();
  assert.ok(Math.abs(after - before - 1 / 60) < 1e-9, `a step of ${after - before} s`);
  assert.ok((await desk.ask(() => window.flexline.app.frame.number)) > number);
  assert.ok(distance(await unit(), still) < 0.05);
});

test("the recorded run is gone through, and left again", async () => {
  const { recorded } = await desk.scene();
  assert.ok(recorded > 10, `${recorded} frames`);
  const live = await unit();
  const now = await time();
  const box = await desk.page.locator("#scrub").boundingBox();
  const seen = [];
  for (const share of [0.05, 0.3, 0.6]) {
    await desk.page.mouse.click(...(await scrubTo(share)));
    await desk.until(
      ([wanted, count]) => {
        const { scrub } = window.flexline.app.frame.trailer;
        return scrub !== null && Math.abs(scrub - wanted * count) < 0.06 * count + 1;
      }, `the frame at ${share}`, [share, recorded],
    );
    seen.push({ time: await time(), at: await unit() });
  }
  assert.ok(seen[0].time < seen[1].time && seen[1].time < seen[2].time && seen[2].time < now, "the frames are in order");
  assert.ok(Math.max(...seen.map(({ at }) => distance(at, rest))) > 0.02, "the swing is in them");
  await desk.shot("scrub");
  const settled = await desk.page.locator("#scrub").boundingBox();
  assert.deepEqual([settled.x, settled.width], [box.x, box.width], "the bar does not move under the hand");
  await desk.page.click("button.live");
  await desk.until(() => window.flexline.app.frame.trailer.scrub === null, "the present");
  assert.ok(distance(await unit(), live) < 1e-6, "the present is where it was left");
});

test("a held port is let go in motion, and everything falls; anew from rest it hangs again", async () => {
  await desk.page.mouse.click(...(await scrubTo(0.5)));
  await desk.until(() => window.flexline.app.frame.trailer.scrub !== null, "a recorded frame");
  await desk.page.click("#rewind");
  await desk.until((was) => window.flexline.app.frame.trailer.scrub === null && window.away(was) < 1e-3, "rest", rest);
  await desk.select("rear bulkhead");
  await desk.page.click('#properties button:has-text("Let go in motion")');
  await desk.page.click("#play");
  await desk.until((was) => window.unitAt()[2] < was[2] - 0.05, "the fall", rest);
  await desk.shot("fall");
  await desk.page.click("#rewind");
  await desk.until((was) => window.away(was) < 5e-3, "rest again", rest);
  assert.equal((await desk.scene()).undo, 0);
  await desk.page.click("#mode-statics");
  await desk.until(() => window.flexline.app.frame.trailer.time === null, "statics");
  desk.quiet();
});

test("a port that is moved in motion stays there at rest, as one change, and the motion goes on", async () => {
  const place = (name) => desk.ask((wanted) => {
    const { app } = window.flexline;
    const { anchor } = app.scene.things.find((one) => one.name === wanted);
    return [...app.frame.anchors.slice(anchor * 8, anchor * 8 + 3)];
  }, name);
  const was = await place("rear bulkhead");
  await desk.page.keyboard.press("Escape");
  await desk.page.click("#mode-dynamics");
  await desk.until(() => window.flexline.app.frame.trailer.time > 0.05, "motion");
  const from = await desk.thing("rear bulkhead");
  await desk.pull(from, { x: from.x + 25, y: from.y - 25 });
  const before = await time();
  await desk.letGo();
  await desk.changed("the move", 0);
  assert.ok((await time()) >= before, "time does not begin anew");
  await desk.page.click("#mode-statics");
  await desk.until(() => window.flexline.app.frame.trailer.time === null, "statics");
  const now = await place("rear bulkhead");
  assert.ok(distance(now, was) > 0.005, `it was moved by ${distance(now, was)} m`);
  assert.match(await desk.ask(() => document.getElementById("history-tab").textContent), /move/);
  await desk.page.keyboard.press("Control+z");
  await desk.until(() => window.flexline.app.scene.undo === 0, "one step back");
  await desk.until(([x, y, z]) => {
    const { app } = window.flexline;
    const { anchor } = app.scene.things.find((one) => one.name === "rear bulkhead");
    const at = app.frame.anchors.slice(anchor * 8, anchor * 8 + 3);
    return app.frame.revision === app.scene.revision && Math.hypot(at[0] - x, at[1] - y, at[2] - z) < 1e-6;
  }, "the place it had", was);
  desk.quiet();
});
