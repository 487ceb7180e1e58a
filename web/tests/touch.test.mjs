// Fingers: one on a cable pulls it, one beside it turns the view, two move and zoom.

import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, withStudio } from "./studio.mjs";

let desk;
let fingers;

withStudio("brake-hose", { size: { width: 1180, height: 820 } }, async (opened) => {
  ({ desk } = opened);
  fingers = await desk.context.newCDPSession(desk.page);
});

async function touch(type, ...points) {
  const touchPoints = points.map(({ x, y }, id) => ({ x, y, id }));
  await fingers.send("Input.dispatchTouchEvent", { type, touchPoints });
  await desk.page.waitForTimeout(30);
}

const eye = () => desk.ask(() => {
  const { camera, controls } = window.flexline.view.stage;
  return { position: camera.position.toArray(), distance: camera.position.distanceTo(controls.target) };
});

test("one finger beside everything turns the view, two zoom", async () => {
  const before = await eye();
  const box = await desk.page.locator("#canvas").boundingBox();
  const at = { x: box.x + 60, y: box.y + 120 };
  await touch("touchStart", at);
  for (let i = 1; i <= 6; i++) await touch("touchMove", { x: at.x + 12 * i, y: at.y });
  await touch("touchEnd");
  const turned = await eye();
  assert.ok(distance(turned.position, before.position) > 0.02, "the eye went round");
  assert.ok(Math.abs(turned.distance / before.distance - 1) < 1e-6, "as far away as before");

  const pair = (half) => [{ x: at.x + 150 - half, y: at.y }, { x: at.x + 150 + half, y: at.y }];
  // The fingers come down one after the other.
  await touch("touchStart", pair(30)[0]);
  await touch("touchStart", ...pair(30));
  for (let i = 1; i <= 6; i++) await touch("touchMove", ...pair(30 + 8 * i));
  await touch("touchEnd");
  assert.ok((await eye()).distance < 0.9 * turned.distance, "nearer");
  await desk.page.keyboard.press("f");
  await desk.page.waitForTimeout(500);
});

test("one finger on a cable pulls it, and the view stays", async () => {
  const { name } = (await desk.scene()).cables[0];
  const rest = await desk.position(name, 0.5);
  const before = await eye();
  const at = await desk.place(name, 0.5);
  await touch("touchStart", at);
  for (let i = 1; i <= 8; i++) await touch("touchMove", { x: at.x + 5 * i, y: at.y + 2 * i });
  await desk.until(
    ([cable, was]) => {
      const { app, station } = window.flexline;
      const now = station(cable, 0.5 * app.scene.cables[0].length);
      return now && Math.hypot(...now.map((x, k) => x - was[k])) > 0.01;
    },
    "the pull", [name, rest],
  );
  assert.deepEqual((await eye()).position, before.position);
  await touch("touchEnd");
  desk.quiet();
});
