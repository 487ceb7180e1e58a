// Too short: who is to blame, what is drawn, and that there are no numbers where there is no equilibrium.

import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, withSessions } from "./studio.mjs";

const { open } = withSessions();

/** The drawn cables: how long each is, and how far its ends are from what it is fixed to, m. */
const drawn = (desk) => desk.ask(() => {
  const { app } = window.flexline;
  const { points, anchors } = app.frame;
  const at = (node) => [...points.slice(4 * node, 4 * node + 3)];
  const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  const where = (name) => {
    const thing = app.scene.things.find((one) => one.name === name || one.name.split(".")[0] === name);
    return thing && thing.anchor !== null ? [...anchors.slice(8 * thing.anchor, 8 * thing.anchor + 3)] : null;
  };
  return app.scene.cables.map(({ name, first, count, from, to, length }) => {
    let long = 0;
    for (let i = 1; i < count; i++) long += apart(at(first + i - 1), at(first + i));
    const gaps = [[at(first), where(from)], [at(first + count - 1), where(to)]].map(([end, thing]) => (thing ? apart(end, thing) : 0));
    return { name, length, long, gap: Math.max(...gaps) };
  });
});

/** The frame of the newest place of a hand has come. */
const settled = (desk) => desk.until(() => {
  const { frame, scene } = window.flexline.app;
  return frame.trailer.line !== "settling" && frame.revision === scene.revision;
}, "the shape");

/** Nothing has a value: neither along cables, nor in the checks, nor in the plots. */
async function saysNoNumbers(desk) {
  const { loads, findings, values } = await desk.ask(() => ({
    loads: window.flexline.app.frame.loads.every((value) => value === 0),
    findings: window.flexline.app.findings.map(({ rule, verdict }) => ({ rule, verdict })),
    values: [...document.querySelectorAll("#plots .plot-value")].filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true })).map((one) => one.textContent),
  }));
  assert.ok(loads, "no curvature, twist, tension or moment");
  assert.deepEqual(findings, [{ rule: "equilibrium", verdict: "fail" }]);
  assert.deepEqual(values, [], "there is nothing to plot");
}

