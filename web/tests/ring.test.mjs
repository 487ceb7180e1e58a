// A closed ring is wound up: it has no end to be turned, its turns are its own.

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
    desk.quiet();
  } finally {
    await browser.close();
    await studio.end();
  }
});
