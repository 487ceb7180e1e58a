// Guided tours of contact, done as a person does them: every step goes on by what is really done.

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

async function open(name, query) {
  const studio = await Studio.start({ file: scene(`contact/${name}`) });
  studios.push(studio);
  const [{ name: session }] = await studio.sessions();
  return Desk.open(browser, `${studio.address}/?session=${session}${query}`);
}

const row = (name) => `.tree-row[data-name="${name}"]`;
const step = (desk, title) => desk.until((wanted) => document.querySelector("#tour header b")?.textContent === wanted, `the step “${title}”`, title);

/** Puts what is selected somewhere along an axis, mm. */
async function put(desk, axis, value) {
  const { undo } = await desk.scene();
  await desk.page.fill(`[id="thing.${axis}"]`, String(value));
  await desk.page.keyboard.press("Enter");
  await desk.changed(`the place along ${axis}`, undo);
  assert.equal((await desk.trailer()).status, "converged");
}

test("a plug is threaded through an aperture", async () => {
  const desk = await open("cable-through-an-aperture", "&tour=thread");
  await step(desk, "A plug before a plate");
  await desk.page.click(row("plug"));
  await step(desk, "Through the aperture");
  for (const x of [-20, 30]) await put(desk, "x", x);
  await step(desk, "Down behind the plate");
  await put(desk, "x", 60);
  for (const z of [-40, -80]) await put(desk, "z", z);
  await step(desk, "It stays threaded");
  const { contacts } = await desk.trailer();
  assert.ok(contacts.some(({ by }) => by === "plate"), "it lies on the rim");
  await desk.shot("tour-thread");
  await desk.page.click("#tour footer .button:last-child");
  await step(desk, "That was the tour");
  await desk.context.close();
});

test("a cable is pulled through a conduit", async () => {
  const desk = await open("cable-pulled-through-a-conduit", "&tour=pull");
  await step(desk, "A cable in a conduit");
  await desk.page.click(row("hand"));
  await step(desk, "Pull");
  await put(desk, "z", -302);
  await step(desk, "Let the other end follow");
  await desk.page.click(row("brake"));
  await put(desk, "x", -178);
  await step(desk, "Where it chafes");
  await desk.shot("tour-pull");
  await desk.page.click("#tour footer .button:last-child");
  await step(desk, "That was the tour");
  await desk.context.close();
});
