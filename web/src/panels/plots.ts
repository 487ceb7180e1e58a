// Plots along the arc length of the selected cable: curvature, twist, tension and bending moment.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { App } from "../app";
import { type Frame, isKnown } from "../frame";
import type { Cable } from "../protocol";
import { h, say } from "./dom";
import { cableNamed, positionAt, selectedCable } from "./scene-index";
import { digits, unitLabel } from "./units";

interface Curve {
  title: string;
  unit: string;
  /** Place among the loads of a node. */
  row: number;
  scale: number;
  /** In the shown unit; drawn as a line. Without this there is none to know. */
  limit?: (cable: Cable) => number | null;
  /** It limits both signs. */
  both?: boolean;
  /** The sign counts: the largest is told, as the check does, not the largest in size. */
  signed?: boolean;
  color: string;
}

const CURVES: Curve[] = [
  { title: "Curvature", unit: "1/m", row: 0, scale: 1, limit: (cable) => (cable.bend_limit ? 1 / cable.bend_limit.centre_radius : null), color: "--plot-1" },
  { title: "Twist", unit: unitLabel("twist"), row: 1, scale: 180 / Math.PI, limit: (cable) => (cable.max_twist === null ? null : (cable.max_twist * 180) / Math.PI), both: true, color: "--plot-2" },
  { title: "Tension", unit: "N", row: 2, scale: 1, limit: (cable) => cable.max_tension, signed: true, color: "--plot-3" },
  { title: "Bending moment", unit: "N m", row: 3, scale: 1, color: "--plot-4" },
];

/** The arc length in mm and one quantity of a cable. */
export function curveOf(frame: Pick<Frame, "points" | "loads">, cable: Pick<Cable, "first" | "count">, row: number, scale: number): [number[], number[]] {
  const s: number[] = [];
  const y: number[] = [];
  for (let node = cable.first; node < cable.first + cable.count; node++) {
    s.push((frame.points[4 * node + 3] ?? 0) * 1000);
    y.push((frame.loads[4 * node + row] ?? 0) * scale);
  }
  return [s, y];
}

/** The range of an axis: never flatter than `least`, so that rounding errors do not look like hills. */
export function axisRange(low: number, high: number, limit: number | null, least: number, both = false): [number, number] {
  let from = Math.min(0, low);
  let to = Math.max(0, high);
  // A limit far away is not shown at the cost of everything else.
  if (limit !== null && limit < 3 * to) to = Math.max(to, limit * 1.05);
  if (both && limit !== null && limit < -3 * from) from = Math.min(from, -limit * 1.05);
  if (to - from < least) to = from + least;
  const air = 0.06 * (to - from);
  return [from === 0 ? 0 : from - air, to + air];
}

/** Between two plots while a cable is pulled, ms: each of the four then follows about six times a second. */
const PAUSE = 25;

const LEAST = [0.1, 1, 0.01, 1e-4];

class Plot {
  private chart: uPlot | null = null;
  private readonly value = h("output", { class: "plot-value" });
  private readonly title = h("span", { class: "plot-title" });
  private readonly body = h("div", { class: "plot-body" });
  readonly element: HTMLElement;
  private cable: Cable | null = null;

  constructor(private readonly app: App, private readonly curve: Curve, private readonly hover: (s: number | null) => void) {
    this.title.textContent = `${curve.title}, ${curve.unit}`;
    this.element = h("div", { class: "plot", data: { plot: curve.title } }, h("header", {}, this.title, this.value), this.body);
    new ResizeObserver(() => this.resize()).observe(this.body);
    this.body.addEventListener("click", () => this.look());
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(80, this.body.clientWidth), height: Math.max(50, this.body.clientHeight) };
  }

  private resize(): void {
    this.chart?.setSize(this.size());
  }

  /** Colours are read when the chart is made. */
  restyle(): void {
    this.chart?.destroy();
    this.chart = null;
  }

  private make(data: uPlot.AlignedData): uPlot {
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const axis: uPlot.Axis = {
      stroke: color("--quiet"), grid: { stroke: color("--plot-grid"), width: 1 }, ticks: { show: false }, font: "10px system-ui, sans-serif", gap: 3,
    };
    return new uPlot({
      ...this.size(),
      padding: [6, 14, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 }, sync: { key: "arc" } },
      scales: {
        x: { time: false },
        y: { range: (_, low, high) => axisRange(low ?? 0, high ?? 0, this.limit(), LEAST[this.curve.row] ?? 0.1, this.curve.both) },
      },
      axes: [{ ...axis, size: 20, space: 60 }, { ...axis, size: 46, space: 24, values: (_, ticks) => ticks.map((tick) => digits(tick, 3)) }],
      series: [{}, { stroke: color(this.curve.color), width: 1.6, fill: `${color(this.curve.color)}22`, points: { show: false } }],
      hooks: {
        draw: [(chart) => this.drawLimit(chart, color("--bad"))],
        setCursor: [(chart) => this.cursor(chart)],
      },
    }, data, this.body);
  }

  private limit(): number | null {
    return (this.cable && this.curve.limit?.(this.cable)) ?? null;
  }

  private drawLimit(chart: uPlot, color: string): void {
    const limit = this.limit();
    if (limit === null) return;
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.strokeStyle = color;
    ctx.setLineDash([5, 4]);
    ctx.lineWidth = 1.4;
    for (const value of this.curve.both ? [limit, -limit] : [limit]) {
      const y = chart.valToPos(value, "y", true);
      if (y < bbox.top || y > bbox.top + bbox.height) continue;
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  }

  private cursor(chart: uPlot): void {
    const index = chart.cursor.idx;
    const s = index === null || index === undefined ? null : chart.data[0][index];
    const y = index === null || index === undefined ? null : chart.data[1]?.[index];
    if (s === null || s === undefined || y === null || y === undefined) {
      this.peak();
      if (this.element.matches(":hover")) this.hover(null);
      return;
    }
    say(this.value, `${digits(y, 3)} at ${digits(s, 4)} mm`);
    if (this.element.matches(":hover")) this.hover(s / 1000);
  }

  private peak(): void {
    const values = this.chart?.data[1] as number[] | undefined;
    if (!values || values.length === 0) return;
    const size = (value: number): number => (this.curve.signed ? value : Math.abs(value));
    const most = values.reduce((best, each) => (size(each) > size(best) ? each : best));
    const limit = this.limit();
    const of = limit !== null ? ` of ${digits(limit, 3)}` : this.curve.limit ? " · no limit known" : "";
    // What is this small is rounding.
    const shown = Math.abs(most) < 1e-6 * (LEAST[this.curve.row] ?? 0) ? 0 : most;
    say(this.value, `max ${digits(shown, 3)}${of}`);
    this.value.classList.toggle("bad", limit !== null && size(most) > limit);
  }

  /** Puts the cursor of all plots to a place that is under the pointer in the view. */
  mark(s: number | null): void {
    if (!this.chart) return;
    const left = s === null ? -10 : this.chart.valToPos(s * 1000, "x");
    this.chart.setCursor({ left, top: s === null ? -10 : 1 });
  }

  /** A click shows the place. */
  private look(): void {
    const index = this.chart?.cursor.idx;
    const s = index === null || index === undefined ? undefined : this.chart?.data[0][index];
    if (!this.cable || s === undefined) return;
    const position = positionAt(this.app, this.cable, s / 1000);
    if (position) this.app.emit("look", { position, size: this.cable.length / 4 });
    this.app.select({ cable: this.cable.name, at: s / 1000 });
  }

  show(cable: Cable, frame: Frame): void {
    this.cable = cable;
    const data = curveOf(frame, cable, this.curve.row, this.curve.scale) as unknown as uPlot.AlignedData;
    if (!this.chart) this.chart = this.make(data);
    else this.chart.setData(data);
    const index = this.chart.cursor.idx;
    if (index === null || index === undefined) this.peak();
  }
}

