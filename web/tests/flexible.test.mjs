// A hose that is a mesh: dropped, a stretch of it made flexible between two places that are picked, moved, exported, read back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withStudio } from "./studio.mjs";

let desk;

withStudio("control-unit", {}, (opened) => ({ desk } = opened));

const RADIUS = 6;
/** The axis of the hose, mm: a bow in front of everything, seen from above the side. */
const axis = (s) => [100 + 300 * s, -300, 60 * Math.sin(Math.PI * s) - 120];

/** A hose of 300 mm, as OBJ in mm. */
function hose() {
  const [rings, sides] = [60, 16];
  const lines = [];
  for (let i = 0; i <= rings; i++) {
    const s = i / rings;
    const slope = [300, 0, 60 * Math.PI * Math.cos(Math.PI * s)];
    const size = Math.hypot(...slope);
    const across = [-slope[2] / size, 0, slope[0] / size];
    for (let k = 0; k < sides; k++) {
      const [c, d] = [Math.cos((2 * Math.PI * k) / sides), Math.sin((2 * Math.PI * k) / sides)];
      const middle = axis(s);
      lines.push(`v ${middle.map((x, n) => x + RADIUS * (c * across[n] + (n === 1 ? d : 0))).join(" ")}`);
    }
  }
  const id = (i, k) => 1 + i * sides + (k % sides);
  for (let i = 0; i < rings; i++) for (let k = 0; k < sides; k++) lines.push(`f ${id(i, k)} ${id(i, k + 1)} ${id(i + 1, k + 1)} ${id(i + 1, k)}`);
  return `${lines.join("\n")}\n`;
}

async function drop(name, text) {
  const data = await desk.page.evaluateHandle(([file, content]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], file));
    return transfer;
  }, [name, text]);
  await desk.page.dispatchEvent("#canvas", "dragover", { dataTransfer: data });
  await desk.page.dispatchEvent("#canvas", "drop", { dataTransfer: data });
}

const answer = (word) => desk.page.click(`dialog[open] .form-foot button[aria-label="${word}"]`);
/** A place of the surface that faces the front. */
const front = (s) => axis(s).map((x, n) => (x - (n === 1 ? RADIUS : 0)) / 1000);

test("a stretch of a dropped hose becomes a cable between two picked places", async () => {
  await drop("hose.obj", hose());
  await answer("Hose or cable");
  await answer("mm");
  await answer("Only a stretch …");
  await desk.until(() => window.flexline.app.tool.name === "flexible" && window.flexline.app.tool.spots.length === 2, "both ends to pick");
  await desk.ask(() => window.flexline.app.emit("camera", "front"));
  await desk.until(() => (window.flexline.view.obstacles.group.getObjectByName("hose")?.geometry.getAttribute("position")?.count ?? 0) > 0, "the drawn hose");
  const at = (point) => desk.ask((where) => window.flexline.project(where), point);
  // The camera flies there.
  for (let [last, now] = [null, await at(front(0.3))]; !last || Math.hypot(last.x - now.x, last.y - now.y) > 0.01; [last, now] = [now, await at(front(0.3))]) {
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  await desk.click(await at(front(0.3)));
  await desk.until(() => window.flexline.app.tool.from !== undefined, "the first place");
  await desk.shot("stretch");
  await desk.click(await at(front(0.7)));
  await desk.until(() => window.flexline.app.scene.cables.some((each) => each.name === "hose cable"), "the cable");
  const scene = await desk.scene();
  const cable = scene.cables.find((each) => each.name === "hose cable");
  // Between 0.3 and 0.7 of the bow: 120 mm along x, a little longer for its slope.
  assert.ok(Math.abs(cable.length - 0.1226) < 0.004, `${cable.length} m long`);
  assert.ok(Math.abs(cable.radius - 0.006) < 1e-4, `${cable.radius} m thick`);
  assert.deepEqual(scene.obstacles.map((each) => each.name), ["hose cable remainder"]);
});

test("the stretch is moved and goes out as STEP, which comes back in", async () => {
  const name = "hose cable end 2";
  const done = await desk.ask((end) => window.flexline.app.command({ do: "move", name: end, by: [0, 0, "-20 mm"] }), name);
  assert.ok(done, "the end is moved");
  const text = await desk.ask(async () => {
    const { session } = window.flexline.app;
    const answer = await fetch(`/api/sessions/${session}/centreline.step?cable=${encodeURIComponent("hose cable")}`);
    return answer.text();
  });
  assert.match(text, /^ISO-10303-21;/);
  assert.match(text, /B_SPLINE_CURVE_WITH_KNOTS/);
  const before = (await desk.scene()).cables.find((each) => each.name === "hose cable").length;
  await drop("back.step", text);
  await desk.page.waitForSelector("#centreline-radius");
  await answer("Go on");
  await answer("Make it flexible");
  await desk.until(() => window.flexline.app.scene.cables.some((each) => each.name === "back cable"), "the cable along the line");
  const after = (await desk.scene()).cables.find((each) => each.name === "back cable").length;
  // A smooth curve through the ends of 30 segments is longer than they are by (κh)²/24.
  assert.ok(after > before && after - before < 3e-4 * before, `${after} of ${before}`);
  // One step takes it away again.
  await desk.ask(() => window.flexline.app.ask("undo"));
  await desk.until(() => !window.flexline.app.scene.cables.some((each) => each.name === "back cable"), "the scene before");
});
