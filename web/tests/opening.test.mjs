// What a person meets first: plots that are there at once, keys that do what they say, fields that are done with.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, withStudio } from "./studio.mjs";

let all;

withStudio("control-unit", {}, (opened) => (all = opened));

const plots = () => document.querySelectorAll("#plots .plot-body canvas").length;

test("plots that could not be seen when the scene came are drawn once they can be", async () => {
  const unseen = () => document.addEventListener("DOMContentLoaded", () => (document.getElementById("plots").style.display = "none"));
  const desk = await Desk.open(all.browser, `${all.studio.address}/`, { before: [unseen] });
  await desk.page.waitForTimeout(500);
  assert.equal(await desk.ask(plots), 0, "nothing is drawn that nobody sees");
  await desk.ask(() => (document.getElementById("plots").style.display = ""));
  await desk.until(() => document.querySelectorAll("#plots .plot-body canvas").length === 4, "the plots");
  await desk.until(() => [...document.querySelectorAll("#plots .plot-value")].every((one) => /\d/.test(one.textContent)), "their largest values");
  desk.quiet();
  await desk.context.close();
});

test("undo works where one has just typed, and leaves alone what is not sent yet", async () => {
  const { desk } = all;
  await desk.select("front cable");
  await desk.page.fill('[id="cable.length"]', "500");
  await desk.page.keyboard.press("Enter");
  await desk.changed("the length", 0);
  assert.equal(await desk.ask(() => document.activeElement.id), "cable.length", "the field keeps the focus");
  await desk.page.keyboard.press("Control+z");
  await desk.until(() => window.flexline.app.scene.undo === 0, "one step back");
  await desk.page.keyboard.press("Control+y");
  await desk.until(() => window.flexline.app.scene.undo === 1, "one step on");
  await desk.page.keyboard.press("Control+z");
  await desk.until(() => window.flexline.app.scene.undo === 0, "one step back");
  // A place is typed into as well, and it is another kind of field.
  await desk.select("rear bulkhead");
  await desk.page.fill('[id="thing.z"]', "30");
  await desk.page.keyboard.press("Enter");
  await desk.changed("the place", 0);
  await desk.page.keyboard.press("Control+z");
  await desk.until(() => window.flexline.app.scene.undo === 0, "the place it had");
  // While one types, the text is the field's own.
  await desk.page.locator('[id="thing.z"]').click();
  await desk.page.keyboard.press("End");
  await desk.page.keyboard.type("5");
  await desk.page.keyboard.press("Control+z");
  await desk.page.waitForTimeout(200);
  assert.deepEqual(await desk.ask(() => [window.flexline.app.scene.undo, window.flexline.app.scene.redo]), [0, 1]);
  await desk.page.keyboard.press("Escape");
});

test("a connector says where it is", async () => {
  const { desk } = all;
  const name = await desk.ask(() => window.flexline.app.scene.things.find((one) => one.kind === "connector").name);
  await desk.select(name);
  await desk.until(() => /Now at .* mm/.test(document.querySelector('#properties [data-live="position"]')?.textContent), "its place");
  desk.quiet();
});
