// A headset (emulated): enter it, take a cable with the controller, move it, put it down; and with a bare hand.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Desk, launch, scene, Studio } from "./studio.mjs";

const IWER = fileURLToPath(new URL("../node_modules/iwer/build/iwer.min.js", import.meta.url));
const WEAR = `
  const device = new IWER.XRDevice(IWER.metaQuest3);
  device.installRuntime({ forceInstall: true });
  window.headset = device;
`;

let browser;
let studio;
let desk;

before(async () => {
  browser = await launch();
  studio = await Studio.start({ file: scene("control-unit") });
  desk = await Desk.open(browser, `${studio.address}/`, {
    size: { width: 900, height: 640 }, before: [{ content: readFileSync(IWER, "utf8") }, { content: WEAR }],
  });
});

after(async () => {
  await browser?.close();
  await studio?.end();
});

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
