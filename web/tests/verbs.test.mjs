// What can be done to a cable, each done by mouse and keyboard: lengthened between two places, divided, cut, joined, taken
// off, attached, branched, prolonged, let slide, and left to find its own length.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, distance, scene, Studio, withStudio } from "./studio.mjs";

let browser;
let desk;

withStudio("control-unit", {}, (opened) => ({ browser, desk } = opened));

const CABLE = "front cable";
const cable = (now, name = CABLE) => now.cables.find((one) => one.name === name);
const undo = async () => (await desk.scene()).undo;

/** Takes back everything, so that each test has the scene of the file. */
async function back() {
  while ((await undo()) > 0) {
    const left = await undo();
    await desk.page.click("#undo");
    await desk.until((before) => window.flexline.app.scene.undo < before, "one step back", left);
  }
}

test("a piece between two clicked places is made longer, and only it", async () => {
  const was = await desk.scene();
  await desk.page.keyboard.press("e");
  await desk.click(await desk.place(CABLE, 0.3));
  await desk.until(() => window.flexline.app.tool.from !== undefined, "the first place");
  await desk.click(await desk.place(CABLE, 0.6));
  await desk.page.waitForSelector("dialog[open]");
  const piece = Number(await desk.page.inputValue('[id="tool.lengthen.length"]'));
  assert.ok(Math.abs(piece - 0.3 * 480) < 12, `the dialog says ${piece} mm`);
  await desk.shot("lengthen");
  await desk.page.fill('[id="tool.lengthen.length"]', String(piece + 40));
  await desk.page.keyboard.press("Enter");
  const now = await desk.changed("the longer piece", was.undo);
  assert.ok(Math.abs(cable(now).length - 0.52) < 1e-4, `${cable(now).length} m`);
  await back();
});

test("handles divide a cable into equal pieces", async () => {
  const was = await desk.scene();
  await desk.select(CABLE);
  await desk.unfold("cable.actions");
  await desk.form("equidistant", { count: "3", hold: "pinned" });
  const now = await desk.changed("three handles", was.undo);
  const places = now.things.filter((one) => one.cable === CABLE).map((one) => one.at).sort((a, b) => a - b);
  assert.equal(places.length, 3);
  for (const [index, at] of places.entries()) assert.ok(Math.abs(at - (0.48 * (index + 1)) / 4) < 1e-6, `${at}`);
  await desk.shot("equidistant");
  await back();
});

test("a cable is cut, and its pieces are joined again", async () => {
  const was = await desk.scene();
  const rest = await desk.position(CABLE, 0.8);
  await desk.page.keyboard.press("k");
  await desk.click(await desk.place(CABLE, 0.5));
  const cut = await desk.changed("the cut", was.undo);
  assert.equal(cut.cables.length, 3);
  const pieces = cut.cables.filter((one) => one.to === "free");
  assert.equal(pieces.length, 2);
  assert.ok(Math.abs(pieces[0].length + pieces[1].length - 0.48) < 1e-9, "nothing is lost");
  await desk.shot("cut");
  await desk.select(pieces[0].name);
  await desk.unfold("cable.actions");
  await desk.unfold("form.join");
  assert.equal(await desk.page.inputValue('[id="join.other"]'), pieces[1].name, "the only other loose end is proposed");
  await desk.form("join");
  const joined = await desk.changed("the joint", cut.undo);
  assert.equal(joined.cables.length, 2);
  assert.ok(Math.abs(cable(joined).length - 0.48) < 1e-9);
  assert.equal(cable(joined).to, "unit.front");
  assert.ok(distance(await desk.position(CABLE, 0.8), rest) < 1e-3, "it hangs as before");
  await back();
});

test("an end is taken off, hangs, and is attached elsewhere", async () => {
  const was = await desk.scene();
  await desk.select("rear cable");
  await desk.unfold("cable.actions");
  await desk.form("separate", { at: "rear bulkhead" });
  const off = await desk.changed("the free end", was.undo);
  assert.equal(cable(off, "rear cable").to, "free");
  await desk.shot("taken-off");
  await desk.form("attach", { to: "front bulkhead", grip_to: "pinned" });
  const on = await desk.changed("the attached end", off.undo);
  assert.equal(cable(on, "rear cable").to, "front bulkhead");
  assert.ok(distance(await desk.position("rear cable", 1), [0, 0, 0]) < 1e-6, "its end is there");
  await back();
});

