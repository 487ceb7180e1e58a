// Assembly with contact: a mesh is dropped, a hose comes to lie on it, is clipped to its surface by a click and pushed aside;
// what is left of the distance is read from the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, withSessions } from "./studio.mjs";

const SCENE = `version = 1
title = "A hose from a fitting"
[[port]]
name = "left"
position = ["-200 mm", 0, "35 mm"]
tangent = [1, 0, 0]
[[cable]]
name = "hose"
part = "brake-hose"
length = "520 mm"
segments = 60
from = "left"
to = "free"
`;

/** A block of 160 by 160 by 40 mm with its top at z = 0, in mm. */
const LOW = [-80, -80, -40];
const HIGH = [80, 80, 0];
const CORNERS = Array.from({ length: 8 }, (_, i) => [i & 1 ? HIGH : LOW, i & 2 ? HIGH : LOW, i & 4 ? HIGH : LOW].map((from, axis) => from[axis]));
const FACES = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]];
const BLOCK = `${CORNERS.map((at) => `v ${at.join(" ")}`).join("\n")}\n${FACES.map((face) => `f ${face.join(" ")}`).join("\n")}\n`;

const all = withSessions();
let desk;

/** A pixel where an obstacle is in front, nearest to a point. */
const pixelOn = (name, point) => desk.ask(([wanted, at]) => {
  const { view, project } = window.flexline;
  const { box, size } = view.stage;
  const middle = project(at);
  let best = null;
  for (let y = 6; y < size.y; y += 6) {
    for (let x = 6; x < size.x; x += 6) {
      const pixel = { x: x + box.left, y: y + box.top };
      const away = Math.hypot(pixel.x - middle.x, pixel.y - middle.y);
      if (best && away >= best.away) continue;
      if (view.pointer.pick(x, y, 6)?.solid?.name !== wanted || document.elementFromPoint(pixel.x, pixel.y) !== view.stage.canvas) continue;
      best = { ...pixel, away };
    }
  }
  return best;
}, [name, point]);

const anchor = (name) => desk.ask((wanted) => {
  const { app } = window.flexline;
  const { anchor: index } = app.scene.things.find((one) => one.name === wanted);
  return [...app.frame.anchors.slice(8 * index, 8 * index + 3)];
}, name);

test("a mesh is dropped under a hose, which comes to lie on it", async () => {
  desk = await all.open({ name: "assembly", text: SCENE });
  const sagged = await desk.position("hose", 0.6);
  assert.ok(sagged[2] < 0, `it hangs below where the block will be: ${sagged}`);
  const data = await desk.page.evaluateHandle(([file, content]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], file));
    return transfer;
  }, ["block.obj", BLOCK]);
  await desk.page.dispatchEvent("#canvas", "dragover", { dataTransfer: data });
  await desk.page.dispatchEvent("#canvas", "drop", { dataTransfer: data });
  for (const word of ["Obstacle", "mm"]) await desk.page.click(`dialog[open] .form-foot button[aria-label="${word}"]`);
  await desk.until(() => window.flexline.app.frame.trailer.contacts.some(({ by }) => by === "block"), "the hose on the block");
  const { status, clearance } = await desk.trailer();
  assert.equal(status, "converged");
  assert.ok(Math.abs(clearance.gap) < 1e-6, `${clearance.gap}`);
  const radius = await desk.ask(() => window.flexline.app.scene.cables[0].radius);
  assert.ok((await desk.position("hose", 0.4))[2] > radius - 1e-4, "it lies on the top");
  await desk.shot("assembly-laid");
});

test("it is clipped to the surface by a click", async () => {
  const before = await desk.scene();
  const at = await pixelOn("block", [0, 0.04, 0]);
  assert.ok(at, "the block is seen");
  await desk.page.keyboard.press("c");
  await desk.click(at);
  const now = await desk.changed("the clip", before.undo);
  await desk.page.keyboard.press("Escape");
  const clip = now.things.find(({ kind }) => kind === "clip");
  assert.ok(clip, "there is a clip");
  const place = await anchor(clip.name);
  const radius = now.cables[0].radius;
  // It is on the surface that was clicked, as far off as the hose is thick, and not where the hose was.
  assert.ok(Math.abs(place[2] - radius) < 2e-5, `${place}`);
  assert.ok(Math.abs(place[1]) > 0.01, `${place}`);
  await desk.until(() => window.flexline.app.frame.trailer.status === "converged", "an equilibrium");
  await desk.shot("assembly-clipped");
});

