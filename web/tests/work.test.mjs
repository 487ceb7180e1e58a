// A working day: lay a cable, pull it, hold it, wind it up, make it longer and then too short, take everything back; then
// the machine loses power.

import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, withStudio } from "./studio.mjs";

let studio;
let desk;

// Chromium itself tells of a server that is gone.
withStudio("control-unit", { allow: [/ERR_CONNECTION_REFUSED|WebSocket connection to/] }, (opened) => ({ studio, desk } = opened));

const NEW = "spare line";
let original;
let laid;

test("a cable is laid between two ports that are clicked", async () => {
  original = (await desk.scene()).text;
  await desk.page.click("#tool-cable");
  await desk.click(await desk.thing("front bulkhead"));
  await desk.until(() => window.flexline.app.tool.from === "front bulkhead", "the first end");
  await desk.click(await desk.thing("rear bulkhead"));
  await desk.page.fill('[id="add.cable.name"]', NEW);
  await desk.page.fill('[id="add.cable.slack"]', "35 %");
  await desk.page.fill('[id="add.cable.part"]', "bundle-20x0.5");
  await desk.shot("laying");
  await desk.page.click('dialog[open] button[type="submit"]');
  await desk.until((name) => window.flexline.app.scene.cables.some((one) => one.name === name), "the new cable", NEW);
  await desk.until(() => window.flexline.app.frame.revision === window.flexline.app.scene.revision, "its shape");
  laid = await desk.scene();
  assert.equal(laid.cables.find((one) => one.name === NEW).to, "rear bulkhead");
  assert.equal((await desk.trailer()).status, "converged");
  await desk.page.keyboard.press("f");
  await desk.page.waitForTimeout(500);
  await desk.shot("laid");
});

test("it is pulled by the mouse, follows, and springs back", async () => {
  const rest = await desk.position(NEW, 0.5);
  const from = await desk.place(NEW, 0.5);
  await desk.pull(from, { x: from.x + 60, y: from.y - 90 });
  await desk.until(
    ([name, was]) => {
      const { app, station } = window.flexline;
      const at = station(name, 0.5 * app.scene.cables.find((one) => one.name === name).length);
      return Math.hypot(at[0] - was[0], at[1] - was[1], at[2] - was[2]) > 0.03;
    },
    "the cable that follows", [NEW, rest],
  );
  await desk.shot("pulled");
  assert.equal((await desk.trailer()).status, "converged");
  await desk.letGo();
  await desk.until(
    ([name, was]) => {
      const { app, station } = window.flexline;
      const at = station(name, 0.5 * app.scene.cables.find((one) => one.name === name)?.length);
      return at && Math.hypot(at[0] - was[0], at[1] - was[1], at[2] - was[2]) < 0.002;
    },
    "the cable that springs back", [NEW, rest],
  );
  assert.equal((await desk.scene()).text, laid.text, "pulling and letting go changes nothing");
});

test("pulled with Ctrl it is held where it was put", async () => {
  const from = await desk.place(NEW, 0.5);
  const rest = await desk.position(NEW, 0.5);
  await desk.pull(from, { x: from.x - 30, y: from.y - 70 });
  await desk.page.keyboard.down("Control");
  await desk.letGo();
  await desk.page.keyboard.up("Control");
  await desk.until((before) => window.flexline.app.scene.undo > before, "the kept clip", laid.undo);
  const now = await desk.scene();
  const clip = now.things.find((one) => one.kind === "clip" && one.cable === NEW);
  assert.ok(clip, "a clip holds the cable");
  assert.ok(distance(await desk.position(NEW, 0.5), rest) > 0.02, "it stays where it was put");
});

test("a clip is put on it with the clip tool", async () => {
  const { undo } = await desk.scene();
  const count = () => desk.ask((name) => window.flexline.app.scene.things.filter((one) => one.cable === name).length, NEW);
  const before = await count();
  await desk.page.click("#tool-clip");
  await desk.click(await desk.place(NEW, 0.25));
  await desk.until((was) => window.flexline.app.scene.undo > was, "the clip", undo);
  assert.equal(await count(), before + 1);
  await desk.page.click("#tool-select");
  await desk.shot("clipped");
});

test("its end is wound up by three turns", async () => {
  await desk.click(await desk.place(NEW, 0.6));
  await desk.until((name) => window.flexline.app.selection?.cable === name, "the selection", NEW);
  await desk.page.waitForTimeout(400);
  const ring = (angle) => desk.ask((at) => window.flexline.ring(at), angle);
  const { mouse } = desk.page;
  const first = await ring(0);
  await mouse.move(first.x, first.y);
  await desk.page.waitForTimeout(100);
  await mouse.down();
  const steps = 48;
  for (let i = 1; i <= steps; i++) {
    const at = await ring((6 * Math.PI * i) / steps);
    await mouse.move(at.x, at.y);
  }
  await desk.page.waitForTimeout(300);
  await desk.shot("twisted");
  await mouse.up();
  await desk.until(
    (name) => Math.abs(window.flexline.app.scene.cables.find((one) => one.name === name).twist / (2 * Math.PI) - 3) < 0.1,
    "three turns", NEW,
  );
  const index = (await desk.scene()).cables.findIndex((one) => one.name === NEW);
  await desk.until((i) => Math.abs(window.flexline.app.frame.trailer.turns[i]) > 2, "the winding counter", index);
});

test("its length is changed", async () => {
  const { length } = (await desk.scene()).cables.find((one) => one.name === NEW);
  const longer = Math.round(length * 1000) + 60;
  await desk.page.fill('[id="cable.length"]', String(longer));
  await desk.page.keyboard.press("Enter");
  await desk.until(
    ([name, wanted]) => Math.abs(window.flexline.app.scene.cables.find((one) => one.name === name).length - wanted) < 1e-6,
    "the new length", [NEW, longer / 1000],
  );
  await desk.shot("longer");
});

test("made too short it says how much is missing", async () => {
  await desk.page.fill('[id="cable.length"]', "400");
  await desk.page.keyboard.press("Enter");
  await desk.until(() => /too short/.test(document.getElementById("hud").textContent), "the sentence");
  const { short } = await desk.trailer();
  const missing = short.find((one) => one.cable === NEW).missing;
  assert.ok(missing > 0.05, `${missing} m are missing`);
  assert.match(await desk.page.textContent("#hud"), /"spare line" is \d+(\.\d+)? mm too short/);
  await desk.shot("too-short");
});

test("everything is undone", async () => {
  const { undo } = await desk.scene();
  for (let i = 0; i < undo; i++) {
    await desk.page.click("#undo");
    await desk.until((left) => window.flexline.app.scene.undo === left, "one step back", undo - i - 1);
  }
  assert.equal((await desk.scene()).text, original);
  await desk.page.click("#redo");
  await desk.until(() => window.flexline.app.scene.undo === 1, "one step on");
});

test("the server is killed, and everything comes back", async () => {
  const before = await desk.scene();
  await studio.kill();
  await desk.until(() => window.flexline.app.connection === "lost", "the loss");
  await desk.until(() => /cannot be reached/.test(document.getElementById("hud").textContent), "the sentence");
  await desk.shot("lost");
  await studio.run();
  await desk.until(() => window.flexline.app.connection === "open", "the connection");
  await desk.until((name) => window.flexline.app.scene.cables.some((one) => one.name === name), "the cable", NEW);
  const now = await desk.scene();
  assert.equal(now.text, before.text);
  assert.equal(now.undo, before.undo);
  assert.equal(now.redo, before.redo);
  desk.quiet();
});
