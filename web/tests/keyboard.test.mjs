// Without a mouse, and for those who do not see the page: names, focus, Escape, and every key that the help lists.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withStudio } from "./studio.mjs";

let desk;

withStudio("control-unit", {}, (opened) => ({ desk } = opened));

/** What can be used and has no name that could be read out. */
const nameless = () => desk.ask(() => {
  const text = (id) => document.getElementById(id)?.textContent.trim();
  const all = document.querySelectorAll("button, input, select, textarea, summary, a[href], [role=treeitem], dialog");
  return [...all].filter((one) => one.checkVisibility()).filter((one) => {
    const names = [
      one.getAttribute("aria-label"), text(one.getAttribute("aria-labelledby")), one.title,
      ...[...(one.labels ?? [])].map((label) => label.textContent.trim()),
      one.matches("input, select, textarea") ? "" : one.textContent.trim(),
    ];
    return !names.some((name) => name);
  }).map((one) => one.outerHTML.slice(0, 120));
});

test("everything that can be used has a name", async () => {
  const look = async (where) => assert.deepEqual(await nameless(), [], where);
  await look("the page");
  await desk.select("front cable");
  for (const key of ["cable.handles", "cable.actions", "cable.model", "cable.limits", "keys"]) await desk.unfold(key);
  await desk.unfold("form.between");
  await look("a cable");
  await desk.select("unit");
  await desk.unfold("keys");
  await look("a part");
  await desk.page.keyboard.press("x");
  await look("the section");
  await desk.page.keyboard.press("x");
  for (const [button, what] of [["#open-gallery", "the gallery"], ["#help", "the help"]]) {
    await desk.page.click(button);
    await desk.page.waitForSelector("dialog[open]");
    await look(what);
    await desk.page.keyboard.press("Escape");
    await desk.until(() => !document.querySelector("dialog"), "an open page");
  }
});

test("the focus is seen wherever it goes", async () => {
  await desk.page.focus("#open-gallery");
  const bare = [];
  const seen = new Set();
  for (let i = 0; i < 60; i++) {
    await desk.page.keyboard.press("Tab");
    const at = await desk.ask(() => {
      const one = document.activeElement;
      if (!one || one === document.body) return null;
      const style = getComputedStyle(one);
      return { what: one.outerHTML.slice(0, 100), ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 };
    });
    if (!at) continue;
    seen.add(at.what);
    if (!at.ring) bare.push(at.what);
  }
  assert.deepEqual(bare, []);
  assert.ok(seen.size > 30, `${seen.size} places were reached`);
});

test("Escape closes what is open, and only that", async () => {
  await desk.select("front cable");
  for (const button of ["#view-menu", "#export", "#add"]) {
    await desk.page.click(button);
    await desk.page.waitForSelector(".menu");
    await desk.page.keyboard.press("ArrowDown");
    assert.equal(await desk.ask(() => [...document.querySelectorAll(".menu button")].indexOf(document.activeElement)), 1);
    await desk.page.keyboard.press("Escape");
    await desk.until(() => !document.querySelector(".menu"), "a closed menu");
    assert.equal(await desk.ask(() => `#${document.activeElement.id}`), button, "the focus is back");
    assert.equal(await desk.ask(() => window.flexline.app.selection?.cable), "front cable", "the selection stays");
  }
  await desk.page.click("#help");
  await desk.page.waitForSelector("dialog[open]");
  await desk.page.keyboard.press("Escape");
  await desk.until(() => !document.querySelector("dialog"), "a closed dialog");
  assert.equal(await desk.ask(() => window.flexline.app.selection?.cable), "front cable");
});

