// What is seen: the scene fills the view, one line says what to do, colours are explained, what a scene holds is drawn, and
// everything can be reached on a small screen, by the keyboard and without eyes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, withSessions } from "./studio.mjs";

const here = withSessions();

const open = (gallery, options) => here.open({ gallery }, options);

/** What the cables span on the screen, as shares of the view. */
const span = (desk) => desk.ask(() => {
  const { app, project, view } = window.flexline;
  const { points, nodes } = app.frame;
  const at = Array.from({ length: nodes }, (_, i) => project([...points.slice(4 * i, 4 * i + 3)]));
  const box = document.getElementById("view").getBoundingClientRect();
  const side = (axis, from, size) => {
    const all = at.map((one) => (one[axis] - from) / size);
    return [Math.min(...all), Math.max(...all)];
  };
  return { x: side("x", box.left, box.width), y: side("y", box.top, box.height), drawn: view.stats.summary().frames };
});

test("the scene fills the view, plots are filled, and one line says what to do", async () => {
  for (const name of ["brake-hose", "hanging-wire", "spider-net", "cantilever"]) {
    const desk = await open(name);
    await desk.until(() => [...document.querySelectorAll("#plots .plot-value")].every((one) => /\d/.test(one.textContent)), "the plots");
    await desk.page.waitForTimeout(300);
    const { x, y } = await span(desk);
    assert.ok(x[0] > 0 && x[1] < 1 && y[0] > 0 && y[1] < 1, `${name} is within the view: ${x}, ${y}`);
    assert.ok(Math.max(x[1] - x[0], y[1] - y[0]) > 0.55, `${name} fills the view: ${x}, ${y}`);
    assert.match(await desk.page.textContent("#hud"), /^Pull .* anywhere: it follows your hand/);
    const bad = await desk.ask(() => window.flexline.app.findings.filter((one) => one.cable !== null && ["warn", "fail"].includes(one.verdict)).length);
    assert.equal(await desk.ask(() => window.flexline.view.overlay.marks.geometry.drawRange.count), bad, `${name}: only what is wrong is marked`);
    desk.quiet();
    await desk.shot(`first-${name}`);
    await desk.context.close();
  }
});

test("a shape that lies in a plane is not seen from its edge", async () => {
  const desk = await open("control-unit");
  const { x, y } = await span(desk);
  assert.ok(x[1] - x[0] > 0.4 && y[1] - y[0] > 0.4, `${x}, ${y}`);
  await desk.context.close();
});

test("who has pulled once is not told again", async () => {
  const desk = await open("brake-hose");
  const from = await desk.place("brake hose", 0.5);
  await desk.pull(from, { x: from.x, y: from.y + 30 });
  await desk.until(() => !/^Pull/.test(document.getElementById("hud").textContent), "no more invitation");
  await desk.letGo();
  await desk.page.reload();
  await desk.until(() => Boolean(window.flexline?.app.frame), "the first frame");
  await desk.page.waitForTimeout(300);
  assert.equal(await desk.page.textContent("#hud"), "");
  await desk.context.close();
});

test("the legend says what it shows, in which cable, and marks that cable's own limit", async () => {
  const desk = await open("control-unit");
  const legend = () => desk.page.textContent("#legend");
  await desk.until(() => /largest .* in (front|rear) cable, at \d+/.test(document.getElementById("legend").textContent), "the largest value");
  assert.match(await legend(), /Bend, share of its limit %/);
  assert.match(await legend(), /(front|rear) cable: bend radius ≥ .* mm \((inner side|centre), (static|dynamic)\)/);
  await desk.page.selectOption("#quantity", "tension");
  const limits = await desk.ask(() => Object.fromEntries(window.flexline.app.scene.cables.map((one) => [one.name, one.max_tension])));
  for (const [name, limit] of Object.entries(limits)) {
    await desk.select(name);
    const said = limit === null ? `${name}: no limit known` : `${name}: limit ${limit} N`;
    await desk.until((wanted) => document.getElementById("legend").textContent.includes(wanted), said, said);
  }
  await desk.page.selectOption("#quantity", "twist");
  await desk.until(() => /^Twist °\/m/.test(document.getElementById("legend").textContent), "twist");
  assert.match(await desk.page.textContent('[data-plot="Twist"] .plot-title'), /°\/m/, "in the unit of the plot");
  assert.match(await desk.page.textContent('[data-plot="Twist"] .plot-value'), /no limit known|of \d/);
  desk.quiet();
  await desk.context.close();
});