test("a branch leaves a cable where it is clicked, and is prolonged", async () => {
  const was = await desk.scene();
  await desk.page.keyboard.press("b");
  await desk.click(await desk.place(CABLE, 0.4));
  await desk.page.waitForSelector("dialog[open]");
  await desk.fill("tool.branch", { name: "spare", length: "120", part: "wire-1.5" });
  await desk.shot("branch");
  await desk.page.keyboard.press("Enter");
  const now = await desk.changed("the branch", was.undo);
  assert.equal(cable(now, "spare").to, "free");
  assert.ok(Math.abs(cable(now, "spare").length - 0.12) < 1e-9);
  const start = await desk.position("spare", 0);
  const at = now.things.find((one) => one.name === cable(now, "spare").from).at;
  assert.ok(Math.abs(at - 0.4 * 0.48) < 0.01, `it leaves at ${at} m`);
  assert.ok(distance(start, await desk.position(CABLE, at / 0.48)) < 1e-3, "it begins on the cable");
  await desk.unfold("cable.actions");
  await desk.form("prolong", { by: "30", end: "to" });
  const longer = await desk.changed("the prolonged branch", now.undo);
  assert.ok(Math.abs(cable(longer, "spare").length - 0.15) < 1e-9);
  await back();
});

test("a clip slides on a line, then on a path", async () => {
  const was = await desk.scene();
  await desk.page.keyboard.press("c");
  await desk.click(await desk.place(CABLE, 0.5));
  const clipped = await desk.changed("the clip", was.undo);
  await desk.page.keyboard.press("Escape");
  const { name } = clipped.things.find((one) => one.cable === CABLE);
  await desk.select(name);
  const held = await desk.position(CABLE, 0.5);
  // What it is held against moves away: a clip that slides along x follows in x and in nothing else.
  await desk.form("slide-line", { direction: "1", "direction.y": "0", "direction.z": "0" });
  const sliding = await desk.changed("the sliding clip", clipped.undo);
  assert.match(sliding.text, /kind = "line"/);
  await desk.select("front bulkhead");
  await desk.page.fill('[id="thing.x"]', "60");
  await desk.page.keyboard.press("Enter");
  const moved = await desk.changed("the moved port", sliding.undo);
  const at = clipped.things.find((one) => one.name === name).at / 0.48;
  const followed = await desk.position(CABLE, at);
  assert.ok(Math.abs(followed[0] - held[0]) > 1e-3, "it slid along x");
  assert.ok(Math.hypot(followed[1] - held[1], followed[2] - held[2]) < 1e-5, "and along nothing else");
  await desk.shot("slide-line");

  await desk.select(name);
  await desk.unfold("form.slide-path");
  const proposed = await desk.page.inputValue('[id="slide-path.points"]');
  const [x, y, z] = proposed.split("\n")[1].split(/[\s,]+/).map(Number);
  assert.ok(distance([x / 1000, y / 1000, z / 1000], followed) < 1e-4, "the path that is proposed runs through where it is");
  await desk.form("slide-path", { points: `${x}, ${y}, ${z - 80}\n${x}, ${y}, ${z}\n${x}, ${y}, ${z + 80}` });
  const path = await desk.changed("the path", moved.undo);
  assert.match(path.text, /kind = "path"/);
  assert.doesNotMatch(path.text, /kind = "line"/, "it has one way at most");
  const there = await desk.position(CABLE, at);
  assert.ok(Math.hypot(there[0] - x / 1000, there[1] - y / 1000) < 1e-5, "it stays on the path");
  assert.ok(Math.abs(there[2] - z / 1000) > 1e-4, "and slid along it");
  await desk.shot("slide-path");
  await back();
});

test("a cable finds its own length, straighter or more bent by its slider", async () => {
  const own = await Studio.start({ file: scene("routed-hose") });
  const page = await Desk.open(browser, `${own.address}/`);
  try {
    await page.select("hose");
    const length = () => page.ask(() => window.flexline.app.frame.trailer.lengths[0]);
    const first = await length();
    const pull = async (share) => {
      const before = (await page.scene()).undo;
      const range = page.page.locator('[data-focus="cable.slider.slider"]');
      const box = await range.boundingBox();
      const y = box.y + box.height / 2;
      const from = box.x + (box.width * (await range.inputValue())) / 1000;
      await page.pull({ x: from, y }, { x: box.x + share * box.width, y });
      await page.until(() => window.flexline.app.frame.trailer.preview, "a preview");
      await page.letGo();
      await page.changed("the other length", before);
      return length();
    };
    const straight = await pull(0.1);
    assert.ok(straight < first - 0.005, `straighter is shorter: ${first} to ${straight} m`);
    await page.shot("routing");
    const bent = await pull(0.9);
    assert.ok(bent > first + 0.005, `more bent is longer: ${first} to ${bent} m`);
    assert.match(await page.page.textContent("#properties"), /Length now:/);
    const { undo: before } = await page.scene();
    await page.page.click('[id="cable.route"]');
    const kept = await page.changed("the hose that keeps its length", before);
    assert.equal(kept.cables[0].routed, false);
    assert.ok(Math.abs(kept.cables[0].length - bent) < 1e-4, "it keeps the length it found");
    await page.page.click('[id="cable.route"]');
    const again = await page.changed("the hose that finds its length again", kept.undo);
    assert.equal(again.cables[0].routed, true);
    page.quiet();
    desk.quiet();
  } finally {
    await page.context.close();
    await own.end();
  }
});
