// The legend of the colours: name, unit, ticks, the limit and the largest value in the frame.

import type { App, Quantity } from "../app";
import { bendShare } from "../limits";
import type { Frame } from "../protocol";
import { mapColour, MAP_SIZE, partColour, type Scale, scaleOf } from "./maps";

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
  if (!scene || quantity === "part") return null;
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
  private peak: Peak | null = null;
  private high = 0;
  /** The largest value that the scale was made for. */
  private scaled = -1;
  private bottom = 0;

  constructor(private readonly app: App, private readonly root: HTMLElement) {
    this.scale = scaleOf(app.quantity, 1, { tension: null, anyRadius: false });
    // After the view has drawn the frame, which finds its largest value.
    app.on("calm", () => requestAnimationFrame(() => this.say()));
  }

  /** The scale widens at once and narrows only by much, so that colours stay still while one pulls. */
  update(frame: Frame): void {
    const { app } = this;
    const scene = app.scene;
    if (!scene) return;
    const peak = peakOf(app, frame, app.quantity);
    const size = Math.abs(peak?.value ?? 0);
    this.peak = peak;
    if (size > this.high || size < this.bottom) {
      this.high = size;
      this.bottom = size / 4;
    }
    if (this.high !== this.scaled) {
      this.scaled = this.high;
      const tensions = scene.cables.map((cable) => cable.max_tension).filter((limit) => limit !== null);
      this.scale = scaleOf(app.quantity, this.high, {
        tension: tensions.length ? Math.min(...tensions) : null,
        anyRadius: scene.cables.some((cable) => cable.bend_limit),
      });
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
    const key = JSON.stringify([scale, app.quantity, app.quantity === "part" ? app.scene?.cables.map((c) => c.name) : 0]);
    if (key !== this.shown) {
      this.shown = key;
      root.replaceChildren();
      const name = element("div", "name", scale.title);
      if (scale.unit) name.append(" ", element("span", "unit", scale.unit));
      root.append(name);
      this.peakLine = null;
      if (app.quantity === "part") root.append(this.cables());
      else {
        root.append(bar(scale), this.ticks());
        this.peakLine = element("div", "peak");
        root.append(this.peakLine);
      }
    }
  }

  /** The largest value in words; the numbers of every frame could not be read. */
  private say(): void {
    const { peak, peakLine, scale } = this;
    if (!peakLine || !peak) return;
    const over = scale.limit !== null && peak.value > scale.limit;
    peakLine.className = over ? "peak over" : "peak";
    const value = element("b", "", `${short(peak.value * scale.shown)} ${scale.unit}`);
    peakLine.replaceChildren("largest ", value, ` at ${short(peak.at * 1000)} mm`);
    peakLine.title = `in "${peak.cable}"`;
  }

  private ticks(): HTMLElement {
    const { low, high, limit, shown } = this.scale;
    const ticks = element("div", "ticks");
    const bounded = limit !== null && limit > low && limit < high;
    // Beyond the limit there is no need to read a number.
    for (const value of bounded ? [low, low + (limit - low) / 2, limit] : [low, (low + high) / 2, high]) {
      const tick = element("span", value === limit ? "limit" : "", short(value * shown) + (value === limit ? " limit" : ""));
      tick.style.left = `${((value - low) / (high - low)) * 100}%`;
      ticks.append(tick);
    }
    return ticks;
  }

  private cables(): HTMLElement {
    const list = element("ul", "");
    this.app.scene?.cables.forEach((cable, index) => {
      const item = element("li", "");
      const swatch = element("span", "swatch");
      swatch.style.background = `#${partColour(index).getHexString()}`;
      item.append(swatch, cable.name || "cable");
      list.append(item);
    });
    return list;
  }
}

function bar(scale: Scale): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = MAP_SIZE;
  canvas.height = 1;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const image = context.createImageData(MAP_SIZE, 1);
  for (let i = 0; i < MAP_SIZE; i++) image.data.set([...mapColour(scale.row, i / (MAP_SIZE - 1)), 255], i * 4);
  context.putImageData(image, 0, 0);
  return canvas;
}

export function element(tag: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}