test("what a scene holds is drawn: bars, sheaves, parts as large as they are", async () => {
  const bridge = await open("rope-bridge");
  assert.equal(await bridge.ask(() => window.flexline.view.constraints.count), 21, "a bar for every distance");
  await bridge.shot("bridge");
  await bridge.context.close();
  const bow = await open("bow");
  const half = (name) => bow.ask((wanted) => window.flexline.view.things.find(wanted)?.half.toArray(), name);
  const riser = await half("riser");
  assert.ok(riser && riser[2] > 0.14, `the riser between its limbs: ${riser}`);
  const arrow = await half("arrow");
  assert.ok(arrow && arrow[0] > 5 * arrow[1], `the arrow is long: ${arrow}`);
  await bow.shot("bow");
  await bow.context.close();
  for (const [name, eye] of [["capstan", "bollard"], ["block-and-tackle", "sheave"]]) {
    const desk = await open(name);
    assert.equal(await desk.ask((wanted) => window.flexline.view.things.find(wanted).form, eye), "wheel", `${eye} of ${name}`);
    await desk.shot(name);
    desk.quiet();
    await desk.context.close();
  }
});

test("the tool for a new cable shows its first click, a line from there, and what to click next", async () => {
  const desk = await open("control-unit");
  const hud = () => desk.page.textContent("#hud");
  await desk.page.keyboard.press("n");
  assert.match(await hud(), /click what it begins in/);
  // Beside everything: the page says what is wanted.
  const box = await desk.page.locator("#canvas").boundingBox();
  await desk.click({ x: box.x + 0.5 * box.width, y: box.y + 0.4 * box.height });
  await desk.until(() => /begins and ends in a port/.test(document.getElementById("toasts").textContent), "what is wanted");
  const from = await desk.thing("front bulkhead");
  await desk.click(from);
  await desk.until(() => /From “front bulkhead”: now click what it ends in/.test(document.getElementById("hud").textContent), "what to click next");
  const to = await desk.thing("rear bulkhead");
  await desk.page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await desk.until(() => /from front bulkhead/.test(document.getElementById("labels").textContent), "the mark of the first click");
  assert.ok(await desk.ask(() => window.flexline.view.overlay.banded), "a line leads to the pointer");
  await desk.shot("new-cable");
  await desk.click(to);
  await desk.page.waitForSelector("dialog[open]");
  assert.equal(await desk.page.inputValue('[id="add.cable.from"]'), "front bulkhead");
  assert.equal(await desk.page.inputValue('[id="add.cable.to"]'), "rear bulkhead");
  await desk.page.keyboard.press("Escape");
  // The view takes it away with its next frame.
  await desk.until(() => window.flexline.view.overlay.first === null, "no mark of the first click");
  desk.quiet();
  await desk.context.close();
});

test("the forms for an eye and a pulley follow the cable that is chosen", async () => {
  const desk = await open("control-unit");
  const read = (id) => desk.ask((wanted) => ["", ".y", ".z"].map((axis) => Number(document.getElementById(`${wanted}${axis}`).value) / 1000), id);
  for (const kind of ["eye", "pulley"]) {
    await desk.select("front cable");
    await desk.page.click("#add");
    await desk.page.click(`.menu button:has-text("${kind === "eye" ? "Eye" : "Pulley"}")`);
    await desk.page.waitForSelector("dialog[open]");
    for (const name of ["rear cable", "front cable"]) {
      await desk.page.selectOption(`[id="add.${kind}.cable"]`, name);
      const middle = await desk.position(name, 0.5);
      const off = distance(await read(`add.${kind}.position`), middle);
      // The wheel touches the cable: 30 mm is the radius that the form proposes.
      assert.ok(Math.abs(off - (kind === "eye" ? 0 : 0.03)) < 2e-3, `${kind} on ${name}: ${off}`);
    }
    await desk.page.fill(`[id="add.${kind}.at"]`, "25 %");
    const quarter = distance(await read(`add.${kind}.position`), await desk.position("front cable", 0.25));
    assert.ok(Math.abs(quarter - (kind === "eye" ? 0 : 0.03)) < 2e-3, `${kind} at a quarter: ${quarter}`);
    await desk.page.keyboard.press("Escape");
    await desk.until(() => !document.querySelector("dialog"), "an open page");
  }
  await desk.context.close();
});

