// A browser without WebGL says what to do, and the rest of the page works.

import assert from "node:assert/strict";
import { test } from "node:test";
import { launch, newContext, scene, Studio } from "./studio.mjs";

test("without WebGL there are words that help", async () => {
  const browser = await launch();
  const studio = await Studio.start({ file: scene("brake-hose") });
  try {
    const page = await (await newContext(browser, { width: 1100, height: 700 })).newPage();
    await page.addInitScript(() => {
      const own = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function get(kind, ...rest) {
        return /webgl/.test(kind) ? null : own.call(this, kind, ...rest);
      };
    });
    await page.goto(`${studio.address}/`);
    await page.waitForSelector("#nowebgl");
    assert.match(await page.textContent("#nowebgl"), /hardware acceleration/);
    await page.waitForFunction(() => /brake/i.test(document.getElementById("toolbar").textContent));
  } finally {
    await browser.close();
    await studio.end();
  }
});