export function mountPlots(app: App, place: HTMLElement): void {
  const head = h("header", { class: "plots-head" });
  const empty = h("p", { class: "quiet empty" }, "Curvature, twist, tension and moment along a cable are shown here.");
  const hover = (s: number | null): void => {
    const cable = shownCable();
    app.emit("hover", cable && s !== null ? { cable: cable.name, at: s } : null);
  };
  const plots = CURVES.map((curve) => new Plot(app, curve, hover));
  const row = h("div", { class: "plot-row" }, ...plots.map((plot) => plot.element));
  place.append(head, empty, row);
  let seen = true;
  new ResizeObserver(([entry]) => {
    const hidden = !seen;
    seen = (entry?.contentRect.width ?? 0) > 0;
    // What came while nothing could be seen is drawn now: no other event may follow.
    if (seen && hidden) soon();
  }).observe(row);
  let recent = "";
  /** The selected cable; without one, that of before, or the first. */
  const shownCable = (): Cable | null => {
    const cable = selectedCable(app) ?? cableNamed(app.scene, recent) ?? app.scene?.cables[0] ?? null;
    recent = cable?.name ?? "";
    return cable;
  };
  /** The scene and the cable that all plots are about. */
  let about = "";
  /** Plots that do not show the newest frame, whose turn it is, and the request for it. */
  let stale = 0;
  let turn = 0;
  let drawing = 0;
  const draw = (): void => {
    const { frame, scene } = app;
    const cable = shownCable();
    const rest = !frame || isKnown(frame.trailer);
    say(head, cable ? `Along ${cable.name}${rest ? "" : " · no equilibrium: there are no values to plot"}` : "");
    head.classList.toggle("bad", !rest);
    empty.hidden = cable !== null;
    row.classList.toggle("none", !cable || !rest);
    if (!cable || !frame || frame.revision !== scene?.revision || !seen) return;
    const now = `${frame.revision} ${cable.name}`;
    if (now !== about) {
      about = now;
      for (const plot of plots) plot.show(cable, frame);
      return;
    }
    stale = plots.length;
    if (drawing === 0) later();
  };
  /** While a cable is pulled, one plot after the other: all four at once would hold up the view. */
  const drawNext = (): void => {
    const { frame, scene } = app;
    const cable = shownCable();
    drawing = 0;
    if (!cable || !frame || frame.revision !== scene?.revision) return;
    plots[turn]?.show(cable, frame);
    turn = (turn + 1) % plots.length;
    stale--;
    if (stale > 0) later();
  };
  /** After the page is laid out: text on a canvas would have that done once more, within the script. */
  const later = (): void => {
    drawing = window.setTimeout(() => requestAnimationFrame(() => setTimeout(drawNext)), PAUSE);
  };
  /** Not within the event: what comes with it is drawn once. */
  let waiting = 0;
  const soon = (): void => {
    if (waiting !== 0) return;
    waiting = window.setTimeout(() => {
      waiting = 0;
      draw();
    });
  };
  app.on("hover", (place) => {
    if (row.matches(":hover")) return;
    plots[0]?.mark(place && place.cable === recent ? place.at : null);
  });
  app.on("calm", soon);
  app.on("selection", soon);
  app.on("scene", soon);
  app.on("theme", () => {
    for (const plot of plots) plot.restyle();
    about = "";
    soon();
  });
  draw();
}
