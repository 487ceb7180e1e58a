// Obstacles: seen, selected and moved in the view; a hose that is pulled over one touches it, and what presses is told.

import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, withStudio } from "./studio.mjs";

let desk;
withStudio("hose-over-a-bar", {}, (opened) => ({ desk } = opened));

const BAR = [0.26, 0, -0.05];
const RADIUS = 0.02;

const hose = () => desk.ask(() => window.flexline.app.scene.cables[0].radius);

/** The least distance of the hose from the axis of the bar, which runs along y, m. */
const least = () => desk.ask(([x, , z]) => {
  const { nodes, points } = window.flexline.app.frame;
  return Math.min(...Array.from({ length: nodes }, (_, i) => Math.hypot(points[4 * i] - x, points[4 * i + 2] - z)));
}, BAR);

/** A pixel where the bar is in front. */
const onBar = () => desk.ask(() => {
  const { view } = window.flexline;
  const { box, size } = view.stage;
  for (let y = 10; y < size.y; y += 6) {
    for (let x = 10; x < size.x; x += 6) {
      const hit = view.pointer.pick(x, y, 6);
      const at = { x: x + box.left, y: y + box.top };
      if (hit?.solid?.name === "bar" && document.elementFromPoint(at.x, at.y) === view.stage.canvas) return at;
    }
  }
  return null;
});

test("a hose lies on a bar, and what presses is told", async () => {
  const { contacts, clearance } = await desk.trailer();
  assert.ok(contacts.length > 0 && contacts.every(({ by }) => by === "bar"), JSON.stringify(contacts));
  assert.ok(Math.abs(clearance.gap) < 1e-6, `${clearance.gap}`);
  assert.ok(await least() > RADIUS + await hose() - 1e-4);
  await desk.until(() => /N on bar/.test(document.querySelector(".label.contact:not([hidden])")?.textContent ?? ""), "how hard it presses");
  assert.ok(await desk.ask(() => window.flexline.view.obstacles.group.getObjectByName("bar").geometry.getAttribute("position").count > 0));
  await desk.shot("obstacle");
});

test("the hose is pulled down over the bar: it bends round it and does not pass", async () => {
  const from = await desk.place("hose", 0.9);
  const before = (await desk.trailer()).contacts.reduce((sum, { force }) => sum + Math.hypot(...force), 0);
  const there = await desk.position("hose", 0.9);
  const to = await desk.ask((at) => window.flexline.project(at), [there[0] - 0.09, there[1], there[2] - 0.09]);
  await desk.pull(from, to);
  await desk.until((was) => {
    const { status, contacts } = window.flexline.app.frame.trailer;
    return status === "converged" && contacts.reduce((sum, { force }) => sum + Math.hypot(...force), 0) > 1.2 * was;
  }, "a harder press", before);
  assert.ok(distance(await desk.position("hose", 0.9), there) > 0.03, "it follows the hand");
  assert.ok(await least() > RADIUS + await hose() - 5e-4, `it stays outside: ${await least()}`);
  await desk.shot("obstacle-pulled");
  await desk.letGo();
});

test("a bar is selected by a click, moved by a number, and pushes the hose", async () => {
  const at = await onBar();
  assert.ok(at, "the bar is seen");
  await desk.click(at);
  await desk.until(() => window.flexline.app.selection?.kind === "obstacle", "the selection");
  const before = await desk.scene();
  const tip = await desk.position("hose", 1);
  await desk.page.fill('[id="thing.z"]', "-20");
  await desk.page.keyboard.press("Enter");
  const now = await desk.changed("the place of the bar", before.undo);
  assert.match(now.text, /-20 mm/);
  assert.ok((await desk.position("hose", 1))[2] > tip[2] + 0.01, "the hose is lifted");
  assert.equal((await desk.trailer()).status, "converged");
  await desk.page.click("#undo");
  await desk.until((text) => window.flexline.app.scene.text === text, "the bar where it was", before.text);
});

test("a port is put onto the bar by a click, square to its surface", async () => {
  const before = await desk.scene();
  await desk.page.keyboard.press("q");
  const at = await onBar();
  await desk.click(at);
  await desk.until(() => window.flexline.app.scene.things.some(({ kind, name }) => kind === "port" && name === "port"), "the port");
  const place = await desk.ask(() => {
    const { app } = window.flexline;
    const { anchor } = app.scene.things.find(({ name }) => name === "port");
    return [...app.frame.anchors.slice(8 * anchor, 8 * anchor + 3)];
  });
  const out = [place[0] - BAR[0], place[2] - BAR[2]];
  // On the round side, which is drawn with 64 flats, or on a flat end.
  assert.ok(Math.abs(Math.hypot(...out) - RADIUS) < 1e-4 || Math.abs(Math.abs(place[1]) - 0.08) < 1e-4, JSON.stringify(place));
  await desk.page.keyboard.press("Escape");
  await desk.page.click("#undo");
  await desk.until((text) => window.flexline.app.scene.text === text, "the scene of before", before.text);
});

test("it is led by its arrows, hidden, and removed", async () => {
  await desk.select("bar");
  const before = await desk.scene();
  await desk.until(() => window.flexline.gizmo("Z").length > 0, "the arrows");
  // The view may still be on its way there: an arrow is where it was seen last.
  let grip;
  for (let tries = 0; tries < 50; tries++) {
    [grip] = await desk.ask(() => window.flexline.gizmo("Z"));
    await desk.page.mouse.move(grip.x - 2, grip.y);
    await desk.page.mouse.move(grip.x, grip.y);
    await desk.page.waitForTimeout(100);
    if ((await desk.ask(() => window.flexline.view.gizmo.under)) === "Z") break;
  }
  assert.equal(await desk.ask(() => window.flexline.view.gizmo.under), "Z", "the pointer on the arrow");
  await desk.page.mouse.down();
  await desk.page.mouse.move(grip.x, grip.y - 15, { steps: 4 });
  await desk.page.mouse.up();
  const now = await desk.changed("the bar higher up", before.undo);
  const [, height] = /position = \[0\.2[56]\d*, 0, (-?[\d.]+)\]/.exec(now.text) ?? [];
  assert.ok(Number(height) > -0.05 && Number(height) < 0, now.text);
  assert.equal((await desk.trailer()).status, "converged");
  await desk.page.hover('.tree-row[data-name="bar"]');
  await desk.page.click('.tree-row[data-name="bar"] .eye');
  await desk.until(() => !window.flexline.view.obstacles.group.getObjectByName("bar").visible, "the hidden bar");
  await desk.page.click('.tree-row[data-name="bar"] .eye');
  await desk.select("bar");
  await desk.page.keyboard.press("Delete");
  await desk.until(() => window.flexline.app.scene.obstacles.length === 0, "a scene without the bar");
  await desk.until(() => window.flexline.app.frame.trailer.contacts.length === 0, "nothing that presses");
});
