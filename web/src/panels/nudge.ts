// Moving what is selected by the keyboard: a thing along the axes of the world that lie nearest to the screen's, a place on a
// cable along it. What is pressed in one go is one change.

import type { App } from "../app";
import type { Command, Vector } from "../protocol";
import { Preview } from "./act";
import { cableNamed } from "./scene-index";

/** How far one press goes, m; the panel of a thing changes it. */
export const nudging = { step: 0.005 };

/** So long after the last press the move is done for good, ms. */
const PAUSE = 700;

export type Way = "left" | "right" | "up" | "down" | "away" | "near";

interface Run {
  thing: string;
  by: Vector;
  preview: Preview;
  timer: number;
}

let run: Run | null = null;

/** The unit vector of the world that is nearest to a way on the screen; each axis stands for one of the three. */
export function axisOf(way: Way, right: Vector, up: Vector): Vector {
  const unit = (axis: number, sign: number): Vector => [0, 1, 2].map((k) => (k === axis ? Math.sign(sign) || 1 : 0)) as Vector;
  const largest = (vector: Vector, but: number): number =>
    [0, 1, 2].filter((k) => k !== but).reduce((best, k) => (Math.abs(vector[k] as number) > Math.abs(vector[best] as number) ? k : best), but === 0 ? 1 : 0);
  const x = largest(right, -1);
  const y = largest(up, x);
  const back: Vector = [right[1] * up[2] - right[2] * up[1], right[2] * up[0] - right[0] * up[2], right[0] * up[1] - right[1] * up[0]];
  const z = 3 - x - y;
  const [axis, vector] = way === "left" || way === "right" ? [x, right] : way === "up" || way === "down" ? [y, up] : [z, back];
  const sign = way === "right" || way === "up" || way === "near" ? 1 : -1;
  return unit(axis, sign * (vector[axis] as number));
}

/** What is to the right and up on the screen now. */
export interface Screen {
  right: Vector;
  up: Vector;
}

/** One press; answers whether there was anything to move. */
export function nudge(app: App, way: Way, factor: number, screen: Screen): boolean {
  const { selection, scene } = app;
  if (!selection || !scene) return false;
  const size = factor * nudging.step;
  if ("cable" in selection) {
    const cable = cableNamed(scene, selection.cable);
    if (!cable || (way !== "left" && way !== "right")) return false;
    const at = (selection.at ?? cable.length / 2) + (way === "right" ? size : -size);
    app.select({ cable: cable.name, at: Math.min(Math.max(at, 0), cable.length) });
    return true;
  }
  if (!scene.things.some((thing) => thing.name === selection.thing && thing.kind !== "connector")) return false;
  const axis = axisOf(way, screen.right, screen.up);
  if (run && run.thing !== selection.thing) void finish();
  run ??= { thing: selection.thing, by: [0, 0, 0], preview: new Preview(app, () => undefined), timer: 0 };
  const { by } = run;
  run.by = [by[0] + size * axis[0], by[1] + size * axis[1], by[2] + size * axis[2]];
  // A preview would end motion; there each press is done at once.
  if (scene.mode === "dynamics") {
    void app.command(moved(run));
    run = null;
    return true;
  }
  run.preview.show(moved(run));
  window.clearTimeout(run.timer);
  run.timer = window.setTimeout(() => void finish().then((error) => error && app.notice(error, "error")), PAUSE);
  return true;
}

/** Does for good what was nudged so far; resolves to a refusal or `null`. */
export async function finish(): Promise<string | null> {
  const done = run;
  if (!done) return null;
  run = null;
  window.clearTimeout(done.timer);
  return done.preview.end(done.by.some((each) => each !== 0));
}

const tidy = (metres: number): number => Number(metres.toPrecision(9));

function moved({ thing, by }: Run): Command {
  return { do: "move", name: thing, by: [tidy(by[0]), tidy(by[1]), tidy(by[2])] };
}
