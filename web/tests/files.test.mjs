// Files that come in and go out: meshes dropped onto the page, measured and cut open; centrelines and pictures, judged by
// what is in them.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readPng } from "./png.mjs";
import { distance, withStudio } from "./studio.mjs";

let desk;
let studio;

withStudio("control-unit", {}, (opened) => ({ desk, studio } = opened));

const LOW = [250, -150, -150];
const HIGH = [350, -50, -50];
const corner = (i) => [i & 1 ? HIGH[0] : LOW[0], i & 2 ? HIGH[1] : LOW[1], i & 4 ? HIGH[2] : LOW[2]];
const FACES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];

/** A cube of 100 mm. */
function stl() {
  const triangles = FACES.flatMap(([a, b, c, d]) => [[a, b, c], [a, c, d]]);
  const facet = (three) => `facet normal 0 0 0\nouter loop\n${three.map((i) => `vertex ${corner(i).join(" ")}`).join("\n")}\nendloop\nendfacet`;
  return `solid cube\n${triangles.map(facet).join("\n")}\nendsolid cube\n`;
}

/** A plate of 20 cm behind everything, in cm. */
const OBJ = "v 40 30 -30\nv 60 30 -30\nv 60 30 -10\nv 40 30 -10\nf 1 2 3 4\n";

/** As the browser does when a file is let go over the page. */
async function drop(name, text, unit) {
  const data = await desk.page.evaluateHandle(([file, content]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], file));
    return transfer;
  }, [name, text]);
  await desk.page.dispatchEvent("#canvas", "dragover", { dataTransfer: data });
  await desk.page.dispatchEvent("#canvas", "drop", { dataTransfer: data });
  for (const word of ["Obstacle", unit]) await desk.page.click(`dialog[open] .form-foot button[aria-label="${word}"]`);
}

/** The colour of the view at a point of the scene, m. */
async function colour(point) {
  const { data, share } = await desk.ask((at) => {
    const pixel = window.flexline.project(at);
    const box = document.getElementById("canvas").getBoundingClientRect();
    return { data: window.flexline.picture(), share: [(pixel.x - box.left) / box.width, (pixel.y - box.top) / box.height] };
  }, point);
  const image = readPng(Buffer.from(data.split(",")[1], "base64"));
  return image.at(Math.round(share[0] * image.width), Math.round(share[1] * image.height));
}

const differ = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k]))) > 8;
const TOP = [0.3, -0.1, -0.05];
/** Whether the mesh of an obstacle has come. */
const DRAWN = (name) => {
  const one = window.flexline.view.obstacles.group.getObjectByName(name);
  // Nothing of it is selected: its colour is its own.
  window.flexline.app.select(null);
  return (one?.geometry.getAttribute("position")?.count ?? 0) > 0;
};

test("an STL and an OBJ that are dropped onto the page are seen, in their units", async () => {
  const plate = [0.5, 0.3, -0.2];
  const [bare, behind] = [await colour(TOP), await colour(plate)];
  await drop("cube.stl", stl(), "mm");
  await desk.until(() => window.flexline.app.scene.obstacles.length === 1, "the cube");
  await desk.until(DRAWN, "the drawn cube", "cube");
  assert.equal((await desk.scene()).obstacles[0].triangles, 12);
  assert.ok(differ(await colour(TOP), bare), "the cube is seen where it is");
  await drop("plate.obj", OBJ, "cm");
  await desk.until(DRAWN, "the drawn plate", "plate");
  assert.ok(differ(await colour(plate), behind), "the plate is seen where it is");
  await desk.shot("meshes");
});

test("a mesh is measured by two clicks", async () => {
  await desk.page.keyboard.press("m");
  const at = (point) => desk.ask((where) => window.flexline.project(where), point);
  // Along an upper edge of the cube, a little inside of its top.
  await desk.click(await at([0.251, -0.1, -0.05]));
  await desk.click(await at([0.349, -0.1, -0.05]));
  await desk.until(() => document.querySelector(".label.measure:not([hidden])"), "the length");
  const label = await desk.page.textContent(".label.measure");
  const [, length, x, y, z] = /([\d.]+) mm\s+\((-?[\d.]+), (-?[\d.]+), (-?[\d.e-]+)\)/.exec(label).map(Number);
  assert.ok(Math.abs(length - 98) < 1.5 && Math.abs(x - 98) < 1.5, label);
  assert.ok(Math.abs(y) < 1.5 && Math.abs(z) < 0.1, `${label}: on the top`);
  await desk.shot("measured");
  await desk.page.keyboard.press("Escape");
  await desk.page.keyboard.press("Escape");
  await desk.until(() => !document.querySelector(".label.measure:not([hidden])"), "an empty view");
});

test("everything is cut open along a plane, where its slider is", async () => {
  // What is under the pointer is lit.
  await desk.page.mouse.move(0, 0);
  const whole = await colour(TOP);
  await desk.page.keyboard.press("x");
  await desk.page.waitForSelector("#sectionbar:not([hidden])");
  await desk.page.selectOption("#sectionbar select", "z");
  const slider = desk.page.locator("#sectionbar input");
  await slider.focus();
  await desk.page.keyboard.press("Home");
  await desk.until(() => window.flexline.app.options.section.offset < -0.3, "the plane at the bottom");
  assert.ok(differ(await colour(TOP), whole), "what is above the plane is gone");
  await desk.shot("section");
  await desk.page.click("#sectionbar button");
  assert.ok(!differ(await colour(TOP), whole), "on the other side it is there");
  await desk.page.keyboard.press("x");
  await desk.page.waitForSelector("#sectionbar", { state: "hidden" });
});

