// A browser without WebGL says what to do, and the rest of the page works.

import assert from "node:assert/strict";
import { test } from "node:test";
import { launch, newContext, scene, Studio, visit } from "./studio.mjs";

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
    await visit(page, `${studio.address}/`);
    await page.waitForSelector("#nowebgl");
    assert.match(await page.textContent("#nowebgl"), /hardware acceleration/);
    await page.waitForFunction(() => /brake/i.test(document.getElementById("toolbar").textContent));
  } finally {
    await browser.close();
    await studio.end();
  }
});

test("a session that is not there is a sentence with a way to the gallery", async () => {
  const browser = await launch();
  const studio = await Studio.start({ file: scene("brake-hose") });
  try {
    const page = await (await newContext(browser, { width: 1100, height: 700 })).newPage();
    const errors = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await visit(page, `${studio.address}/?session=long-gone`);
    await page.waitForSelector("#nosession");
    assert.match(await page.textContent("#nosession"), /There is no session “long-gone” here/);
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/no-session.png` });
    // The button has the focus: Enter is enough.
    await page.keyboard.press("Enter");
    await page.waitForSelector('dialog[open] .card[data-scene="door-harness"]');
    await page.click('dialog[open] .card[data-scene="door-harness"]');
    await page.waitForFunction(() => /harness/i.test(window.flexline?.app.scene?.title ?? ""));
    assert.deepEqual(errors, []);
    assert.equal((await studio.sessions()).some((one) => one.name === "long-gone"), false, "looking makes no session");
  } finally {
    await browser.close();
    await studio.end();
  }
});

test("who has no token is told, and the token stays out of sight", async () => {
  const browser = await launch();
  const studio = await Studio.start({ file: scene("brake-hose") });
  try {
    const page = await (await newContext(browser, { width: 1100, height: 700 })).newPage();
    await page.goto(`${studio.address}/?session=brake-hose`);
    await page.waitForFunction(() => /the token is missing or wrong/.test(document.body.textContent));
    await visit(page, `${studio.address}/?session=brake-hose`);
    await page.waitForFunction(() => Boolean(window.flexline?.app.frame));
    assert.equal(page.url(), `${studio.address}/?session=brake-hose`);
    assert.equal(await page.evaluate(() => document.cookie), "", "scripts do not see it");
    await page.reload();
    await page.waitForFunction(() => Boolean(window.flexline?.app.frame));
  } finally {
    await browser.close();
    await studio.end();
  }
});
