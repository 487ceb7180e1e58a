// The legend of the colours: what they show, in which unit, the largest value with its cable, and that cable's limit.

import type { App, Quantity } from "../app";
import { bendShare, bendWords } from "../limits";
import { cableNamed, selectedCable } from "../panels/scene-index";
import { theme } from "../panels/theme";
import { type Frame, isKnown } from "../frame";
import type { Cable } from "../protocol";
import { limitOf, mapColour, MAP_SIZE, partColour, type Scale, scaleOf, UNKNOWN } from "./maps";

/** A number with as many places as it deserves. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e5 || size < 0.001) return value.toExponential(1);
  const places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return String(Number(value.toFixed(places)));
}

export interface Peak {
  value: number;
  cable: string;
  at: number;
}

/** The largest of a quantity over all cables; curvature counts by the cable's smallest radius where there is one. */
export function peakOf(app: App, frame: Frame, quantity: Quantity): Peak | null {
  const scene = app.scene;
  if (!scene || quantity === "part" || !isKnown(frame.trailer)) return null;
  const channel = { curvature: 0, twist: 1, tension: 2, moment: 3 }[quantity];
  const anyRadius = scene.cables.some((cable) => cable.bend_limit);
  let best: Peak | null = null;
  let size = -1;
  for (const cable of scene.cables) {
    if (app.hidden.has(cable.name)) continue;
    const limit = cable.bend_limit;
    const measured = (raw: number): number => (channel !== 0 || !anyRadius ? raw : limit ? bendShare(limit, raw) : 0);
    for (let i = 0; i < cable.count; i++) {
      const node = cable.first + i;
      if (node >= frame.nodes) break;
      const value = measured(frame.loads[node * 4 + channel] as number);
      if (Math.abs(value) > size) {
        size = Math.abs(value);
        best = { value, cable: cable.name, at: frame.points[node * 4 + 3] as number };
      }
    }
  }
  return best;
}

export class Legend {
  scale: Scale;
  private shown = "";
  private peakLine: HTMLElement | null = null;
  private limitLine: HTMLElement | null = null;
  private mark: HTMLElement | null = null;
  private peak: Peak | null = null;
  private high = 0;
  /** The largest value that the scale was made for. */
  private scaled = -1;
  private bottom = 0;

  constructor(private readonly app: App, private readonly root: HTMLElement) {
    this.scale = scaleOf(app.quantity, 1, false);
    // After the view has drawn the frame, which finds its largest value.
    app.on("calm", () => requestAnimationFrame(() => this.say()));
    app.on("selection", () => this.say());
    app.on("theme", () => this.render());
  }

  /** The scale widens at once and narrows only by much, so that colours stay still while one pulls. */
  update(frame: Frame): void {
    const { app } = this;
    const scene = app.scene;
    if (!scene) return;
    const peak = peakOf(app, frame, app.quantity);
    const size = Math.abs(peak?.value ?? 0);
    const lost = (peak === null) !== (this.peak === null);
    this.peak = peak;
    // That there are no values any more is told at once.
    if (lost) this.say();
    if (size > this.high || size < this.bottom) {
      this.high = size;
      this.bottom = size / 4;
    }
    if (this.high !== this.scaled) {
      this.scaled = this.high;
      this.scale = scaleOf(app.quantity, this.high, scene.cables.some((cable) => cable.bend_limit));
      this.render();
      this.say();
    }
  }

  reset(): void {
    this.high = this.bottom = 0;
    this.scaled = -1;
  }