test("a cable that is pulled too far is to blame, and nothing else is", async () => {
  const desk = await open({ gallery: "door-harness" });
  const cable = "to the mirror";
  await desk.page.waitForTimeout(300);
  const from = await desk.place(cable, 0.92);
  let short = 0;
  // By 50 pixels to all sides.
  for (const [k, way] of [[1, 0], [0, -1], [-1, 0], [0, 1], [0.7, -0.7], [-0.7, -0.7]].entries()) {
    await desk.pull(from, { x: from.x + 50 * way[0], y: from.y + 50 * way[1] });
    await settled(desk);
    await desk.page.waitForTimeout(400);
    await settled(desk);
    const trailer = await desk.trailer();
    assert.ok(["converged", "too_short"].includes(trailer.status), trailer.line);
    for (const { name, long, length, gap } of await drawn(desk)) {
      assert.ok(gap < 1e-5, `${name} is drawn ${1000 * gap} mm off its end: ${trailer.line}`);
      assert.ok(Math.abs(long - length) < 0.005 * length, `${name} is drawn ${long} m long and has ${length} m`);
    }
    if (trailer.status === "too_short") {
      short++;
      assert.deepEqual([...new Set(trailer.short.map((one) => one.cable))], [cable], trailer.line);
      await desk.until(() => document.querySelectorAll(".callout.bad:not([hidden]) .button.primary").length > 0, "the way out");
      const offers = await desk.page.locator(".callout.bad .button.link").allTextContents();
      assert.ok(offers.every((name) => name === cable), `${offers} are offered more length`);
      await desk.until(() => window.flexline.app.findings.length === 1, "the checks");
      await saysNoNumbers(desk);
      assert.doesNotMatch(trailer.line, /'hand/, "nobody put a clip there");
      await desk.until(() => window.flexline.view.overlay.marks.geometry.drawRange.count <= 2, "no mark but those of the pointer");
      await desk.shot(`pulled-too-far-${k}`);
    }
    await desk.letGo();
    await desk.until(() => window.flexline.app.frame.trailer.status === "converged", "the way back");
  }
  assert.ok(short > 0, "none of the pulls went too far");
  desk.quiet();
  await desk.context.close();
});

test("a hose of 150 mm on a chord of 277 mm is drawn straight, as long as it is, and without numbers", async () => {
  const desk = await open({ gallery: "brake-hose" });
  await desk.page.waitForTimeout(300);
  await desk.select("brake hose");
  const { undo } = await desk.scene();
  await desk.ask(() => window.flexline.app.command({ do: "set-length", cable: "brake hose", length: "150 mm" }));
  await desk.changed("150 mm", undo);
  await desk.until(() => window.flexline.app.frame.trailer.status === "too_short", "too short");
  await desk.until(() => window.flexline.app.findings.length === 1, "the checks");
  const [hose] = await drawn(desk);
  assert.ok(Math.abs(hose.long - 0.15) < 1e-3, `it is drawn ${hose.long} m long`);
  const [a, b] = [await desk.position("brake hose", 0), await desk.position("brake hose", 1)];
  assert.ok(distance(a, b) > 0.148, `it is drawn ${distance(a, b)} m from end to end`);
  const { short } = await desk.trailer();
  assert.ok(short.length === 1 && Math.abs(short[0].missing - 0.127) < 0.002, JSON.stringify(short));
  await saysNoNumbers(desk);
  await desk.until(() => !/largest/.test(document.querySelector("#legend").textContent), "a legend without values");
  assert.doesNotMatch(await desk.page.textContent("footer, #status"), /\bstable\b/);
  await desk.shot("hose-too-short");
  desk.quiet();
  await desk.context.close();
});

/** Fifty wires side by side. */
function wires() {
  const one = (k) => `[[port]]\nname = "a${k}"\nposition = [0, ${0.03 * k}, 0]\ntangent = [1, 0, 0]\n[[port]]\nname = "b${k}"\n`
    + `position = [0.5, ${0.03 * k}, 0]\ntangent = [1, 0, 0]\n[[cable]]\nname = "c${k}"\nlength = 0.6\nsegments = 40\npart = "wire-2.5"\nfrom = "a${k}"\nto = "b${k}"\n`;
  return `version = 1\n${Array.from({ length: 50 }, (_, k) => one(k)).join("")}`;
}

test("pulls near a clamp among many cables never end with forces of tons", async () => {
  const desk = await open({ name: "fifty", text: wires() });
  await desk.page.waitForTimeout(500);
  for (const [k, [cable, share, x, y]] of [["c3", 0.03, 40, -30], ["c20", 0.97, -60, -20], ["c41", 0.05, 30, 60], ["c25", 0.04, -50, 10]].entries()) {
    const from = await desk.place(cable, share);
    await desk.pull(from, { x: from.x + x, y: from.y + y });
    await settled(desk);
    await desk.page.waitForTimeout(500);
    await settled(desk);
    const trailer = await desk.trailer();
    assert.ok(["converged", "too_short"].includes(trailer.status), `${k}: ${trailer.line}`);
    const tensions = await desk.ask(() => window.flexline.app.findings.filter(({ rule }) => rule === "tension").map(({ value }) => Math.abs(value)));
    // A wire of 2.5 mm² breaks at some hundred newtons.
    assert.ok(tensions.every((value) => value < 1000), `${k}: ${Math.max(...tensions)} N, ${trailer.line}`);
    for (const one of trailer.short) assert.equal(one.cable, cable);
    await desk.shot(`near-a-clamp-${k}`);
    await desk.letGo();
    await desk.until(() => window.flexline.app.frame.trailer.status === "converged", "the way back");
  }
  desk.quiet();
  await desk.context.close();
});

/** Limp and heavy, from a clamp that points upward: in eight segments it only folds. */
const fountain = `version = 1
[cable]
name = "fountain"
length = 1.4
segments = 8
measured = { bend = 0.19, twist = 0.19, mass_per_length = 22, diameter = 0.008 }
[start]
hold = "clamped"
position = [0, 0, 0]
tangent = [0.1, 0, 1]
[end]
hold = "free"
`;

test("a cable that folds is told how many segments it needs, and with these it is at rest", async () => {
  const desk = await open({ name: "fountain", text: fountain });
  await desk.until(() => window.flexline.app.findings.length === 1, "the checks");
  const told = /with (\d+) segments there is an equilibrium/;
  const [, needed] = told.exec(await desk.page.textContent(".status-line")) ?? [];
  assert.ok(Number(needed) > 8, `${needed} segments`);
  assert.match(await desk.page.textContent(".callout.bad:not([hidden])"), told);
  assert.match(await desk.page.textContent('.check[data-rule="equilibrium"]'), told);
  await saysNoNumbers(desk);
  const { undo } = await desk.scene();
  await desk.ask((value) => window.flexline.app.command({ do: "set", kind: "cable", name: "fountain", key: "segments", value }), Number(needed));
  await desk.changed("more segments", undo);
  await desk.until(() => window.flexline.app.frame.trailer.status === "converged", "the equilibrium");
  desk.quiet();
  await desk.context.close();
});
