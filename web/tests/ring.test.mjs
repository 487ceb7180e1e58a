// A closed ring is wound up: it has no end to be turned, its turns are its own. It cannot be pulled at a point, and says so.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Desk, launch, scene, Studio } from "./studio.mjs";

test("a ring is wound up by the ring that is drawn on it", async () => {
  const browser = await launch();
  const studio = await Studio.start({ file: scene("ring") });
  try {
    const desk = await Desk.open(browser, `${studio.address}/`, { size: { width: 1100, height: 760 } });
    const { name, twist } = (await desk.scene()).cables[0];
    await desk.click(await desk.place(name, 0.3));
    await desk.until((cable) => window.flexline.app.selection?.cable === cable, "the selection", name);
    await desk.page.waitForTimeout(400);
    const ring = (angle) => desk.ask((a) => window.flexline.ring(a), angle);
    const first = await ring(0);
    await desk.page.mouse.move(first.x, first.y);
    await desk.page.mouse.down();
    for (let i = 1; i <= 12; i++) {
      const at = await ring((Math.PI * i) / 12);
      await desk.page.mouse.move(at.x, at.y);
    }
    await desk.page.mouse.up();
    await desk.until(
      (was) => Math.abs(window.flexline.app.scene.cables[0].twist - was - Math.PI) < 0.3, "half a turn more", twist,
    );
    await desk.until(() => !window.flexline.app.frame.trailer.preview, "the kept turn");
    const wound = (await desk.scene()).cables[0].twist;
    await desk.page.click('button[aria-label="A quarter on"]');
    await desk.until((was) => Math.abs(window.flexline.app.scene.cables[0].twist - was - Math.PI / 2) < 1e-6, "a quarter more", wound);

    for (const mode of ["statics", "dynamics"]) {
      await desk.page.click(`#mode-${mode}`);
      await desk.until((wanted) => window.flexline.app.scene.mode === wanted, mode, mode);
      const at = await desk.place(name, 0.5);
      await desk.pull(at, { x: at.x + 40, y: at.y - 30 });
      const said = /cannot be pulled at a point: move its seam/;
      await desk.page.waitForFunction((text) => new RegExp(text).test(document.getElementById("toasts").textContent), said.source);
      await desk.shot("ring-refuses");
      await desk.letGo();
      await desk.page.click("#toasts button");
    }
    assert.equal((await desk.scene()).undo, 2, "pulling changes nothing");
    desk.quiet();
  } finally {
    await browser.close();
    await studio.end();
  }
});
