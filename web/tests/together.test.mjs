// Two people on one session, a thing that is moved and turned by its gizmo, and a page that measures its own work.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, distance, withStudio } from "./studio.mjs";

let anna;
let ben;

const size = { width: 1280, height: 820 };
withStudio("control-unit", { size }, async ({ browser, studio, desk }) => {
  anna = desk;
  ben = await Desk.open(browser, `${studio.address}/`, { size });
});

test("what one pulls the other sees, while it is pulled", async () => {
  const rest = await ben.position("front cable", 0.5);
  const from = await anna.place("front cable", 0.5);
  await anna.pull(from, { x: from.x - 70, y: from.y - 20 });
  await ben.until(
    ([name, was]) => {
      const { app, station } = window.flexline;
      const at = station(name, 0.5 * app.scene.cables.find((one) => one.name === name).length);
      return at && Math.hypot(at[0] - was[0], at[1] - was[1], at[2] - was[2]) > 0.02;
    },
    "the pull in the other browser", ["front cable", rest],
  );
  await anna.page.keyboard.press("Escape");
  await anna.letGo();
  for (const desk of [anna, ben]) {
    await desk.until(
      ([name, was]) => {
        const { app, station, view } = window.flexline;
        const at = station(name, 0.5 * app.scene.cables.find((one) => one.name === name).length);
        return view.shape.valid() && at && Math.hypot(at[0] - was[0], at[1] - was[1], at[2] - was[2]) < 0.001;
      },
      "the cable at rest again", ["front cable", rest],
    );
  }
  assert.equal((await anna.scene()).undo, 0, "Escape lets go without a trace");
});

/** Types a length into the panel and sends it; the answer is that the field has settled. */
async function setLength(desk, cable, length) {
  await desk.select(cable);
  await desk.page.fill('[id="cable.length"]', length);
  await desk.page.keyboard.press("Enter");
}

const told = (desk) => desk.page.textContent("#toasts");

test("both change the scene, and both see both changes", async () => {
  await setLength(anna, "front cable", "500");
  await setLength(ben, "rear cable", "530");
  for (const desk of [anna, ben]) {
    await desk.until(
      () => {
        const [front, rear] = window.flexline.app.scene.cables;
        return Math.abs(front.length - 0.5) < 1e-9 && Math.abs(rear.length - 0.53) < 1e-9;
      },
      "both lengths",
    );
  }
  assert.equal((await anna.scene()).text, (await ben.scene()).text);
});

test("of two who change one value the last one wins, and the other is told", async () => {
  await anna.select("front cable");
  await anna.page.fill('[id="cable.length"]', "512");
  // While she types, he sets it. What she has typed stays in her field, and she sees that somebody changed it.
  await setLength(ben, "front cable", "505");
  await anna.until(() => Math.abs(window.flexline.app.scene.cables[0].length - 0.505) < 1e-9, "his value");
  await anna.until(() => /Another person: .*front cable/.test(document.getElementById("toasts").textContent), "the sentence about him");
  assert.equal(await anna.page.inputValue('[id="cable.length"]'), "512", "what is being typed is not taken away");
  await anna.shot("another");
  await anna.page.keyboard.press("Enter");
  await ben.until(() => Math.abs(window.flexline.app.scene.cables[0].length - 0.512) < 1e-9, "her value");
  await ben.until(() => /Another person: .*front cable/.test(document.getElementById("toasts").textContent), "the sentence about her");
  await ben.until(() => document.querySelector('[id="cable.length"]').value === "512", "her value in his field");
});

