// The form for constraints: only what a kind needs, with values that suit; each kind is added and holds.

import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, withStudio } from "./studio.mjs";

let desk;

withStudio("control-unit", {}, (opened) => ({ desk } = opened));

/** How a frame is turned can be said in three ways: they stand under the other keys. */
const TURNS = ["tangent", "up", "quaternion", "axis", "angle"];

/** The fields for the keys that the server says a kind has. */
function fieldsOf({ kind, keys }) {
  if (kind === "aligned") keys = keys.filter((key) => !TURNS.includes(key));
  // Two that are turned alike: the other one may be the world, which has no point.
  return ["parallel", "aligned"].includes(kind) ? keys.map((key) => (key === "to" ? "frame" : key)) : keys;
}

async function open(kind) {
  await desk.select("unit");
  await desk.page.click("#add");
  await desk.page.click('.menu button:has-text("Constraint")');
  await desk.page.waitForSelector("dialog[open]");
  await desk.page.selectOption('[id="add.constraint.kind"]', kind);
}

/** Names of the fields that are seen. */
const shown = () => desk.ask(() => [...document.querySelectorAll("dialog[open] .field")].filter((row) => row.checkVisibility())
  .map((row) => row.querySelector("label").getAttribute("for").replace("add.constraint.", "")));

const unit = () => desk.ask(() => {
  const { app } = window.flexline;
  const { anchor } = app.scene.things.find((one) => one.name === "unit");
  return [...app.frame.anchors.slice(anchor * 8, anchor * 8 + 3)];
});

test("each kind shows what it needs, and can be added as it is proposed", async () => {
  const refused = [];
  const { constraints } = await desk.scene();
  assert.ok(constraints.length >= 10, "the server tells the kinds");
  for (const one of constraints) {
    const { kind } = one;
    const fields = fieldsOf(one);
    await open(kind);
    assert.deepEqual((await shown()).sort(), ["kind", "name", "more", ...fields].sort(), kind);
    if (kind === "circle") await desk.shot("constraint");
    const { undo } = await desk.scene();
    // Two of one part cannot be brought together: the other is chosen.
    if (fields.includes("to")) await desk.page.selectOption('[id="add.constraint.to"]', "front bulkhead");
    const rest = await unit();
    await desk.page.click('dialog[open] button[type="submit"]');
    await desk.until(
      (before) => window.flexline.app.scene.undo > before || document.querySelector("dialog[open] .field-error:not([hidden])"), `an answer to ${kind}`, undo,
    );
    const error = await desk.ask(() => document.querySelector("dialog[open] .field-error:not([hidden])")?.textContent ?? null);
    if (error) {
      refused.push(`${kind}: ${error}`);
      await desk.page.keyboard.press("Escape");
      continue;
    }
    const now = await desk.changed(kind, undo);
    assert.match(now.text, new RegExp(`kind = "${kind}"`));
    // What is proposed is the state as it is: nothing jumps.
    if (!["coincide", "parallel", "aligned"].includes(kind)) assert.ok(distance(await unit(), rest) < 1e-4, `${kind} moved the unit by ${distance(await unit(), rest)} m`);
    await desk.page.click("#undo");
    await desk.until((before) => window.flexline.app.scene.undo === before, "one step back", undo);
  }
  assert.deepEqual(refused, []);
});

test("a point of the world can be one of two, and what is proposed gives way to what is typed", async () => {
  await open("distance");
  await desk.page.fill('[id="add.constraint.distance"]', "300");
  await desk.page.selectOption('[id="add.constraint.to"]', "a point of the world");
  assert.equal(await desk.page.inputValue('[id="add.constraint.distance"]'), "300", "what was typed stays");
  await desk.fill("add.constraint", { place: "300", "place.y": "0", "place.z": "0", sense: "at most" });
  await desk.shot("constraint-world");
  const { undo } = await desk.scene();
  await desk.page.click('dialog[open] button[type="submit"]');
  const now = await desk.changed("the distance", undo);
  assert.match(now.text, /sense = "at most"/);
  assert.ok(distance(await unit(), [0.3, 0, 0]) < 0.3 + 1e-6, "it holds");
  // Its panel has what a distance takes, and nothing of circles.
  await desk.page.click('.tree-row[data-kind="constraint"]');
  await desk.until(() => document.querySelector('#properties [data-fold="keys"]'), "its panel");
  await desk.unfold("keys");
  if (await desk.page.locator('#properties [data-fold="keys.unset"]').count()) await desk.unfold("keys.unset");
  const labels = await desk.page.locator("#properties .field-label").allTextContents();
  assert.ok(labels.includes("Distance") && labels.includes("Sense"), labels.join());
  assert.ok(!labels.some((label) => ["Radius", "Normal", "Centre", "Points"].includes(label)), labels.join());
  desk.quiet();
});