test("at 960 pixels everything can be reached, and panels fold", async () => {
  const size = { width: 960, height: 640 };
  const desk = await open("control-unit", { size });
  const outside = () => desk.ask(() => [...document.querySelectorAll("#toolbar button, #toolbar select, #toolbar a, #viewbar button, #timeline button")]
    .filter((one) => one.checkVisibility()).filter((one) => {
      const box = one.getBoundingClientRect();
      return box.left < 0 || box.top < 0 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5;
    }).map((one) => one.id || one.title));
  assert.deepEqual(await outside(), []);
  const wide = async () => (await desk.page.locator("#view").boundingBox()).width;
  const shown = (id) => desk.page.locator(id).isVisible();
  assert.equal(await shown("#properties"), false, "nothing is selected: the view has the room");
  const roomy = await wide();
  await desk.select("front cable");
  assert.equal(await shown("#properties"), true, "what is selected is shown");
  assert.ok((await wide()) < roomy);
  await desk.page.click("#fold-right");
  await desk.page.click("#fold-left");
  await desk.page.click("#fold-below");
  for (const id of ["#properties", "#tree", "#plots"]) assert.equal(await shown(id), false, id);
  assert.equal(Math.round(await wide()), 960);
  await desk.shot("folded");
  await desk.page.reload();
  await desk.until(() => Boolean(window.flexline?.app.frame), "the first frame");
  assert.equal(await shown("#tree"), false, "as it was left");
  for (const side of ["right", "left", "below"]) await desk.page.click(`#fold-${side}`);
  for (const id of ["#properties", "#tree", "#plots"]) assert.equal(await shown(id), true, id);
  await desk.until(() => document.querySelectorAll("#plots canvas").length === 4, "the plots");
  assert.deepEqual(await outside(), []);
  desk.quiet();
  await desk.context.close();
});

test("arrow keys move what is selected: what is pressed in one go is one change", async () => {
  const desk = await open("control-unit");
  const place = () => desk.ask(() => {
    const { app } = window.flexline;
    const { anchor } = app.scene.things.find((one) => one.name === "rear bulkhead");
    return [...app.frame.anchors.slice(anchor * 8, anchor * 8 + 3)];
  });
  const was = await place();
  await desk.select("rear bulkhead");
  await desk.page.focus("#canvas");
  const press = async (keys, size, undo) => {
    const before = await place();
    for (const key of keys) await desk.page.keyboard.press(key);
    await desk.changed(`${keys}`, undo);
    const now = await place();
    const moved = now.map((x, k) => x - before[k]);
    assert.ok(Math.abs(Math.hypot(...moved) - size) < 1e-6, `${keys}: ${moved}`);
    assert.equal(moved.filter((x) => Math.abs(x) > 1e-7).length, 1, `along one axis: ${moved}`);
    return moved;
  };
  await press(["ArrowRight", "ArrowRight", "ArrowRight"], 0.015, 0);
  const up = await press(["Shift+ArrowUp"], 0.05, 1);
  assert.ok(up[2] > 0, "up is up");
  await press(["Alt+PageDown"], 0.0005, 2);
  await press(["ArrowLeft"], 0.005, 3);
  for (let left = 3; left >= 0; left--) {
    await desk.page.keyboard.press("Control+z");
    await desk.until((count) => window.flexline.app.scene.undo === count, "one step back", left);
  }
  await desk.until((wanted) => {
    const { app } = window.flexline;
    const { anchor } = app.scene.things.find((one) => one.name === "rear bulkhead");
    return wanted.every((x, k) => Math.abs(app.frame.anchors[anchor * 8 + k] - x) < 1e-6);
  }, "where it was", was);
  // On a cable the place goes along it.
  await desk.ask(() => window.flexline.app.select({ cable: "front cable", at: 0.1 }));
  await desk.page.keyboard.press("ArrowRight");
  await desk.until(() => Math.abs(window.flexline.app.selection.at - 0.105) < 1e-9, "the next place");
  desk.quiet();
  await desk.context.close();
});

