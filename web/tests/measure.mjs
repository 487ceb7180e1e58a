// What the page's own work costs while a cable is pulled: one cable of 100 segments, and fifty of them. Run by `npm run
// measure`. Processor time of the page's thread, so that software rasterising on the same machine does not count.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Desk, launch, Studio, temporaryFolder } from "./studio.mjs";

function harness(cables) {
  const lines = ["version = 1", `title = "${cables} cables"`];
  for (let i = 0; i < cables; i++) {
    const y = 0.03 * i;
    lines.push(
      "[[port]]", `name = "a${i}"`, `position = [0, ${y}, 0]`, "tangent = [1, 0, 0.2]",
      "[[port]]", `name = "b${i}"`, `position = [0.5, ${y}, 0.05]`, "tangent = [1, 0, -0.2]",
      "[[cable]]", `name = "c${i}"`, "length = 0.65", "segments = 100", 'part = "bundle-20x0.5"', `from = "a${i}"`,
      `to = "b${i}"`,
    );
  }
  return lines.join("\n");
}

/** Processor seconds of the page's thread that went into script, and frames drawn, since the page began. */
async function spent(desk, session) {
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (name) => metrics.find((one) => one.name === name)?.value ?? 0;
  const { frames } = await desk.ask(() => window.flexline.stats());
  return { script: value("ScriptDuration"), frames };
}

async function measure(browser, cables) {
  const folder = temporaryFolder();
  const file = join(folder, `cables-${cables}.toml`);
  writeFileSync(file, harness(cables));
  const studio = await Studio.start({ file, folder });
  try {
    const desk = await Desk.open(browser, `${studio.address}/?quality=fast`, { size: { width: 1000, height: 700 } });
    const session = await desk.context.newCDPSession(desk.page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await desk.page.waitForTimeout(2000);
    const from = await desk.place(`c${Math.floor(cables / 2)}`, 0.5);
    await desk.pull(from, { x: from.x + 10, y: from.y - 10 });
    await desk.page.waitForTimeout(1000);
    const before = await spent(desk, session);
    const { mouse } = desk.page;
    for (let i = 0; i < 240; i++) {
      await mouse.move(from.x + 40 * Math.sin(i / 9), from.y - 10 - 25 * Math.sin(i / 7));
      await desk.page.waitForTimeout(16);
    }
    const after = await spent(desk, session);
    const stats = await desk.ask(() => ({ ...window.flexline.stats(), nodes: window.flexline.app.frame.nodes }));
    await desk.letGo();
    const frames = after.frames - before.frames;
    const ms = (value) => (value === null ? "–" : `${value.toFixed(2)} ms`);
    console.log(`${cables} cables, ${stats.nodes} nodes, ${frames} frames drawn`);
    console.log(`  all script of the page, processor time per frame  ${ms((1000 * (after.script - before.script)) / frames)}`);
    console.log(`  messages and drawing, by the clock                median ${ms(stats.script.median)}, 95 % ${ms(stats.script.p95)}`);
    console.log(`  pointer event to drawn result, by the clock       median ${ms(stats.latency.median)}, 95 % ${ms(stats.latency.p95)}`);
    await desk.context.close();
  } finally {
    await studio.end();
  }
}

const browser = await launch();
for (const cables of [1, 50]) await measure(browser, cables);
await browser.close();