test("a clip is dragged along the surface and stays on it", async () => {
  const before = await desk.scene();
  const { name } = before.things.find(({ kind }) => kind === "clip");
  const was = await anchor(name);
  // Without arrows in the way.
  await desk.ask(() => window.flexline.app.select(null));
  const from = await desk.thing(name);
  const to = await desk.ask((at) => window.flexline.project(at), [was[0] - 0.03, was[1] * 0.5, was[2]]);
  await desk.pull(from, to);
  await desk.letGo();
  await desk.changed("the clip elsewhere", before.undo);
  const place = await anchor(name);
  assert.ok(distance(place, was) > 0.01, `it moved: ${was} to ${place}`);
  assert.ok(Math.abs(place[2] - was[2]) < 1e-4, `it stayed on the surface: ${place}`);
  assert.equal((await desk.trailer()).status, "converged");
});

test("a post is put onto the surface by a click, and hidden", async () => {
  const before = await desk.scene();
  const at = await pixelOn("block", [0.05, -0.06, 0]);
  assert.ok(at, "the block is seen");
  await desk.page.keyboard.press("o");
  await desk.click(at);
  const now = await desk.changed("the post", before.undo);
  await desk.page.keyboard.press("Escape");
  const own = now.obstacles.find(({ name }) => name !== "block");
  assert.ok(own && own.form === "cylinder", JSON.stringify(now.obstacles));
  const place = await anchor(own.name);
  // Its foot is where the click was: on the top of the block.
  assert.ok(Math.abs(place[2] - own.length / 2) < 1e-4, `${place}`);
  const tip = await desk.ask((wanted) => window.flexline.project(wanted), place);
  const seen = () => desk.ask(([x, y]) => {
    const { view } = window.flexline;
    const { box } = view.stage;
    return view.pointer.pick(x - box.left, y - box.top, 1)?.solid?.name;
  }, [tip.x, tip.y]);
  assert.equal(await seen(), own.name, "it is seen");
  await desk.page.click(`#tree [data-name="${own.name}"] button`);
  await desk.until((name) => window.flexline.app.hidden.has(name), "the post hidden", own.name);
  assert.notEqual(await seen(), own.name, "it is hidden");
  await desk.page.click("#undo");
  await desk.until((name) => !window.flexline.app.scene.obstacles.some((one) => one.name === name), "the post gone", own.name);
});

test("a bar pushes it aside, and the distance that is left is read", async () => {
  const before = await desk.scene();
  const there = await desk.position("hose", 0.8);
  await desk.ask((at) => window.flexline.app.command({ do: "add", kind: "obstacle", with: {
    name: "pusher", shape: "capsule", radius: "10 mm", length: "120 mm", position: [at[0], at[1] - 0.06, at[2]], tangent: [0, 0, 1],
  } }), there);
  const added = await desk.changed("the bar", before.undo);
  await desk.select("pusher");
  await desk.page.fill('[id="thing.y"]', String(1000 * (there[1] + 0.02)));
  await desk.page.keyboard.press("Enter");
  await desk.changed("the bar where it pushes", added.undo);
  await desk.until(() => window.flexline.app.frame.trailer.contacts.some(({ by }) => by === "pusher"), "the bar pressing");
  assert.equal((await desk.trailer()).status, "converged");
  const aside = await desk.position("hose", 0.8);
  assert.ok(aside[1] > there[1] + 0.01, `the hose gives way: ${there} to ${aside}`);
  // Out again: what is left of the distance stands on the page.
  await desk.page.fill('[id="thing.y"]', String(1000 * (there[1] - 0.1)));
  await desk.page.keyboard.press("Enter");
  await desk.until(() => !window.flexline.app.frame.trailer.contacts.some(({ by }) => by === "pusher"), "the bar out");
  assert.ok(distance(await desk.position("hose", 0.8), there) < 2e-3, "the hose comes back");
  await desk.until(() => /mm|N on block/.test(document.querySelector(".label.contact:not([hidden])")?.textContent ?? ""), "the distance or force in words");
  await desk.shot("assembly-pushed");
  desk.quiet();
});