test("a mesh is hidden, and removed for good", async () => {
  const shown = await colour(TOP);
  await desk.page.hover('.tree-row[data-name="cube"]');
  await desk.page.click('.tree-row[data-name="cube"] .eye');
  assert.ok(differ(await colour(TOP), shown), "it is hidden");
  await desk.select("cube");
  await desk.page.keyboard.press("Delete");
  await desk.until(() => window.flexline.app.scene.obstacles.length === 1, "the cube that is gone");
});

async function download(item) {
  await desk.page.click("#export");
  const [file] = await Promise.all([desk.page.waitForEvent("download"), desk.page.click(`.menu button:has-text("${item}")`)]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

/** Rows of a CSV by their names. */
function rows(bytes) {
  const lines = bytes.toString().split("\n").filter((line) => line && !line.startsWith("#"));
  const names = lines[0].split(",");
  return lines.slice(1).map((line) => Object.fromEntries(line.split(",").map((value, k) => [names[k], value])));
}

const way = (points) => points.slice(1).reduce((sum, point, k) => sum + distance(point, points[k]), 0);

test("the centreline of the selected cable goes out as CSV and JSON, as it is shown", async () => {
  await desk.select("front cable");
  const shown = await desk.position("front cable", 1);
  const nodes = await desk.ask(() => window.flexline.app.scene.cables[0].count);
  const csv = await download("Centreline of front cable, CSV");
  assert.match(csv.name, /front-cable\.csv$/);
  const table = rows(csv.bytes);
  assert.equal(table.length, nodes);
  const point = (row) => ["x", "y", "z"].map((axis) => Number(row[Object.keys(row).find((name) => name === axis || name.startsWith(`${axis} `) || name.startsWith(`${axis}_`))]));
  const points = table.map(point);
  assert.ok(distance(points.at(-1), shown) < 1e-5, "it ends where it is shown");
  assert.ok(Math.abs(way(points) - 0.48) < 2e-3, `${way(points)} m`);

  const even = rows((await download("2 mm steps, CSV")).bytes);
  assert.equal(even.length, 241, "every 2 mm of 480");
  assert.ok(Math.abs(way(even.map(point)) - 0.48) < 2e-4);

  const json = await download("Centreline of front cable, JSON");
  const told = JSON.parse(json.bytes.toString());
  assert.match(JSON.stringify(told), /front cable/);
  assert.doesNotMatch(JSON.stringify(told), /rear cable/);
});

test("the picture is one of the scene", async () => {
  const { name, bytes } = await download("Picture, PNG");
  assert.match(name, /\.png$/);
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  const size = await desk.ask(() => ({ width: document.getElementById("canvas").width, height: document.getElementById("canvas").height }));
  const image = readPng(bytes);
  assert.deepEqual([image.width, image.height], [size.width, size.height]);
  const box = await desk.page.locator("#canvas").boundingBox();
  const middle = await desk.place("rear cable", 0.5);
  const [x, y] = [middle.x - box.x, middle.y - box.y].map(Math.round);
  assert.ok(differ(image.at(x, y), image.at(5, y)), "the cable is on it, where it is in the view");
  desk.quiet();
});

test("saved under another name, and over another file only after a question", async () => {
  const { page } = desk;
  const file = (name) => join(studio.folder, `${name}.toml`);
  // A file says besides which mesh it was saved with.
  const saved = (name) => {
    const [plain, found] = [/^fingerprint = "[0-9a-f]{16}"\n/m, readFileSync(file(name), "utf8")];
    assert.match(found, plain);
    return found.replace(plain, "");
  };
  const before = await desk.scene();
  await desk.ask(() => window.flexline.app.command({ do: "prolong", cable: "front cable", by: "7 mm" }));
  const { text } = await desk.changed("a longer cable", before.undo);
  // By the keyboard alone: the name that is offered is typed over.
  await page.keyboard.press("Control+Shift+S");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.type("My variant");
  // A slip in the name is undone there, and not in the scene.
  await page.keyboard.press("Control+z");
  await page.locator("[id='save-as.name']").fill("My variant");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]", { state: "detached" });
  assert.equal(saved("my-variant"), text);
  assert.equal((await desk.scene()).undo, before.undo + 1, "saving changes nothing that could be undone");
  // Something else is there under the next name.
  writeFileSync(file("other"), "mine");
  await page.click("#save-as");
  await page.locator("[id='save-as.name']").fill("other.toml");
  await page.keyboard.press("Enter");
  await desk.until(() => /replace it, or choose another name/.test(document.getElementById("save-as.error").textContent), "the question");
  await desk.shot("save-as");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(200);
  assert.equal(readFileSync(file("other"), "utf8"), "mine", "Enter once more does not replace it");
  // Another name takes the question back.
  await page.locator("[id='save-as.name']").fill("another");
  assert.equal(await page.textContent("[id='save-as.save']"), "Save");
  await page.locator("[id='save-as.name']").fill("other");
  await page.keyboard.press("Enter");
  await page.click("[id='save-as.save']:has-text('Replace it')");
  await page.waitForSelector("dialog[open]", { state: "detached" });
  assert.equal(saved("other"), text);
  assert.ok(!existsSync(file("another")));
  // Closed without an answer nothing is written; afterwards undo is the scene's again.
  await page.click("#save-as");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog[open]", { state: "detached" });
  assert.ok(!existsSync(file(`${before.name.replace(".toml", "")}-copy`)));
  await page.keyboard.press("Control+z");
  await desk.until((count) => window.flexline.app.scene.undo === count, "undone", before.undo);
  desk.quiet();
});
