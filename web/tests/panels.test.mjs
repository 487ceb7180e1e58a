// The panels, used as a person uses them: sliders, fields that refuse, too short and the way out, removing, tours.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Desk, launch, scene, Studio } from "./studio.mjs";

let browser;
const studios = [];

before(async () => {
  browser = await launch();
});

after(async () => {
  await browser?.close();
  for (const studio of studios) await studio.end();
});

async function open(name, query = "") {
  const studio = await Studio.start({ file: scene(name) });
  studios.push(studio);
  const [{ name: session }] = await studio.sessions();
  return Desk.open(browser, `${studio.address}/?session=${session}${query}`);
}

const row = (name) => `.tree-row[data-name="${name}"]`;
const step = (desk, title) => desk.until((wanted) => document.querySelector("#tour header b")?.textContent === wanted, `the step “${title}”`, title);
const lengthOf = (desk) => desk.ask(() => window.flexline.app.scene.cables[0].length);

test("a slider shows while it moves and is one change", async () => {
  const desk = await open("brake-hose");
  await desk.page.click(row("brake hose"));
  const box = await desk.page.locator('[data-focus="cable.length.slider"]').boundingBox();
  const y = box.y + box.height / 2;
  await desk.pull({ x: box.x + 0.4 * box.width, y }, { x: box.x + 0.6 * box.width, y });
  await desk.until(() => window.flexline.app.frame.trailer.preview, "a preview");
  await desk.letGo();
  await desk.until(() => window.flexline.app.scene.undo === 1 && !window.flexline.app.frame.trailer.preview, "one change");
  assert.ok((await lengthOf(desk)) > 0.4);
  // A panel that is built anew stays where it was scrolled to.
  await desk.unfold("keys");
  await desk.ask(() => (document.getElementById("properties").scrollTop = 40));
  const { revision } = await desk.scene();
  await desk.page.keyboard.press("Control+z");
  await desk.until((was) => window.flexline.app.scene.revision > was, "one step back", revision);
  await desk.page.waitForTimeout(200);
  assert.equal(await desk.ask(() => document.getElementById("properties").scrollTop), 40);
  await desk.context.close();
});

test("a value that is refused stays in its field with the reason, and a cable that is too short offers what it lacks", async () => {
  const desk = await open("brake-hose");
  await desk.page.click(row("brake hose"));
  await desk.page.fill('[id="cable.length"]', "5 kg");
  await desk.page.keyboard.press("Enter");
  await desk.page.waitForSelector(".slider-field .field-error:not([hidden])");
  assert.match(await desk.page.textContent(".slider-field .field-error:not([hidden])"), /is a mass, not a length/);
  assert.equal(await desk.page.inputValue('[id="cable.length"]'), "5 kg");
  assert.equal((await desk.scene()).undo, 0);

  await desk.page.fill('[id="cable.length"]', "20 cm");
  await desk.page.keyboard.press("Enter");
  await desk.until(() => window.flexline.app.frame.trailer.status === "too_short", "too short");
  await desk.page.waitForSelector(`${row("brake hose")} .badge.fail`);
  await desk.shot("too-short");
  await desk.page.click("#checks .callout .button.primary");
  await desk.until(() => window.flexline.app.frame.trailer.status === "converged", "long enough");
  assert.ok((await lengthOf(desk)) > 0.2);
  assert.deepEqual(desk.errors, []);
  await desk.context.close();
});

test("what is in use is removed only with its users", async () => {
  const desk = await open("control-unit");
  await desk.page.click(row("front bulkhead"));
  await desk.page.click("#remove-selected");
  await desk.page.waitForSelector("dialog[open]");
  assert.match(await desk.page.textContent("dialog[open]"), /used by cable 'front cable'/);
  await desk.page.click('dialog[open] button:has-text("Remove with its users")');
  await desk.until(() => window.flexline.app.scene.cables.length === 1, "one cable left");
  await desk.page.keyboard.press("Control+z");
  await desk.until(() => window.flexline.app.scene.cables.length === 2, "both cables again");
  await desk.context.close();
});

test("the tour of the control unit goes on by what is done", async () => {
  const desk = await open("control-unit", "&tour=control-unit");
  await step(desk, "A unit on its cables");
  await desk.page.click(row("unit"));
  await step(desk, "Pull");
  await desk.page.click('#properties .segmented button:has-text("fixed")');
  await desk.page.fill('[id="thing.y"]', "-420");
  await desk.page.keyboard.press("Enter");
  await step(desk, "How much is missing");
  await step(desk, "Give it the reserve");
  await desk.shot("tour-reserve");
  for (const left of [1, 0]) {
    await desk.page.click("#checks .callout .button.primary");
    await desk.until((count) => window.flexline.app.frame.trailer.short.length === count, `${left} too short`, left);
  }
  await step(desk, "Let it hang");
  await desk.page.click("#mode-dynamics");
  await step(desk, "That was the tour");
  await desk.context.close();
});

test("the tour of the ring sees it snap", async () => {
  const desk = await open("twisted-ring", "&tour=ring");
  await desk.page.click(row("piece 3"));
  await step(desk, "Colour shows twist");
  await desk.page.click("#tour footer .button:last-child");
  await step(desk, "One more turn");
  await desk.page.click("#turn-on");
  await step(desk, "Now it snaps");
  const quarter = desk.page.locator(".turns-row .button").nth(2);
  for (const turns of [2.25, 2.5]) {
    await quarter.click();
    await desk.until((given) => Math.abs(window.flexline.app.scene.cables[2].twist / (2 * Math.PI) - given) < 1e-6, `${turns} turns`, turns);
  }
  await step(desk, "What happened");
  await desk.shot("tour-ring");
  await desk.context.close();
});

test("the gallery opens a scene and its tour", async () => {
  const desk = await open("brake-hose");
  await desk.page.click("#open-gallery");
  await desk.page.waitForSelector('.card[data-scene="door-harness"]');
  await desk.shot("gallery");
  await desk.page.click('[data-tour="brake-hose"]');
  await desk.page.waitForURL(/tour=brake-hose/);
  await step(desk, "A hose and two ends");
  await desk.context.close();
});