/** A key of the help and what must then hold; `from` brings about what it is used on. */
const option = (name) => ({ is: (was) => window.flexline.app.options[was.name] !== was[was.name], name });
const tool = (name) => ({ is: (was) => window.flexline.app.tool.name === was.name, name });
const from = (...axis) => ({ axis, is: (was) => {
  const { camera, controls } = window.flexline.view.stage;
  const way = camera.position.clone().sub(controls.target).normalize();
  return way.x * was.axis[0] + way.y * was.axis[1] + way.z * was.axis[2] > 0.999;
} });
const corner = Math.hypot(0.62, 0.95, 0.52);
const opened = () => document.querySelector("dialog.help[open]") !== null;
const nudged = { setup: "thing", is: (was) => window.flexline.app.scene.undo === was.undo + 1 };
const EFFECTS = {
  "Ctrl+Z": { setup: "longer", is: () => window.flexline.app.scene.undo === 0 },
  "Ctrl+Y": { is: () => window.flexline.app.scene.undo === 1 },
  "Ctrl+Shift+Z": { setup: "undo", is: () => window.flexline.app.scene.undo === 1 },
  "Ctrl+S": { is: () => /Saved:/.test(document.getElementById("toasts").textContent) },
  "Ctrl+Shift+S": { is: () => document.querySelector("dialog[open] input") !== null },
  F2: { is: () => document.activeElement.classList.contains("title-input") },
  V: tool("select"), N: tool("cable"), C: tool("clip"), Q: tool("port"), I: tool("eye"), O: tool("obstacle"), K: tool("cut"), B: tool("branch"), E: tool("lengthen"), M: tool("measure"),
  Esc: { setup: "cut", is: () => window.flexline.app.tool.name === "select" },
  "?": { is: opened }, F1: { is: opened },
  T: { is: (was) => document.documentElement.dataset.theme !== was.theme },
  R: { is: () => window.flexline.app.options.gizmo === "rotate" }, G: { is: () => window.flexline.app.options.gizmo === "move" },
  1: from(0, -1, 0), 2: from(0, 1, 0), 3: from(1, 0, 0), 4: from(-1, 0, 0), 6: from(0, 0, -1), 7: from(0, 0, 1),
  0: from(0.62 / corner, -0.95 / corner, 0.52 / corner),
  F: { setup: "nearer", is: (was) => window.flexline.view.stage.camera.position.distanceTo(was.eye) > 0.05 },
  Z: { setup: "nearer", is: (was) => window.flexline.view.stage.camera.position.distanceTo(was.eye) > 0.05 },
  5: option("perspective"), S: option("stripe"), D: option("directors"), L: option("labels"),
  X: { is: (was) => (window.flexline.app.options.section === null) !== (was.section === null) },
  Space: { is: () => window.flexline.app.scene.mode === "dynamics" && window.flexline.app.scene.playing },
  ".": { is: () => window.flexline.app.scene.mode === "dynamics" && !window.flexline.app.scene.playing },
  Del: { setup: "clip", is: () => !window.flexline.app.scene.things.some((one) => one.kind === "clip") },
  "⌫": { setup: "clip", is: () => !window.flexline.app.scene.things.some((one) => one.kind === "clip") },
  "←": nudged, "→": nudged, "↑": nudged, "↓": nudged, PgUp: nudged, PgDn: nudged,
};

const SETUPS = {
  async longer() {
    await desk.page.fill('[id="cable.length"]', "500");
    await desk.page.keyboard.press("Enter");
    await desk.until(() => window.flexline.app.scene.undo === 1, "a change");
  },
  async undo() {
    await desk.page.click("#undo");
    await desk.until(() => window.flexline.app.scene.undo === 0, "one step back");
  },
  cut: () => desk.page.keyboard.press("k"),
  thing: () => desk.select("rear bulkhead"),
  nearer: () => desk.ask(() => window.flexline.app.emit("look", { position: [0, 0, 0], size: 0.02 })),
  async clip() {
    await desk.page.click("#mode-statics");
    const { undo } = await desk.scene();
    await desk.unfold("cable.actions");
    await desk.form("add-handle", { name: "held" });
    await desk.changed("a clip", undo);
    await desk.select("held");
  },
};

test("every key that the help lists does what it says", async () => {
  await desk.page.keyboard.press("?");
  const keys = await desk.page.locator("dialog[open] .keys kbd").allTextContents();
  await desk.page.keyboard.press("Escape");
  assert.deepEqual([...keys].sort(), Object.keys(EFFECTS).sort(), "each has a test here");
  const written = { "←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown", PgUp: "PageUp", PgDn: "PageDown", Ctrl: "Control", Esc: "Escape", Del: "Delete", "⌫": "Backspace", Space: " " };
  for (const [key, { setup, is, ...fields }] of Object.entries(EFFECTS)) {
    await desk.select("front cable");
    if (setup) await SETUPS[setup]();
    // Keys belong to a field while one types in it.
    await desk.ask(() => document.activeElement.blur());
    await desk.page.waitForTimeout(setup === "nearer" ? 600 : 0);
    const was = await desk.ask(() => ({
      ...window.flexline.app.options, undo: window.flexline.app.scene.undo, theme: document.documentElement.dataset.theme,
      eye: { ...window.flexline.view.stage.camera.position },
    }));
    const pressed = key.split("+").map((part) => written[part] ?? (/^[A-Z]$/.test(part) ? part.toLowerCase() : part)).join("+");
    await desk.page.keyboard.press(pressed);
    await desk.until(is, `what ${key} does`, { ...was, ...fields });
    await desk.page.keyboard.press("Escape");
    await desk.until(() => !document.querySelector("dialog"), "an open page");
  }
  desk.quiet();
});
