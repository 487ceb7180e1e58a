// A headset (emulated): enter it, take a cable with the controller, move it, put it down; and with a bare hand.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { withStudio } from "./studio.mjs";

const IWER = fileURLToPath(new URL("../node_modules/iwer/build/iwer.min.js", import.meta.url));
const WEAR = `
  const device = new IWER.XRDevice(IWER.metaQuest3);
  device.installRuntime({ forceInstall: true });
  window.headset = device;
`;

let desk;

withStudio("control-unit", {
  size: { width: 900, height: 640 }, before: [{ content: readFileSync(IWER, "utf8") }, { content: WEAR }],
}, (opened) => ({ desk } = opened));

/** Puts the right hand onto a place of a cable, moved by metres of the room. */
function reach(share, by = [0, 0, 0]) {
  return desk.ask(([part, off]) => {
    const { app, station, view } = window.flexline;
    const cable = app.scene.cables[0];
    const { world } = view.stage;
    const at = world.position.clone().fromArray(window.held ?? station(cable.name, part * cable.length));
    world.localToWorld(at);
    window.held = window.held ?? station(cable.name, part * cable.length);
    const device = window.headset;
    const inputs = device.primaryInputMode === "hand" ? device.hands : device.controllers;
    inputs.right.position.set(at.x + off[0], at.y + off[1], at.z + off[2]);
  }, [share, by]);
}

const away = () => desk.ask(() => {
  const { app, station } = window.flexline;
  const cable = app.scene.cables[0];
  const at = station(cable.name, 0.5 * cable.length);
  return at ? Math.hypot(...at.map((x, k) => x - window.held[k])) : 0;
});

async function lead(share) {
  for (let i = 1; i <= 10; i++) {
    await reach(share, [0, 0.012 * i, 0.008 * i]);
    await desk.page.waitForTimeout(40);
  }
}

test("the headset is entered", async () => {
  await desk.page.click("#enter-vr");
  await desk.until(() => window.flexline.view.stage.renderer.xr.isPresenting, "the session");
  await desk.page.waitForTimeout(500);
  await desk.shot("headset");
});

test("a controller takes a cable, leads it, and lets it spring back", async () => {
  await desk.ask(() => (window.held = null));
  await reach(0.5);
  await desk.page.waitForTimeout(200);
  await desk.ask(() => window.headset.controllers.right.updateButtonValue("trigger", 1));
  await desk.until(() => window.flexline.app.selection?.cable === window.flexline.app.scene.cables[0].name, "the grip");
  await lead(0.5);
  await desk.until(() => {
    const { app, station } = window.flexline;
    const cable = app.scene.cables[0];
    const at = station(cable.name, 0.5 * cable.length);
    return at && Math.hypot(...at.map((x, k) => x - window.held[k])) > 0.05;
  }, "the cable in the hand");
  await desk.shot("headset-pulls");
  await desk.ask(() => window.headset.controllers.right.updateButtonValue("trigger", 0));
  await desk.page.waitForTimeout(600);
  assert.ok((await away()) < 0.01, "it sprang back");
  assert.equal((await desk.scene()).undo, 0);
});

test("with the grip button it stays where it is put", async () => {
  await desk.ask(() => (window.held = null));
  await reach(0.5);
  await desk.page.waitForTimeout(200);
  await desk.ask(() => window.headset.controllers.right.updateButtonValue("squeeze", 1));
  await desk.page.waitForTimeout(200);
  await lead(0.5);
  await desk.page.waitForTimeout(300);
  await desk.ask(() => window.headset.controllers.right.updateButtonValue("squeeze", 0));
  await desk.until(() => window.flexline.app.scene.undo === 1, "the clip");
  assert.ok((await desk.scene()).things.some((one) => one.kind === "clip"));
});

test("sticks fly and scale, both grips in the air scale and carry", async () => {
  const world = () => desk.ask(() => {
    const { position, scale } = window.flexline.view.stage.world;
    return { at: position.toArray(), size: scale.x };
  });
  const stick = (hand, x, y) => desk.ask(
    ([side, a, b]) => window.headset.controllers[side].updateAxes("thumbstick", a, b), [hand, x, y],
  );
  const before = await world();
  await stick("left", 0, -1);
  await desk.page.waitForTimeout(500);
  await stick("left", 0, 0);
  const flown = await world();
  assert.ok(flown.at[2] > before.at[2] + 0.05, "flying ahead, the scene comes nearer");
  await stick("right", 0, -1);
  await desk.page.waitForTimeout(500);
  await stick("right", 0, 0);
  const grown = await world();
  assert.ok(grown.size > 1.1 * flown.size, "it grows");

  const hands = (apart) => desk.ask((half) => {
    window.headset.controllers.left.position.set(-half, 2.2, 0.8);
    window.headset.controllers.right.position.set(half, 2.2, 0.8);
  }, apart);
  const squeeze = (value) => desk.ask((to) => {
    for (const one of Object.values(window.headset.controllers)) one.updateButtonValue("squeeze", to);
  }, value);
  // Turned away from everything, so that nothing is pointed at.
  await desk.ask(() => {
    for (const one of Object.values(window.headset.controllers)) one.quaternion.set(0.7071, 0, 0, 0.7071);
  });
  await hands(0.2);
  await desk.page.waitForTimeout(200);
  await squeeze(1);
  await desk.page.waitForTimeout(300);
  await hands(0.3);
  await desk.page.waitForTimeout(400);
  await squeeze(0);
  const wider = await world();
  assert.ok(Math.abs(wider.size / grown.size - 1.5) < 0.05, `scaled by ${wider.size / grown.size}`);
  assert.equal((await desk.scene()).undo, 1, "the scene itself is as it was");
});

test("a bare hand pinches it", async () => {
  await desk.ask(() => {
    window.held = null;
    window.headset.primaryInputMode = "hand";
  });
  await desk.page.waitForTimeout(500);
  await desk.ask(() => window.flexline.app.select(null));
  await reach(0.3);
  await desk.page.waitForTimeout(300);
  await desk.ask(() => window.headset.hands.right.updatePinchValue(1));
  await desk.until(() => window.flexline.app.selection !== null, "the pinch");
  await desk.ask(() => window.headset.hands.right.updatePinchValue(0));
  await desk.page.waitForTimeout(300);
  await desk.page.keyboard.press("Escape");
});

test("and left again", async () => {
  await desk.ask(() => window.flexline.view.stage.renderer.xr.getSession()?.end());
  await desk.until(() => !window.flexline.view.stage.renderer.xr.isPresenting, "the end");
  const world = await desk.ask(() => window.flexline.view.stage.world.scale.x);
  assert.equal(world, 1);
  desk.quiet();
});
