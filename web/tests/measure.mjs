// What the page's own work costs while a cable is pulled: one cable of 100 segments, and fifty of them. Run by `npm run
// measure`, which takes other numbers of cables as arguments; with `PROFILE=1` it also tells which functions take it.
//
// Counted is processor time of the page's main thread, as a trace of the browser has it (`tdur`): what another program or
// the rasteriser does on the same machine is not in it. One frame is what that thread did from one drawing to the next, script
// alone (messages, panels, plots, the calls that draw) and with layout and painting.
//
// Each is measured twice. With drawing left out the page draws as often as the screen wants, as on a machine with a graphics
// card: that is the page's own work. Drawn in software it draws a few times a second, so that the panels, which are filled by
// the clock, fall on few frames; latency is that of a machine without a graphics card.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Desk, launch, Studio, temporaryFolder } from "./studio.mjs";

const STEPS = 240;
const ATTEMPTS = 3;

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

/** Records a trace while something is done. */
async function traced(session, work) {
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const done = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  const categories = ["toplevel", "devtools.timeline", "blink.user_timing"];
  await session.send("Tracing.start", { traceConfig: { includedCategories: categories, recordMode: "recordContinuously" }, transferMode: "ReportEvents" });
  await work();
  await session.send("Tracing.end");
  await done;
  return events;
}

/** What the page's thread does in one piece, and what of it is script: of these, what is within another counts with it. */
const KINDS = {
  all: (one) => one.name === "ThreadControllerImpl::RunTask",
  script: (one) => ["FunctionCall", "FireAnimationFrame", "EventDispatch", "TimerFire", "FireIdleCallback", "EvaluateScript", "RunMicrotasks"].includes(one.name),
};

/** Functions that the driver of the browser has put into the page to follow the mouse: no work of the page's own. */
const driver = (one) => one.name === "FunctionCall" && !/^https?:/.test(one.args?.data?.url ?? "");

/** Milliseconds of processor time that the main thread of the page spent between one drawing and the next. */
function costs(events, kind) {
  const drawn = events.filter((one) => one.name === "flexline.drawn" && one.ph !== "e" && one.ph !== "E");
  const thread = drawn[0] && events.filter((one) => one.pid === drawn[0].pid && one.tid === drawn[0].tid);
  if (!thread || drawn.length < 20) throw new Error(`only ${drawn.length} frames were drawn while it was traced`);
  const marks = drawn.map((one) => one.ts).sort((a, b) => a - b);
  const whole = timesOf(thread, marks, KINDS[kind]);
  if (whole.every((time) => time === 0)) throw new Error("the browser's trace has no processor times of tasks");
  if (kind === "all") return whole;
  const foreign = timesOf(thread, marks, driver);
  return whole.map((time, k) => time - foreign[k]);
}

/** Processor time of the outermost tasks of a kind between the marks, ms: what is within them is counted with them. */
function timesOf(thread, marks, isOne) {
  const tasks = thread.filter((one) => isOne(one) && one.ph === "X" && one.tdur !== undefined).sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const spent = new Array(marks.length - 1).fill(0);
  let frame = 0;
  let end = 0;
  for (const task of tasks) {
    if (task.ts < end) continue;
    end = task.ts + task.dur;
    // A task belongs to the drawing that it ends in or comes before.
    while (frame < marks.length && marks[frame] < task.ts) frame++;
    if (frame >= 1 && frame < marks.length) spent[frame - 1] += task.tdur / 1000;
  }
  return spent;
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)];
}

/** The functions that take most, by their own time. */
function hottest({ nodes, samples, timeDeltas }) {
  const own = new Map();
  const named = new Map(nodes.map((node) => [node.id, `${node.callFrame.functionName || "(nameless)"} ${node.callFrame.url.split("/").pop()}:${node.callFrame.lineNumber}:${node.callFrame.columnNumber}`]));
  samples.forEach((id, k) => own.set(named.get(id), (own.get(named.get(id)) ?? 0) + timeDeltas[k] / 1000));
  return [...own].filter(([name]) => !/^\((idle|program|root)\)/.test(name)).sort((a, b) => b[1] - a[1]).slice(0, 30);
}

