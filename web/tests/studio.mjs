// Starting the studio and a browser, and what a person's hands do in it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before as beforeAll } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../..", import.meta.url));
const shots = process.env.SCREENSHOTS;
if (shots) mkdirSync(shots, { recursive: true });

export function scene(name) {
  return join(root, "scenes", `${name}.toml`);
}

export function temporaryFolder() {
  return mkdtempSync(join(tmpdir(), "flexline-studio-"));
}

async function freePort() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** The token of every studio that was started, by its address. */
const tokens = new Map();

/** Goes to an address as `flexline studio` prints it: with the token, which the server moves to a cookie. */
export async function visit(page, address) {
  const url = new URL(address);
  const token = tokens.get(url.origin);
  if (process.env.PAGE) {
    // The page does not come from the server: neither does the cookie.
    await page.context().addCookies([{ name: `flexline-${url.port}`, value: token, url: url.origin }]);
  } else url.searchParams.set("token", token);
  await page.goto(url.href);
}

/** A running `flexline studio`. */
export class Studio {
  static async start({ file, folder = temporaryFolder(), port } = {}) {
    const studio = new Studio();
    studio.folder = folder;
    studio.port = port ?? (await freePort());
    studio.address = `http://127.0.0.1:${studio.port}`;
    studio.args = ["studio", ...(file ? [file] : []), "--folder", folder, "--port", String(studio.port), "--no-open"];
    await studio.run();
    return studio;
  }

  /** Starts the program, or starts it again after it was killed: same folder, same port. */
  async run() {
    this.process = spawn(process.env.FLEXLINE, this.args, { stdio: ["ignore", "pipe", "pipe"] });
    this.said = "";
    this.token = null;
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream.on("data", (data) => (this.said += data));
    }
    for (let i = 0; ; i++) {
      try {
        this.token ??= /token=([0-9a-f]+)/.exec(this.said)?.[1] ?? null;
        const answer = await fetch(this.api("sessions"));
        if (answer.ok) {
          tokens.set(this.address, this.token);
          return;
        }
      } catch {
        // Not there yet.
      }
      if (this.process.exitCode !== null || i > 200) {
        throw new Error(`flexline studio did not start:\n${this.said}`);
      }
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  /** An address of the server for who has its token. */
  api(path) {
    return `${this.address}/api/${path}?token=${this.token}`;
  }

  /** As a power cut does it. */
  async kill() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill("SIGKILL");
    await once(this.process, "exit");
  }

  async end() {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Begins a session, as the page does. */
  async begin(body) {
    const answer = await fetch(this.api("sessions"), { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    return answer.json();
  }

  async sessions() {
    return (await fetch(this.api("sessions"))).json();
  }
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: [
      "--no-sandbox", "--use-angle=swiftshader", "--ignore-gpu-blocklist",
      // Panels and plots are painted by the processor at once, not by a graphics card that the processor plays.
      "--disable-gpu-rasterization", "--disable-accelerated-2d-canvas",
      // A page that did not come from the server itself may not call it otherwise.
      ...(process.env.PAGE ? ["--disable-features=LocalNetworkAccessChecks"] : []),
    ],
  });
}

/** Answers with the page as it was built last, whatever is built into the command: saves a build while it is worked on. */
function built(route) {
  const { pathname } = new URL(route.request().url());
  return route.fulfill({
    path: join(process.env.PAGE, pathname === "/" ? "index.html" : pathname),
    headers: { "content-security-policy": "default-src 'self'" },
  });
}

export async function newContext(browser, size) {
  const context = await browser.newContext({ viewport: size });
  if (process.env.PAGE) await context.route((url) => !/^\/(api|ws)/.test(url.pathname), built);
  return context;
}

/** A page with the studio in it, and the hands of a person. */
export class Desk {
  static async open(browser, address, { size = { width: 1360, height: 860 }, before = [], allow = [] } = {}) {
    const context = await newContext(browser, size);
    for (const script of before) await context.addInitScript(script);
    const page = await context.newPage();
    const desk = new Desk();
    desk.page = page;
    desk.context = context;
    desk.errors = [];
    const note = (text) => {
      if (!allow.some((one) => one.test(text))) desk.errors.push(text);
    };
    page.on("console", (message) => {
      if (message.type() === "error") note(message.text());
    });
    page.on("pageerror", (error) => note(String(error)));
    await visit(page, address);
    await desk.until(() => Boolean(window.flexline?.app.frame), "the first frame");
    return desk;
  }

  /** Waits until something holds in the page. */
  async until(condition, what, argument) {
    try {
      return await this.page.waitForFunction(condition, argument, { timeout: 30_000, polling: 50 });
    } catch (error) {
      if (shots) await this.page.screenshot({ path: join(shots, "failed.png") });
      throw new Error(`${what} did not come: ${error.message}`, { cause: error });
    }
  }

