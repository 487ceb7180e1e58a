// Poles: seen and selected in the view, changed, added, removed and brought back; cables keep out of them at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withStudio } from "./studio.mjs";

let desk;
withStudio("bean", {}, (opened) => ({ desk } = opened));

const poles = async () => (await desk.scene()).poles;

/** The least distance of the stem from the axis of the pole of the file, the z axis, m. */
const least = () => desk.ask(() => {
  const { nodes, points } = window.flexline.app.frame;
  return Math.min(...Array.from({ length: nodes }, (_, i) => Math.hypot(points[4 * i], points[4 * i + 1])));
});

async function undo(back) {
  await desk.page.click("#undo");
  await desk.until(
    (before) => window.flexline.app.scene.undo === before && window.flexline.app.frame.revision === window.flexline.app.scene.revision, "one step back", back,
  );
}

/** A pixel where the pole is in front. */
const onPole = (name) => desk.ask((wanted) => {
  const { view } = window.flexline;
  const { box, size } = view.stage;
  for (let y = 10; y < size.y; y += 8) {
    for (let x = 10; x < size.x; x += 8) {
      const hit = view.pointer.pick(x, y, 6);
      const { left, top } = box;
      if (hit?.solid?.name === wanted && document.elementFromPoint(x + left, y + top) === view.stage.canvas) return { x: x + left, y: y + top };
    }
  }
  return null;
}, name);

test("a pole is selected by a click, and its radius moves the cable", async () => {
  const at = await onPole("cane");
  assert.ok(at, "the pole is seen");
  await desk.click(at);
  await desk.until(() => window.flexline.app.selection?.kind === "pole", "the selection");
  await desk.shot("pole");
  const before = await desk.scene();
  const wide = await least();
  assert.ok(Math.abs(wide - 0.0199) < 1e-4, `the stem lies on the pole: ${wide} m`);
  await desk.page.fill('[id="key.pole.radius"]', "16.5");
  await desk.page.keyboard.press("Enter");
  const now = await desk.changed("the radius", before.undo);
  assert.match(now.text, /radius = "16.5 mm"/);
  assert.equal(now.poles[0].radius, 0.0165);
  assert.ok(await least() < wide - 1e-3, "it winds closer");
  await undo(before.undo);
  assert.equal((await desk.scene()).text, before.text);
  assert.ok(Math.abs(await least() - wide) < 1e-5, "and is back");
  desk.quiet();
});

test("its place, its axis and its friction are fields too", async () => {
  await desk.select("cane");
  const { undo: first, text } = await desk.scene();
  await desk.page.fill('[id="key.pole.through.x"]', "-1");
  await desk.page.keyboard.press("Enter");
  assert.deepEqual((await desk.changed("the place", first)).poles[0].through, [-0.001, 0, 0]);
  await desk.page.fill('[id="key.pole.axis.x"]', "0.02");
  await desk.page.keyboard.press("Enter");
  const { poles: [{ axis }] } = await desk.changed("the axis", first + 1);
  assert.ok(Math.abs(axis[0] / axis[2] - 0.02) < 1e-9, axis.join());
  await desk.unfold("keys.unset");
  await desk.page.fill('[id="key.pole.friction"]', "0.1");
  await desk.page.keyboard.press("Enter");
  assert.match((await desk.changed("the friction", first + 2)).text, /friction = /);
  for (const left of [2, 1, 0]) await undo(first + left);
  assert.equal((await desk.scene()).text, text);
  // What cannot be is refused with a sentence, and nothing changes.
  await desk.page.fill('[id="key.pole.radius"]', "-3");
  await desk.page.keyboard.press("Enter");
  await desk.page.waitForSelector("#properties .field-error:not([hidden])");
  assert.equal((await desk.scene()).text, text);
  await desk.page.keyboard.press("Escape");
  desk.quiet();
});

test("one is added, named anew, hidden and removed, and everything is taken back", async () => {
  const { undo: first, text } = await desk.scene();
  await desk.page.click("#add");
  await desk.page.click('.menu button:has-text("Pole")');
  await desk.page.waitForSelector("dialog[open]");
  await desk.fill("add.pole", { name: "bar", through: "200", "through.y": "0", "through.z": "100", radius: "10" });
  await desk.shot("pole-adding");
  await desk.page.click('dialog[open] button[type="submit"]');
  const { poles: two } = await desk.changed("the second pole", first);
  assert.deepEqual(two.map(({ name, radius }) => [name, radius]), [["cane", 0.0179], ["bar", 0.01]]);
  assert.deepEqual(two[1].axis, [0, 1, 0]);
  await desk.select("bar");
  await desk.page.fill('[id="rename"]', "rail");
  await desk.page.keyboard.press("Enter");
  assert.deepEqual((await desk.changed("the name", first + 1)).poles.map((pole) => pole.name), ["cane", "rail"]);
  await desk.until(() => window.flexline.app.selection?.thing === "rail", "the selection under the new name");
  await desk.page.click('.tree-row[data-name="rail"] .eye');
  assert.equal(await onPole("rail"), null, "what is hidden cannot be clicked");
  await desk.page.click('.tree-row[data-name="rail"] .eye');
  await desk.page.click("#remove-selected");
  assert.deepEqual((await desk.changed("the removal", first + 2)).poles.map((pole) => pole.name), ["cane"]);
  for (const left of [2, 1, 0]) await undo(first + left);
  assert.equal((await desk.scene()).text, text);
  assert.deepEqual((await poles()).map((pole) => pole.name), ["cane"]);
  desk.quiet();
});