/** A place of a cable on the screen that nothing else is in front of. */
async function freePlace(desk, cable) {
  for (const share of [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]) {
    const at = await desk.place(cable, share);
    const hit = await desk.ask(({ x, y }) => {
      const { stage, pointer } = window.flexline.view;
      return pointer.pick(x - stage.box.left, y - stage.box.top, 6)?.place?.cable;
    }, at);
    if (hit === cable) return at;
  }
  throw new Error(`${cable} lies behind others everywhere`);
}

async function pullAbout(desk, from) {
  for (let i = 0; i < STEPS; i++) {
    await desk.page.mouse.move(from.x + 40 * Math.sin(i / 9), from.y - 10 - 25 * Math.sin(i / 7));
    await desk.page.waitForTimeout(16);
  }
}

/** Leaves out what the rasteriser would do and nothing else: all that three.js works out, uploads and sets is still done. */
const UNDRAWN = `for (const name of ["drawArrays", "drawArraysInstanced", "drawElements", "drawElementsInstanced"]) {
  WebGL2RenderingContext.prototype[name] = () => undefined;
}`;

async function measure(browser, cables, drawn) {
  const folder = temporaryFolder();
  const file = join(folder, `cables-${cables}.toml`);
  writeFileSync(file, harness(cables));
  const studio = await Studio.start({ file, folder });
  try {
    const desk = await Desk.open(browser, `${studio.address}/?quality=fast&mark`, {
      size: { width: 1000, height: 700 }, before: drawn ? [] : [{ content: UNDRAWN }],
    });
    const session = await browser.newBrowserCDPSession();
    await desk.page.waitForTimeout(2000);
    const from = await freePlace(desk, `c${Math.floor(cables / 2)}`);
    await desk.pull(from, { x: from.x + 10, y: from.y - 10 });
    // Until the compiler has seen what is to be measured.
    await pullAbout(desk, from);
    const events = await traced(session, () => pullAbout(desk, from));
    const [spent, script] = [costs(events, "all"), costs(events, "script")];
    const stats = await desk.ask(() => ({ ...window.flexline.stats(), nodes: window.flexline.app.frame.nodes }));
    if (process.env.PROFILE) await profile(desk, from);
    await desk.letGo();
    const ms = (value) => (value === null ? "–" : `${value.toFixed(2)} ms`);
    const line = (what, median, most) => console.log(`  ${what.padEnd(44)} median ${ms(median)}, 95 % ${ms(most)}`);
    const both = (what, values) => line(what, quantile(values, 0.5), quantile(values, 0.95));
    console.log(`${cables} cables, ${stats.nodes} nodes, ${spent.length} frames, ${drawn ? "drawn in software" : "drawing left out"}`);
    both("script per frame, processor time", script);
    both("with layout, painting and all else", spent);
    if (drawn) line("pointer event to drawn result, by the clock", stats.latency.median, stats.latency.p95);
    await desk.context.close();
  } finally {
    await studio.end();
  }
}

async function profile(desk, from) {
  const page = await desk.context.newCDPSession(desk.page);
  await page.send("Profiler.enable");
  await page.send("Profiler.setSamplingInterval", { interval: 200 });
  await page.send("Profiler.start");
  await pullAbout(desk, from);
  const { profile: taken } = await page.send("Profiler.stop");
  for (const [name, time] of hottest(taken)) console.log(`    ${time.toFixed(1).padStart(8)} ms  ${name}`);
}

/** A browser that dies (little memory, a driver) is started anew; what the page itself does wrong is not tried again. */
async function attempt(cables, drawn) {
  for (let left = ATTEMPTS - 1; ; left--) {
    const browser = await launch();
    try {
      await measure(browser, cables, drawn);
      return;
    } catch (error) {
      const died = !browser.isConnected() || /closed|crashed|disconnected/i.test(error.message);
      if (!died || left === 0) {
        throw new Error(`${cables} cables could not be measured${died ? `: the browser died ${ATTEMPTS} times; it may lack memory` : ""}`, { cause: error });
      }
      console.error(`The browser died while ${cables} cables were measured (${error.message.split("\n")[0]}): once more.`);
    } finally {
      await browser.close().catch(() => undefined);
    }
  }
}

const asked = process.argv.slice(2).map(Number);
if (asked.some((cables) => !(cables >= 1))) throw new Error(`numbers of cables were expected, not "${process.argv.slice(2).join(" ")}"`);
for (const cables of asked.length ? asked : [1, 50]) for (const drawn of [false, true]) await attempt(cables, drawn);