  ask(question, argument) {
    return this.page.evaluate(question, argument);
  }

  async shot(name) {
    if (!shots) return;
    await this.page.waitForTimeout(300);
    await this.page.screenshot({ path: join(shots, `${name}.png`) });
  }

  /** Where a place of a cable is on the screen; `share` of its length. */
  place(cable, share) {
    return this.ask(([name, part]) => {
      const { app, station, project } = window.flexline;
      const { length } = app.scene.cables.find((one) => one.name === name);
      return project(station(name, part * length));
    }, [cable, share]);
  }

  /** Position of a place of a cable, m. */
  position(cable, share) {
    return this.ask(([name, part]) => {
      const { app, station } = window.flexline;
      return station(name, part * app.scene.cables.find((one) => one.name === name).length);
    }, [cable, share]);
  }

  thing(name) {
    return this.ask((wanted) => {
      const { app, project } = window.flexline;
      const { anchor } = app.scene.things.find((one) => one.name === wanted);
      return project([...app.frame.anchors.slice(anchor * 8, anchor * 8 + 3)]);
    }, name);
  }

  async click(at) {
    await this.page.mouse.move(at.x, at.y);
    await this.page.mouse.down();
    await this.page.mouse.up();
  }

  /** Drags from a pixel along others, as a hand does, without letting go. */
  async pull(from, ...along) {
    const { mouse } = this.page;
    await mouse.move(from.x, from.y);
    await mouse.down();
    let last = from;
    for (const to of along) {
      for (let i = 1; i <= 8; i++) {
        await mouse.move(last.x + ((to.x - last.x) * i) / 8, last.y + ((to.y - last.y) * i) / 8);
        await this.page.waitForTimeout(16);
      }
      last = to;
    }
  }

  async letGo() {
    await this.page.mouse.up();
  }

  /** Selects by a click in the tree. */
  async select(name) {
    await this.page.click(`.tree-row[data-name="${name}"]`);
    await this.until((wanted) => {
      const chosen = window.flexline.app.selection;
      return (chosen?.cable ?? chosen?.thing) === wanted;
    }, `the selection of ${name}`, name);
  }

  /** Unfolds a part of the panel on the right. */
  async unfold(key) {
    const part = this.page.locator(`#properties details[data-fold="${key}"]`);
    if ((await part.getAttribute("open")) === null) await part.locator("> summary").click();
  }

  /** Fills in a form that unfolds in the panel and presses its button; does not wait for what comes of it. */
  async form(id, values = {}) {
    await this.unfold(`form.${id}`);
    await this.fill(id, values);
    await this.page.click(`form[id="${id}"] button[type="submit"]`);
  }

  /** Types into the fields of a form, which are named as in the command; a choice is chosen. */
  async fill(id, values) {
    for (const [name, value] of Object.entries(values)) {
      const input = this.page.locator(`[id="${id}.${name}"]`);
      const kind = await input.evaluate((element) => (element instanceof HTMLSelectElement ? "choice" : element.type));
      if (kind === "choice") await input.selectOption(value);
      else if (kind === "checkbox") await input.setChecked(value);
      else await input.fill(value);
    }
  }

  /** Waits until one more change can be undone, and its shape is there. */
  async changed(what, undo) {
    await this.until(
      (before) => {
        const { app } = window.flexline;
        return app.scene.undo === before + 1 && app.frame.revision === app.scene.revision;
      }, what, undo,
    );
    return this.scene();
  }

  scene() {
    return this.ask(() => window.flexline.app.scene);
  }

  trailer() {
    return this.ask(() => window.flexline.app.frame.trailer);
  }

  /** No word of complaint in the console. */
  quiet() {
    assert.deepEqual(this.errors, []);
  }
}

/** One studio and one browser for all tests of a file, which are ended after the last. `opened` is called once they are there. */
function running(config, opened) {
  const all = {};
  beforeAll(async () => {
    all.browser = await launch();
    all.studio = await Studio.start(config);
    await opened?.(all);
  });
  after(async () => {
    await all.browser?.close();
    await all.studio?.end();
  });
  return all;
}

/** One studio on a scene, one browser and one desk in it for all tests of a file. `opened` takes them once they are there. */
export function withStudio(name, options, opened) {
  running({ file: scene(name) }, async (all) => {
    all.desk = await Desk.open(all.browser, `${all.studio.address}/`, options);
    await opened(all);
  });
}

/** One studio and one browser for all tests of a file, each of which begins sessions of its own by `open`. */
export function withSessions() {
  const all = running();
  all.open = async (body, options) => {
    const { session } = await all.studio.begin(body);
    return Desk.open(all.browser, `${all.studio.address}/?session=${session}`, options);
  };
  return all;
}

export function distance(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