  private render(): void {
    const { app, scale, root } = this;
    const unknown = scale.shares ? (app.scene?.cables ?? []).filter((cable) => !cable.bend_limit).map((cable) => cable.name) : [];
    const key = JSON.stringify([scale, app.quantity, theme(), unknown, app.quantity === "part" ? app.scene?.cables.map((c) => c.name) : 0]);
    if (key === this.shown) return;
    this.shown = key;
    root.replaceChildren();
    const name = element("div", "name", scale.title);
    if (scale.unit) name.append(" ", element("span", "unit", scale.unit));
    root.append(name);
    this.peakLine = this.limitLine = this.mark = null;
    if (app.quantity === "part") {
      root.append(swatches((app.scene?.cables ?? []).map((cable, index) => [cable.name || "cable", `#${partColour(index).getHexString()}`])));
      return;
    }
    this.mark = element("span", "limit");
    this.peakLine = element("div", "peak");
    this.limitLine = element("div", "peak");
    root.append(bar(scale), this.ticks(this.mark), this.peakLine, this.limitLine);
    if (unknown.length > 0) root.append(swatches([[`no limit known: ${unknown.join(", ")}`, `rgb(${UNKNOWN.join()})`]]));
  }

  /** The largest value in words, and the limit of the cable that it is about; the numbers of every frame could not be read. */
  private say(): void {
    const { app, peak, peakLine, limitLine, scale } = this;
    if (!peakLine || !limitLine) return;
    if (!peak) {
      peakLine.className = "peak";
      peakLine.replaceChildren(app.frame && !isKnown(app.frame.trailer) ? "no equilibrium: no values" : "");
      limitLine.textContent = "";
      return;
    }
    const own = cableNamed(app.scene, peak.cable);
    const limit = own && limitOf(own, app.quantity, scale.shares);
    peakLine.className = limit !== null && (app.quantity === "twist" ? Math.abs(peak.value) : peak.value) > limit ? "peak over" : "peak";
    const value = element("b", "", `${short(peak.value * scale.shown)} ${scale.unit}`);
    peakLine.replaceChildren("largest ", value, ` in ${peak.cable || "the cable"}, at ${short(peak.at * 1000)} mm`);
    const about = (app.selection ? selectedCable(app) : null) ?? own;
    if (about) this.sayLimit(about, limitLine);
  }

  /** Each cable has its own limit: that of the selected one, else of the one with the largest value, is marked. */
  private sayLimit(cable: Cable, line: HTMLElement): void {
    const { scale, mark, app } = this;
    const limit = limitOf(cable, app.quantity, scale.shares);
    const name = cable.name || "the cable";
    if (app.quantity === "moment" || (app.quantity === "curvature" && !scale.shares)) line.textContent = "";
    else if (limit === null) line.textContent = `${name}: no limit known`;
    else if (scale.shares) line.textContent = `${name}: ${bendWords(cable.bend_limit)}`;
    else line.textContent = `${name}: limit ${short(limit * scale.shown)} ${scale.unit}`;
    if (!mark) return;
    const within = limit !== null && limit > scale.low && limit < scale.high;
    mark.hidden = !within;
    if (!within) return;
    mark.style.left = `${((limit - scale.low) / (scale.high - scale.low)) * 100}%`;
    mark.textContent = scale.shares ? `${short(limit * scale.shown)} limit` : "limit";
  }

  private ticks(mark: HTMLElement): HTMLElement {
    const { low, high, shares, shown } = this.scale;
    const ticks = element("div", "ticks");
    // Beyond the limit there is no need to read a number.
    for (const value of shares ? [0, 0.5] : [low, (low + high) / 2, high]) {
      const tick = element("span", "", short(value * shown));
      tick.style.left = `${((value - low) / (high - low)) * 100}%`;
      ticks.append(tick);
    }
    ticks.append(mark);
    return ticks;
  }
}

function swatches(all: readonly [string, string][]): HTMLElement {
  const list = element("ul", "");
  for (const [text, colour] of all) {
    const item = element("li", "");
    const swatch = element("span", "swatch");
    swatch.style.background = colour;
    item.append(swatch, text);
    list.append(item);
  }
  return list;
}

function bar(scale: Scale): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = MAP_SIZE;
  canvas.height = 1;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const image = context.createImageData(MAP_SIZE, 1);
  for (let i = 0; i < MAP_SIZE; i++) image.data.set([...mapColour(scale.map, theme(), i / (MAP_SIZE - 1)), 255], i * 4);
  context.putImageData(image, 0, 0);
  return canvas;
}

export function element(tag: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}