test("what is removed under one's hands is told, with what helps", async () => {
  const { undo } = await ben.scene();
  await anna.select("rear cable");
  await anna.page.fill('[id="cable.length"]', "540");
  await ben.select("rear cable");
  await ben.page.keyboard.press("Delete");
  await anna.until(() => !window.flexline.app.scene.cables.some((one) => one.name === "rear cable"), "the removal");
  await anna.until(() => /“rear cable” is no longer there.*undo/.test(document.getElementById("toasts").textContent), "a sentence that helps");
  assert.equal(await anna.page.locator('[id="cable.length"]').count(), 0, "nothing is left to be typed into");
  await anna.page.keyboard.press("Enter");
  await anna.shot("removed");
  assert.equal((await anna.scene()).undo, undo + 1, "what was typed about it did nothing");
  await anna.page.click("#undo");
  await anna.until((before) => window.flexline.app.scene.undo === before, "the cable again", undo);

  // One holds it, the other removes it.
  const from = await anna.place("rear cable", 0.5);
  await anna.pull(from, { x: from.x + 30, y: from.y - 20 });
  await anna.until(() => window.flexline.app.frame.trailer.stamps[String(window.flexline.app.server.client)] !== undefined, "the pull");
  await ben.select("rear cable");
  await ben.page.keyboard.press("Delete");
  await ben.until(() => !window.flexline.app.scene.cables.some((one) => one.name === "rear cable"), "the removal");
  await anna.until(() => !window.flexline.app.scene.cables.some((one) => one.name === "rear cable"), "the removal in her browser");
  await anna.letGo();
  // Everything she asked so far has been answered by then.
  await anna.ask(() => window.flexline.app.server.request("ping"));
  await anna.shot("removed-in-hand");
  await ben.page.click("#undo");
  for (const desk of [anna, ben]) await desk.until(() => window.flexline.app.scene.cables.length === 2, "both cables again");
  assert.doesNotMatch(await told(anna), /undefined|null|`hand`|holds nothing/, "nothing of the inside is shown");
});

/** Moves the pointer onto an axis of the gizmo, as one looks for it. */
async function find(axis) {
  for (const at of await anna.ask((name) => window.flexline.gizmo(name), axis)) {
    await anna.page.mouse.move(at.x, at.y);
    // What is under the pointer is told by an event, and that may take a while where pixels are computed.
    await anna.page.waitForTimeout(250);
    if ((await anna.ask(() => window.flexline.view.gizmo.under)) === axis) return at;
  }
  throw new Error(`the axis ${axis} of the gizmo cannot be taken anywhere`);
}

test("a port is moved along an axis by its gizmo, and turned", async () => {
  const pose = () => anna.ask(() => {
    const { app } = window.flexline;
    const { anchor } = app.scene.things.find((one) => one.name === "rear bulkhead");
    return [...app.frame.anchors.slice(anchor * 8, anchor * 8 + 8)];
  });
  await anna.click(await anna.thing("rear bulkhead"));
  await anna.until(() => window.flexline.app.selection?.thing === "rear bulkhead", "the selection");
  await anna.page.waitForTimeout(400);
  const was = await pose();
  const { undo } = await anna.scene();
  const arrow = await find("Z");
  await anna.pull(arrow, { x: arrow.x, y: arrow.y - 60 });
  await anna.shot("gizmo");
  await anna.letGo();
  await anna.until((before) => window.flexline.app.scene.undo === before + 1, "the move", undo);
  const moved = await pose();
  assert.ok(moved[2] - was[2] > 0.01, "it went up");
  assert.ok(distance(moved.slice(0, 2).concat(0), was.slice(0, 2).concat(0)) < 1e-6, "and nowhere else");

  await anna.page.keyboard.press("r");
  await anna.page.waitForTimeout(300);
  const circle = await find("X");
  // Round the middle, not towards it.
  const middle = await anna.thing("rear bulkhead");
  await anna.pull(circle, { x: circle.x - (circle.y - middle.y), y: circle.y + (circle.x - middle.x) });
  await anna.letGo();
  await anna.until((before) => window.flexline.app.scene.undo === before + 2, "the turn", undo);
  const turned = await pose();
  const cosine = Math.abs(turned.slice(4).reduce((sum, x, k) => sum + x * moved[4 + k], 0));
  assert.ok(cosine < 0.9999, `it was turned: ${cosine}`);
  assert.ok(distance(turned, moved) < 1e-6, "in place");
});

test("everything at the top is in reach on a small screen", async () => {
  for (const button of ["#help", "#undo", "#tool-measure", "#mode-dynamics"]) {
    const box = await anna.page.locator(button).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 1280, `${button} ends at ${box.x + box.width} of 1280`);
  }
});

test("the page knows what it costs", async () => {
  const stats = await anna.ask(() => window.flexline.stats());
  assert.ok(stats.frames > 10);
  assert.ok(stats.latency.count > 3, "pulls were stamped and came back");
  assert.ok(stats.script.median > 0);
  anna.quiet();
  ben.quiet();
});