test("who does not see the page hears levels and rounded numbers", async () => {
  const desk = await open("control-unit");
  const rows = await desk.ask(() => [...document.querySelectorAll("[role=tree] [role=treeitem]")].map((one) =>
    ["aria-level", "aria-posinset", "aria-setsize", "aria-label"].map((name) => one.getAttribute(name))));
  assert.deepEqual(rows.find(([, , , label]) => label.startsWith("cable, front cable")), ["1", "1", "2", "cable, front cable, 480 mm"]);
  assert.ok(rows.some(([level, , , label]) => level === "2" && label.startsWith("connector, ")), "connectors are below their part");
  await desk.select("front cable");
  const slider = '[data-focus="cable.length.slider"]';
  assert.equal(await desk.page.getAttribute(slider, "aria-valuetext"), "480 mm");
  await desk.page.focus(slider);
  await desk.page.keyboard.press("ArrowRight");
  assert.match(await desk.page.getAttribute(slider, "aria-valuetext"), /^48[01](\.\d)? mm$/);
  const live = await desk.ask(() => [...document.querySelectorAll("#status [role=status], #status [aria-live]")].map((one) => one.textContent));
  assert.deepEqual(live.map((text) => text.replace(" (preview)", "")), ["Equilibrium"], "only the word is read out at the foot");
  const check = await desk.page.getAttribute('.check[data-rule="tension"]', "aria-label");
  assert.match(check, /^passes: tension, [\d.]+ N of \d+ N, \d+ % used$/);
  await desk.context.close();
});

test("a session is deleted after a question, and never while somebody is in it", async () => {
  const desk = await open("brake-hose");
  const { session } = await here.studio.begin({ gallery: "cantilever" });
  await desk.page.click("#open-gallery");
  const row = desk.page.locator(`.session[data-session="${session}"]`);
  await row.locator(".session-delete").click();
  await desk.page.waitForSelector("dialog.question[open]");
  assert.match(await desk.page.textContent("dialog.question[open]"), /cannot be undone/);
  await desk.page.click('dialog.question[open] button:has-text("Keep it")');
  assert.ok((await here.studio.sessions()).some((one) => one.name === session), "it was kept");
  await row.locator(".session-delete").click();
  await desk.page.click('dialog.question[open] button:has-text("Delete")');
  await row.waitFor({ state: "detached" });
  assert.ok(!(await here.studio.sessions()).some((one) => one.name === session), "it is gone");
  const own = await desk.ask(() => window.flexline.app.session);
  const refused = await desk.ask(async (name) => {
    const answer = await fetch(`/api/sessions/${name}`, { method: "DELETE" });
    return [answer.status, (await answer.json()).error.message];
  }, own);
  assert.equal(refused[0], 409);
  assert.match(refused[1], /somebody is in it|people are in it/);
  await desk.context.close();
});

test("the book is in the program", async () => {
  const desk = await open("brake-hose");
  const href = await desk.page.getAttribute("#open-book", "href");
  await desk.page.goto(`${here.studio.address}${href}`);
  assert.match(await desk.page.textContent("main h1"), /studio/i);
  const links = await desk.page.locator("nav li a").evaluateAll((all) => all.map((one) => one.href));
  assert.ok(links.length > 20, `${links.length} pages`);
  const failed = await desk.ask(async (all) => {
    const answers = await Promise.all(all.map(async (one) => [one, (await fetch(one)).ok]));
    return answers.filter(([, ok]) => !ok).map(([one]) => one);
  }, links);
  assert.deepEqual(failed, []);
  const broken = await desk.ask(() => Promise.all([...document.querySelectorAll("main img")].map(async (one) => {
    one.loading = "eager";
    await one.decode().catch(() => undefined);
    return one.naturalWidth > 0 ? null : one.src;
  })));
  assert.deepEqual(broken.filter((one) => one !== null), []);
  await desk.context.close();
});
