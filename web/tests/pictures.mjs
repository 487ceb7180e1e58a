// The pictures of the studio in the documentation. Run by `npm run pictures`; needs no graphics card, only patience.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Desk, launch, scene, Studio } from "./studio.mjs";

const images = fileURLToPath(new URL("../../docs/images/", import.meta.url));

async function picture(browser, name, file, act) {
  const studio = await Studio.start({ file: scene(file) });
  try {
    const desk = await Desk.open(browser, `${studio.address}/?quality=best`, { size: { width: 1440, height: 900 } });
    await desk.page.emulateMedia({ colorScheme: "dark" });
    await desk.page.waitForTimeout(500);
    await act(desk);
    await desk.page.waitForTimeout(1500);
    await desk.page.screenshot({ path: join(images, `${name}.png`) });
    await desk.context.close();
  } finally {
    await studio.end();
  }
}

const browser = await launch();
await picture(browser, "studio", "control-unit", async (desk) => {
  await desk.page.keyboard.press("f");
  await desk.page.waitForTimeout(1500);
  const from = await desk.place("front cable", 0.45);
  await desk.pull(from, { x: from.x - 70, y: from.y - 10 });
});
await picture(browser, "studio-harness", "door-harness", async (desk) => {
  await desk.page.keyboard.press("f");
  await desk.page.waitForTimeout(1500);
  await desk.click(await desk.place("trunk", 0.52));
});
await browser.close();
